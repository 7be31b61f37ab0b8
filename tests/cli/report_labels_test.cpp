// SPDX-License-Identifier: MIT
// report.html: what rows and columns are, by options, by files beside the matrix and by its own file.
#include <fmt/format.h>

#include "report_fixture.h"
#include "support/hdf5_writer.h"

namespace anmf::test {
namespace {

class ReportLabels : public Report {
 protected:
  /// K.h5ad = K.npy with columns of obs, of which `kind` tells most of the components.
  void write_columns() const {
    const io_test::Hdf5Writer h5(file("K.h5ad"));
    const Matrix<double> K = io::read_npy<double>(file("K.npy"));
    h5.numbers("X", {4, 6}, std::vector<double>(K.data(), K.data() + K.size()));
    h5.group("var");
    h5.texts("var/_index", {"ant", "bee", "cat", "dog", "eel", "fox"});
    h5.group("obs");
    h5.texts("obs/_index", {"c1", "c2", "c3", "c4"});
    h5.texts("obs/batch", {"x", "y", "x", "y"});
    h5.numbers("obs/age", {4}, {1, 2, 3, 4});
    h5.group("obs/kind");
    h5.text_attribute("obs/kind", "encoding-type", "categorical");
    h5.whole("obs/kind/codes", {2, 2, 0, -1});
    h5.texts("obs/kind/categories", {"B", "none of them", "T"});
    h5.texts_attribute("obs", "column-order", {"batch", "age", "kind"});
  }
  [[nodiscard]] nlohmann::json report_of(const Arguments& arguments) const {
    const Outcome outcome = anmf(arguments + Arguments{"--max-iterations", "5", "--out", "out"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? data_of(read_text(file("out/report.html"))) : nlohmann::json();
  }
};

TEST_F(ReportLabels, DrawsFeaturesThatHaveAnOrder) {
  const auto steps = report({"--feature-axis", "nm=400:2.5"})["curves"];
  EXPECT_EQ(steps["name"], "nm");
  EXPECT_EQ(steps["side"], "columns");
  EXPECT_EQ(steps["places"], nlohmann::json({400, 402.5, 405, 407.5, 410, 412.5}));
  EXPECT_EQ(steps["values"][1], nlohmann::json({5, 0, 0, 2.5, 0, 5}));

  write_text(file("four.txt"), "9\n4\n3.5\n-1\n");
  const auto listed = report({"--feature-axis", "four.txt"});
  EXPECT_EQ(listed["curves"]["side"], "rows");
  EXPECT_EQ(listed["curves"]["values"][0], nlohmann::json({4, 2, 0, 1}));
  EXPECT_EQ(listed["fit"]["examples"][0]["curve"]["data"].size(), 4);

  write_text(file("names.txt"), "1\n2\n3\n5\n8\n13\n");
  EXPECT_EQ(report({"--feature-names", "names.txt"})["curves"]["places"],
            nlohmann::json({1, 2, 3, 5, 8, 13}));
  write_text(file("names.txt"), "1\n2\n3\n5\n8\n8\n");
  EXPECT_TRUE(report({"--feature-names", "names.txt"})["curves"].is_null());
}

TEST_F(ReportLabels, RefusesPlacesThatAreNoAxis) {
  write_text(file("turn.txt"), "1\n2\n1.5\n4\n");
  write_text(file("word.txt"), "1\ntwo\n3\n4\n");
  write_text(file("three.txt"), "1\n2\n3\n");
  const auto refusal = [&](const std::string& axis) { return run({"--feature-axis", axis}).err; };

  EXPECT_TRUE(contains(refusal("turn.txt"), "line 3: 1.5 follows 2"));
  EXPECT_TRUE(contains(refusal("word.txt"), "line 2: 'two' is no number"));
  EXPECT_TRUE(contains(refusal("three.txt"), "has 3 lines, but the matrix is 4 x 6"));
  EXPECT_TRUE(contains(refusal("none.txt"), "cannot read 'none.txt', the file of --feature-axis"));
  EXPECT_TRUE(contains(refusal("400:0"), "a step that is not 0"));
}

TEST_F(ReportLabels, SummarisesLabelsAndNamesTypicalRows) {
  write_text(file("labels.txt"), "a\na\nb\nb\n");
  const auto first = report({})["components"][0];  // its column of W is 4, 2, 0, 1

  EXPECT_EQ(first["groups"][0]["top"][0]["name"], "a");
  EXPECT_NEAR(first["groups"][0]["top"][0]["share"].get<double>(), 6.0 / 7, 1e-12);
  EXPECT_EQ(first["typical"][0]["name"], "row 1");
  EXPECT_EQ(first["typical"][2]["group"], "b");
  EXPECT_EQ(first["typical"].size(), 3);
}

TEST_F(ReportLabels, SummarisesColumnsOfAnnDataByWhatTheyTell) {
  write_columns();
  const auto data = report({}, "K.h5ad");

  EXPECT_EQ(data["groupings"], 2);                       // numbers are no labels
  const auto& groups = data["components"][0]["groups"];  // its column of W is 4, 2, 0, 1
  ASSERT_EQ(groups.size(), 2);
  EXPECT_EQ(groups[0]["name"], "kind");
  EXPECT_EQ(groups[0]["top"][0]["name"], "T");
  EXPECT_NEAR(groups[0]["top"][0]["share"].get<double>(), 6.0 / 7, 1e-12);
  EXPECT_EQ(groups[0]["top"][1]["name"], "");
  EXPECT_EQ(groups[1]["name"], "batch");
  EXPECT_NEAR(groups[1]["top"][0]["share"].get<double>(), 4.0 / 7, 1e-12);
  EXPECT_EQ(data["components"][1]["groups"][0]["top"][0]["name"], "B");
  EXPECT_EQ(data["components"][1]["typical"][0]["name"], "c3");
  EXPECT_EQ(data["components"][1]["typical"][0]["group"], "B");
}

TEST_F(ReportLabels, StayWithTheRowsAndColumnsThatAreTaken) {
  write_columns();
  const auto turned = report_of({"factorize", "K.h5ad", "--rank", "2", "--transpose"});
  EXPECT_EQ(turned["top_side"], "rows");  // genes are the features of such a file, on either side
  EXPECT_EQ(turned["components"][0]["groups"].size(), 2);

  const auto chosen = report_of({"factorize", "K.h5ad", "--rank", "1", "--rows", "c3,c1"});
  for (const auto& sample : chosen["components"][0]["typical"])
    EXPECT_EQ(sample["group"], sample["name"] == "c3" ? "B" : "T");

  write_text(file("labels.txt"), "a\nb\nc\nd\ne\nf\n");
  write_text(file("names.txt"), "p\nq\nr\ns\n");
  const auto varied = report_of(
      {"factorize", "K.npy", "--rank", "2", "--prepare", "top-variance=3", "--feature-names", "names.txt"});
  for (const auto& component : varied["components"]) {
    EXPECT_FALSE(component["typical"].empty());
    for (const auto& sample : component["typical"])
      EXPECT_TRUE(contains("aef", sample["group"].get<std::string>())) << sample;
  }
  EXPECT_TRUE(report_of({"factorize", "K.npy", "--rank", "2", "--prepare", "top-variance=3", "--feature-axis",
                         "400:2.5"})["curves"]
                  .is_null());
}

TEST_F(ReportLabels, ListsTheStrongestColumnsByName) {
  write_text(file("names.txt"), "ant\nbee\ncat\ndog\neel\nfox");  // no newline at the end

  const auto data = report({"--feature-names", "names.txt"});

  EXPECT_EQ(data["top_side"], "columns");
  const auto expected = nlohmann::json::parse(R"([{"name":"eel","value":4},{"name":"cat","value":2},
      {"name":"bee","value":1},{"name":"fox","value":1}])");
  EXPECT_EQ(data["components"][0]["top"], expected);          // zeros are no features
  EXPECT_EQ(data["components"][1]["top"][0]["name"], "ant");  // of equal ones the first comes first
}

TEST_F(ReportLabels, ListsTheStrongestRowsWhereOnlyTheirNumberFits) {
  write_text(file("names.txt"), "p\r\nq\r\nr\r\ns\r\n");

  const auto data = report({"--feature-names", "names.txt"});

  EXPECT_EQ(data["top_side"], "rows");
  EXPECT_EQ(data["components"][1]["top"],
            nlohmann::json::parse(R"([{"name":"r","value":3},{"name":"s","value":1}])"));
}

TEST_F(ReportLabels, UsesWhatLiesBesideTheInputIfItFits) {
  write_text(file("meta.json"), R"({"name": "K", "image_height": 2, "image_width": 2})");
  write_text(file("vocab.txt"), "a\nb\nc\nd\ne\nf\n");

  const auto data = report({});

  EXPECT_EQ(data["images"]["height"], 2);
  EXPECT_EQ(data["components"][0]["top"][0]["name"], "e");
}

TEST_F(ReportLabels, PrefersWhatWasAskedFor) {
  write_text(file("meta.json"), R"({"image_height": 2, "image_width": 2})");
  write_text(file("vocab.txt"), "a\nb\nc\nd\ne\nf\n");
  write_text(file("names.txt"), "A\nB\nC\nD\nE\nF\n");

  const auto data = report({"--image-shape", "4x1", "--feature-names", "names.txt"});

  EXPECT_EQ(data["images"]["height"], 4);
  EXPECT_EQ(data["components"][0]["top"][0]["name"], "E");
}

TEST_F(ReportLabels, PassesOverWhatDoesNotFitBesideTheInput) {
  for (const char* description :
       {R"({"image_height": 7, "image_width": 9})", R"({"image_height": "2", "image_width": 2})",
        R"({"image_height": 2})", R"({"image_height": -2, "image_width": -2})", "[2, 2]", "no JSON", ""}) {
    write_text(file("meta.json"), description);
    write_text(file("vocab.txt"), "too\nfew\n");

    const auto data = report({});

    EXPECT_TRUE(data["images"].is_null()) << description;
    EXPECT_TRUE(data["components"][0]["top"].empty());
  }
}

TEST_F(ReportLabels, NeedsAnImageShapeThatFits) {
  const Outcome outcome = run({"--image-shape", "3x3"});

  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(
      outcome.err,
      "anmf: --image-shape 3x3 has 9 pixels, but the matrix is 4 x 6: its rows or its columns must be the "
      "pixels.\n");
  EXPECT_FALSE(std::filesystem::exists(file("out")));
}

TEST_F(ReportLabels, NeedsAnImageShapeOfTwoNumbers) {
  for (const char* shape : {"4", "4x", "x4", "2x2x1", "2 x2", "-2x-2", "0x4", "2.0x2", "2X2",
                            "99999999999999999999x1", "1000001x1", ""}) {
    const Outcome outcome = run({fmt::format("--image-shape={}", shape)});

    EXPECT_EQ(outcome.exit_code, 2) << shape;
    EXPECT_NE(outcome.err.find("--image-shape"), std::string::npos) << outcome.err;
  }
}

TEST_F(ReportLabels, NeedsAFileOfNamesThatFits) {
  write_text(file("names.txt"), "one\ntwo\nthree\n");

  const Outcome wrong = run({"--feature-names", "names.txt"});
  const Outcome absent = run({"--feature-names", "nothing.txt"});
  const Outcome folder = run({"--feature-names", "."});

  EXPECT_EQ(wrong.exit_code, 3);
  EXPECT_EQ(wrong.err,
            "anmf: 'names.txt' has 3 lines, but the matrix is 4 x 6: --feature-names needs one line for each "
            "column, or one for each row.\n");
  EXPECT_EQ(absent.exit_code, 3);
  EXPECT_EQ(absent.err, "anmf: cannot read 'nothing.txt', the file of --feature-names.\n");
  EXPECT_EQ(folder.exit_code, 3);
  EXPECT_EQ(folder.err, "anmf: cannot read '.', the file of --feature-names.\n");
}

TEST_F(ReportLabels, KeepsNamesFromEndingTheirElement) {
  const std::string quotes = R"("quoted" 'and' \ back)";
  const std::string script = "</script><script>alert(1)</script>";
  const std::string comment = "<!-- <script>";
  write_text(file("names.txt"), fmt::format("{}\n{}\n{}\n\nlast\nmore\n", quotes, script, comment));

  const auto data = report({"--feature-names", "names.txt"});

  EXPECT_EQ(data["components"][0]["top"][1]["name"], comment);
  EXPECT_EQ(data["components"][0]["top"][2]["name"], script);
  EXPECT_EQ(data["components"][1]["top"][0]["name"], quotes);
  // The page has the scripts it came with and no more.
  const std::string html = read_text(file("out/report.html"));
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
}

TEST_F(ReportLabels, CutsEndlessNamesAndReplacesBytesThatAreNoText) {
  std::string umlauts;
  for (int k = 0; k < 5000; ++k) umlauts += "\xC3\xA4";
  write_text(file("names.txt"), fmt::format("\xFF\xFE name\nx{}\n{}\nd\ne\nf\n", umlauts, umlauts));

  const auto data = report({"--feature-names", "names.txt"});

  const std::string odd = data["components"][1]["top"][0]["name"];
  EXPECT_EQ(odd, "\uFFFD\uFFFD name");
  const std::string even_cut = data["components"][0]["top"][1]["name"];
  const std::string odd_cut = data["components"][0]["top"][2]["name"];
  EXPECT_EQ(even_cut, umlauts.substr(0, 200) + "\u2026");
  EXPECT_EQ(odd_cut, fmt::format("x{}\u2026", umlauts.substr(0, 198)));  // never half a character
}

}  // namespace
}  // namespace anmf::test
