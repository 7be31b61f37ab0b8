// SPDX-License-Identifier: MIT
// survey.json, survey.csv, jobs.csv and components.csv: what stands in them, that they read back, and which
// survey may go on in a folder.
#include "anmf/version.h"
#include "survey_folder_fixture.h"

namespace anmf::test {
namespace {

namespace fs = std::filesystem;

/// The sentence with which it fails, or nothing.
template <class Body>
std::string refusal(const Body& body) {
  try {
    body();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

SurveyTable some_table() {
  SurveyTable table;
  RankSummary two{.rank = 2, .starts = 10, .failed = 1, .converged = 9};
  two.error_best = 1.0 / 3;
  two.error_median = 1e-300;
  two.explained = 0.1;
  two.silhouette = -0.25;
  two.heldout = 0.875;
  two.heldout_se = 1e-3;
  two.outliers = 3;
  two.seconds = 12.5;
  RankSummary twelve{.rank = 12, .starts = 10};
  twelve.suggested = true;
  table.ranks = {two, twelve};
  table.components = {
      {.rank = 2, .component = 1, .members = 10, .silhouette = 0.9, .spread = 0.01, .usage = 0.6},
      {.rank = 12, .component = 1, .members = 9, .usage = 0.3, .parent = 1, .parent_cosine = 0.99}};
  table.jobs = {made_up<double>({2, JobKind::start, 0}, 0.1).record,
                made_up<double>({2, JobKind::start, 1}, RankSummary::kNone, JobStatus::failed).record,
                made_up<double>({2, JobKind::heldout, 1}, 3.25, JobStatus::iteration_limit).record,
                made_up<double>({12, JobKind::bcv, 0}, 1e22).record};
  table.suggestion = {
      .rank = 12, .rule = "heldout-1", .reasons = {"It is, so."}, .alternatives = {2}, .edge = true};
  table.notes = {"a note"};
  return table;
}

class SurveyTables : public SurveyFolderTest {
 protected:
  [[nodiscard]] static nlohmann::ordered_json description(const SurveyTable& table) {
    return report::describe_survey(settings().input, settings().key, table, 2.5);
  }
  [[nodiscard]] std::string why_other(report::SurveyFolderSettings other) const {
    return refusal([&] { const Folder folder(path(), std::move(other)); });
  }
  [[nodiscard]] std::string why_unreadable() const {
    return refusal([&] { (void)report::read_survey(path()); });
  }
};

TEST_F(SurveyTables, HaveTheColumnsThatAreDocumented) {
  fs::create_directories(path());
  const SurveyTable table = some_table();
  report::write_survey_tables(path(), description(table), table);
  EXPECT_EQ(read_text(path("survey.csv")),
            "rank,starts,failed,converged,error_best,error_median,error_worst,explained,silhouette,"
            "silhouette_min,silhouette_cosine,instability,cophenetic,dispersion,sparseness_w,sparseness_h,"
            "consensus_error,heldout,heldout_se,bcv,outliers,seconds,suggested\n"
            "2,10,1,9,0.3333333333333333,1e-300,,0.1,-0.25,,,,,,,,,0.875,0.001,,3,12.5,false\n"
            "12,10,0,0,,,,,,,,,,,,,,,,,0,0,true\n");
  EXPECT_EQ(read_text(path("jobs.csv")),
            "rank,start,kind,repeat,seed,status,iterations,seconds,error,relative_error,kkt,message\n"
            "2,0,start,,9007199254740991,converged,10,0.125,0.1,0.0125,1e-05,\n"
            "2,1,start,,9007199254740990,failed,11,0.125,,,1e-05,"
            "\"The arithmetic overflowed, \"\"too\"\" early.\nTwice.\"\n"
            "2,,heldout,1,9007199254740990,iteration_limit,11,0.125,3.25,0.40625,1e-05,\n"
            "12,,bcv,0,9007199254740991,converged,10,0.125,1e+22,1.25e+21,1e-05,\n");
  EXPECT_EQ(read_text(path("components.csv")),
            "rank,component,members,silhouette,spread,usage,parent,parent_cosine\n"
            "2,1,10,0.9,0.01,0.6,0,\n"
            "12,1,9,,,0.3,1,0.99\n");
}

TEST_F(SurveyTables, AreSummedUpInSurveyJson) {
  fs::create_directories(path());
  const SurveyTable table = some_table();
  report::write_survey_tables(path(), description(table), table);
  const auto json = nlohmann::ordered_json::parse(read_text(path("survey.json")));
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"format", "kind", "version", "input", "key", "ranks",
                                            "suggestion", "failed", "notes", "seconds"}));
  EXPECT_EQ(json["format"], 1);
  EXPECT_EQ(json["kind"], "survey");
  EXPECT_EQ(json["version"], kVersion);
  EXPECT_EQ(json["input"].dump(),
            R"({"name":"M.npy","rows":7,"cols":5,"nonzeros":35,"norm":1.5,"checksum":"00000000000000aa"})");
  EXPECT_EQ(json["ranks"].dump(), "[2,12]");
  EXPECT_EQ(json["suggestion"].dump(),
            R"({"rank":12,"rule":"heldout-1","reasons":["It is, so."],"alternatives":[2],"edge":true})");
  EXPECT_EQ(json["failed"].size(), 1U);
  EXPECT_EQ(json["failed"][0]["start"], 1);
  EXPECT_EQ(json["seconds"], 2.5);
  for (const char* name : {"version", "precision", "seed", "features", "resample", "loss", "method",
                           "tolerance", "max_iterations"})
    EXPECT_TRUE(json["key"].contains(name)) << name;
  for (const char* name : {"ranks", "starts", "threads", "rank", "time_limit"})
    EXPECT_FALSE(json["key"].contains(name)) << name;
}

TEST_F(SurveyTables, ReadBackAsTheyWere) {
  fs::create_directories(path());
  const SurveyTable table = some_table();
  report::write_survey_tables(path(), description(table), table);
  std::map<std::string, std::string> written;
  for (const char* name : {"survey.json", "survey.csv", "jobs.csv", "components.csv"})
    written[name] = read_text(path(name));
  const report::SavedSurvey saved = report::read_survey(path());
  EXPECT_EQ(saved.description, description(table));
  for (std::size_t k = 0; k < table.jobs.size(); ++k)
    EXPECT_TRUE(same_record(saved.table.jobs.at(k), table.jobs[k])) << k;
  EXPECT_EQ(saved.table.suggestion.reasons, table.suggestion.reasons);
  EXPECT_EQ(saved.table.notes, table.notes);
  report::write_survey_tables(path(), description(saved.table), saved.table);
  for (const auto& [name, text] : written) EXPECT_EQ(read_text(path(name)), text) << name;
}

TEST_F(SurveyTables, AreDamagedWithASentence) {
  fs::create_directories(path());
  const SurveyTable table = some_table();
  report::write_survey_tables(path(), description(table), table);
  for (const char* name : {"survey.json", "survey.csv", "jobs.csv", "components.csv"}) {
    SCOPED_TRACE(name);
    const std::string whole = read_text(path(name));
    for (const std::string& damaged :
         {std::string(), whole.substr(0, whole.size() / 2), "x" + whole, std::string(1000, '\xff')}) {
      write_text(path(name), damaged);
      EXPECT_TRUE(contains(why_unreadable(), name));
    }
    fs::remove(path(name));
    EXPECT_TRUE(contains(why_unreadable(), name));
    write_text(path(name), whole);
  }
  EXPECT_EQ(why_unreadable(), "");
  write_text(path("survey.csv"), read_text(path("survey.csv")) + "13,10,0,0,,,,,,,,,,,,,,,,,0,0,true\n");
  EXPECT_TRUE(contains(why_unreadable(), "its ranks are not those of survey.json"));
}

TEST_F(SurveyTables, OfAnotherMatrixAreLeftAlone) {
  {
    const Folder folder(path(), settings());
  }
  const std::string before = read_text(path("survey.json"));
  auto other = settings();
  other.input.name = "N.npy";
  other.input.checksum = "00000000000000ab";
  EXPECT_EQ(
      why_other(other),
      "The survey in '" + path().string() +
          "' is of another matrix ('M.npy'): its checksum of the entries is 00000000000000aa, that of "
          "'N.npy' is 00000000000000ab. Choose another folder, or survey that matrix, read and prepared "
          "as it was.");
  other.input.cols = 6;
  EXPECT_TRUE(contains(why_other(other), "its number of columns is 5, that of 'N.npy' is 6"));
  other.input.rows = 8;
  EXPECT_TRUE(contains(why_other(other), "its number of rows is 7, that of 'N.npy' is 8"));
  EXPECT_EQ(read_text(path("survey.json")), before);
}

TEST_F(SurveyTables, WithOtherOptionsNameTheDifference) {
  {
    const Folder folder(path(), settings());
  }
  const auto with = [this](const auto& change, const char* precision = "float64") {
    SurveyOptions changed = options();
    changed.ranks = {7};
    changed.starts = 3;
    change(changed);
    auto other = settings();
    other.key = report::survey_key(changed, precision);
    return why_other(other);
  };
  EXPECT_EQ(with([](SurveyOptions& options) {
              options.job.threads = 7;
              options.job.time_limit = 3;
              options.clusters.kind = ClusterKind::free;
              options.heldout = Holdout::bcv;
              options.heldout_repeats = 2;
              options.jobs = 3;
            }),
            "");
  EXPECT_TRUE(
      contains(with([](SurveyOptions& options) { options.seed = 1; }), "has seed = 0, and here it is 1"));
  EXPECT_TRUE(contains(with([](SurveyOptions& options) { options.job.loss = "kl"; }),
                       "has loss = frobenius, and here it is kullback-leibler"));
  EXPECT_TRUE(contains(with([](SurveyOptions& options) { options.job.tolerance = 0.5; }), "tolerance"));
  EXPECT_TRUE(contains(with([](SurveyOptions& options) { options.spectra = Side::W; }),
                       "has features = columns, and here it is rows"));
  EXPECT_TRUE(
      contains(with([](SurveyOptions& options) { options.resampling = {Resampling::Kind::uniform, 0.5}; }),
               "has resample = none, and here it is uniform:0.5"));
  EXPECT_TRUE(contains(with([](SurveyOptions& /*options*/) {}, "float32"),
                       "has precision = float64, and here it is float32"));
  // Two names of one loss.
  EXPECT_EQ(with([](SurveyOptions& options) { options.job.loss = "2"; }), "");
}

TEST_F(SurveyTables, OfAnotherVersionGoOnIfTheyMay) {
  {
    Folder folder(path(), settings());
    keep_starts(folder, 2, {{0, 2.0}});
  }
  auto later = settings();
  later.key["version"] = "99.0";
  EXPECT_TRUE(
      contains(why_other(later), "was begun by anmf " + std::string(kVersion) +
                                     ", and this is 99.0, which may give other bits: --mix-versions"));
  later.mix_versions = true;
  EXPECT_EQ(why_other(later), "");

  // A job of another version counts with those that may be mixed.
  const fs::path job = path("jobs/k02/s0000.npz");
  auto record = nlohmann::ordered_json::parse(io::read_npz_text(job, "record.json"));
  record["version"] = "0.0.1";
  const Matrix<double> spectra = io::read_npz<double>(job, "spectra");
  const Matrix<std::uint16_t> labels = io::read_npz<std::uint16_t>(job, "labels");
  const std::vector<io::NpzMember> members = {
      {"record.json", record.dump()}, {"spectra", spectra.view()}, {"labels", labels.view()}};
  io::write_npz(job, members);
  auto mixed = settings();
  mixed.mix_versions = true;
  {
    Folder folder(path(), settings());
    EXPECT_FALSE(folder.find(start(2, 0)));
  }
  Folder folder(path(), mixed);
  EXPECT_TRUE(folder.find(start(2, 0)));
  keep_starts(folder, 2, {{1, 3.0}});
  SurveyTable table;
  table.ranks = {{.rank = 2}};
  folder.publish(table, 1, "", "");
  EXPECT_TRUE(contains(read_text(path("survey.json")), "Jobs were made by several versions of anmf"));
}

TEST_F(SurveyTables, NeedAFolderOfTheirOwn) {
  const auto why = [&] { return refusal([&] { report::expect_survey_or_nothing(path()); }); };
  EXPECT_EQ(why(), "");
  write_text(path(), "");
  EXPECT_TRUE(contains(why(), "is a file, and a survey needs a folder."));
  fs::remove(path());
  fs::create_directory(path());
  EXPECT_EQ(why(), "");
  write_text(path("holiday.jpg"), "");
  EXPECT_TRUE(contains(why(), "holds something else than a survey"));
  write_text(path("survey.json"), "{}");
  EXPECT_TRUE(contains(why(), "is not the survey.json of a survey, or it is damaged"));
  write_text(path("survey.json"), R"({"kind": "survey", "format": 2})");
  EXPECT_TRUE(contains(why(), "is of format 2; this version of anmf reads format 1"));
  write_text(path("survey.json"), R"({"kind": "survey", "format": 1, "input": 3})");
  EXPECT_TRUE(contains(why(), "is damaged: it does not say what the survey is of"));
}

TEST_F(SurveyTables, AreNotThereBeforeAnythingIsSummedUp) {
  {
    const Folder folder(path(), settings());
  }
  EXPECT_TRUE(contains(why_unreadable(), "has no tables yet"));
}

}  // namespace
}  // namespace anmf::test
