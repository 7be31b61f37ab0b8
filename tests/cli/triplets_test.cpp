// SPDX-License-Identifier: MIT
// Lines ROW COLUMN VALUE, with a time and without, and --triplets.
#include "program.h"

namespace anmf::test {
namespace {

class TripletFiles : public ProgramTest {
 protected:
  /// Users 7, 22 and 186 by items 2, 10 and 302, the lines in no order.
  [[nodiscard]] static std::string ratings(const std::string& separator, bool times) {
    std::string text;
    for (const auto& [user, item, value] : {std::tuple{"186", "302", "3"},
                                            {"7", "2", "5"},
                                            {"22", "10", "1"},
                                            {"186", "10", "4"},
                                            {"7", "302", "2.5"}}) {
      text += user + separator + item + separator + value + (times ? separator + "881250949" : "") + "\n";
    }
    return text;
  }

  void expect_ratings(const std::string& text, const Arguments& further) const {
    SCOPED_TRACE(text);
    write_text(file("u.data"), text);
    const Outcome outcome = anmf(Arguments{"convert", "u.data", "out.csv"} + further);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_TRUE(contains(outcome.out, "matrix          3 x 3\n"));
    EXPECT_EQ(read_text(file("out.csv")),
              ",\"2\",\"10\",\"302\"\n\"7\",5,0,2.5\n\"22\",0,1,0\n\"186\",0,4,3\n");
    const auto info = nlohmann::json::parse(anmf(Arguments{"info", "u.data", "--json"} + further).out);
    EXPECT_EQ(info["storage"], "sparse");
    EXPECT_EQ(info["nonzeros"], 5);
    EXPECT_EQ(info["row_names"], true);
  }
};

TEST_F(TripletFiles, AreRecognisedByThemselves) {
  for (const char* separator : {"\t", ",", ";", " ", "::"}) expect_ratings(ratings(separator, true), {});
  expect_ratings(ratings("::", false), {});
  expect_ratings("user,item,rating,time\n" + ratings(",", true), {});
}

TEST_F(TripletFiles, AreWhatTheUserSays) {
  for (const char* separator : {"\t", ",", ";", " ", "::"})
    expect_ratings(ratings(separator, false), {"--triplets", "yes"});
  write_text(file("u.data"), ratings("\t", true));
  const auto rows = nlohmann::json::parse(anmf({"info", "u.data", "--json", "--triplets", "no"}).out);
  EXPECT_EQ(rows["rows"], 5);
  EXPECT_EQ(rows["cols"], 4);
  EXPECT_EQ(rows["storage"], "dense");
}

TEST_F(TripletFiles, GiveFactorsWithTheirNames) {
  write_text(file("u.data"), ratings("::", true) + "7::2::1::881250950\n");
  const Outcome outcome =
      anmf({"factorize", "u.data", "--rank", "1", "--max-iterations", "5", "--out", "out"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(
      contains(outcome.err,
               "note: 1 triplet is at places that had one before; values at the same place are added.\n"));
  EXPECT_TRUE(contains(read_text(file("out/H.tsv")), "\t\"2\"\t\"10\"\t\"302\"\n"));
  EXPECT_TRUE(contains(read_text(file("out/W.tsv")), "\n\"186\"\t"));
}

TEST_F(TripletFiles, ThatAreReadAsRowsGetANote) {
  std::string text;
  for (int line = 0; line < 200; ++line)
    text += std::to_string(line / 10 + 1) + "," + std::to_string(line % 10 + 1) + ",3\n";
  write_text(file("t.csv"), text);
  const Arguments run = {"factorize", "t.csv", "--rank", "1", "--max-iterations", "2", "--out", "out"};
  const Outcome outcome = anmf(run);
  EXPECT_TRUE(
      contains(outcome.err, "note: The matrix has only 3 columns, and the first two look like numbers of "));
  EXPECT_TRUE(contains(outcome.err, "--triplets yes does so.\n"));
  const Outcome as_triplets = anmf(run + Arguments{"--triplets", "yes"});
  EXPECT_EQ(as_triplets.err.find("look like numbers"), std::string::npos) << as_triplets.err;
  EXPECT_EQ(read_json(file("out/run.json"))["rows"], 20);
  EXPECT_EQ(read_json(file("out/run.json"))["cols"], 10);
}

TEST_F(TripletFiles, AreRefusedInOtherFiles) {
  EXPECT_TRUE(contains(complaint(3, {"info", "M.npy", "--triplets", "yes"}),
                       "is a .npy file, not text whose lines could be triplets."));
  write_text(file("t.csv"), "1,2\n3,4\n");
  EXPECT_TRUE(contains(complaint(3, {"info", "t.csv", "--triplets", "yes"}),
                       "line 1: 2 fields found, expected 3 or 4: ROW COLUMN VALUE, and perhaps a time."));
}

}  // namespace
}  // namespace anmf::test
