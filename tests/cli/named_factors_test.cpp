// SPDX-License-Identifier: MIT
// Names of rows and columns in the results of factorize and transform.
#include <gtest/gtest.h>

#include <string>

#include "anmf/io.h"
#include "program.h"

namespace anmf::test {
namespace {

constexpr const char* kColours = "\tred\tgreen\tblue\n\"one, two\"\t5\t0\t2\nthree\t0\t4\t1\nfour\t1\t1\t1\n";

class NamedFactors : public ProgramTest {
 protected:
  NamedFactors() { write_text(file("m.tsv"), kColours); }

  void factorize(const std::string& in, const std::string& out, const Arguments& further = {}) const {
    const Outcome outcome = anmf(Arguments{"factorize", in, "--rank", "2", "--out", out} + further);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  [[nodiscard]] bool exists(const std::string& name) const { return std::filesystem::exists(file(name)); }
};

TEST_F(NamedFactors, AreTheFactorsWithLabels) {
  factorize("m.tsv", "out");

  const auto W = io::read_table<double>(file("out/W.tsv"));
  const auto H = io::read_table<double>(file("out/H.tsv"));
  EXPECT_EQ(W.matrix, io::read_npy<double>(file("out/W.npy")));
  EXPECT_EQ(H.matrix, io::read_npy<double>(file("out/H.npy")));
  EXPECT_EQ(W.row_names, (std::vector<std::string>{"one, two", "three", "four"}));
  EXPECT_EQ(W.col_names, (std::vector<std::string>{"component_1", "component_2"}));
  EXPECT_EQ(H.row_names, W.col_names);
  EXPECT_EQ(H.col_names, (std::vector<std::string>{"red", "green", "blue"}));
}

TEST_F(NamedFactors, ChangeSidesWithTheTranspose) {
  factorize("m.tsv", "out", {"--transpose"});

  EXPECT_EQ(io::read_table<double>(file("out/W.tsv")).row_names,
            (std::vector<std::string>{"red", "green", "blue"}));
  EXPECT_EQ(io::read_table<double>(file("out/H.tsv")).col_names,
            (std::vector<std::string>{"one, two", "three", "four"}));
}

// With W = I the factor H is M itself, so that the list can be written down.
TEST_F(NamedFactors, ListTheStrongestFeatures) {
  write_text(file("t.csv"), "apple,pear,plum,fig\n6,0,3,1\n2,2,0,4\n");
  write_text(file("W0.csv"), "1,0\n0,1\n");
  write_text(file("H0.csv"), "6,0,3,1\n2,2,0,4\n");
  const Arguments start = {"--init-w", "W0.csv", "--init-h", "H0.csv", "--max-iterations", "0"};

  factorize("t.csv", "all", start);
  factorize("t.csv", "two", start + Arguments{"--top", "2"});

  EXPECT_EQ(read_text(file("all/top.tsv")),
            "component\trank\tfeature\tweight\tshare\tparticular\n"
            "1\t1\tapple\t6\t0.6\t0.206904\n1\t2\tplum\t3\t0.3\t0.207944\n1\t3\tfig\t1\t0.1\t-0.109861\n"
            "2\t1\tfig\t4\t0.5\t0.255413\n2\t2\tapple\t2\t0.25\t-0.132657\n2\t3\tpear\t2\t0.25\t0.173287\n");
  EXPECT_EQ(read_text(file("two/top.tsv")),
            "component\trank\tfeature\tweight\tshare\tparticular\n"
            "1\t1\tapple\t6\t0.6\t0.206904\n1\t2\tplum\t3\t0.3\t0.207944\n"
            "2\t1\tfig\t4\t0.5\t0.255413\n2\t2\tapple\t2\t0.25\t-0.132657\n");
  EXPECT_FALSE(exists("all/W.tsv"));  // the rows have no names
}

TEST_F(NamedFactors, TakeAFileOfFeatureNames) {
  write_text(file("names.tsv"), "A\tfirst\nB\tsecond\nC\xff\tthird\n");
  factorize("m.tsv", "out", {"--feature-names", "names.tsv"});
  factorize("m.tsv", "rows", {"--feature-names", "names.tsv", "--transpose"});

  EXPECT_EQ(io::read_table<double>(file("out/H.tsv")).col_names, (std::vector<std::string>{"A", "B", "C?"}));
  // They name the columns of the file, which are the rows of M then.
  EXPECT_EQ(io::read_table<double>(file("rows/W.tsv")).row_names, (std::vector<std::string>{"A", "B", "C?"}));
  EXPECT_TRUE(contains(read_text(file("rows/top.tsv")), "\tA\t"));
}

TEST_F(NamedFactors, OfAnEarlierRunGoAway) {
  EXPECT_EQ(anmf({"convert", "m.tsv", "m.h5ad"}).exit_code, 0);
  EXPECT_EQ(anmf({"convert", "m.tsv", "m.npy"}).exit_code, 0);
  factorize("m.h5ad", "out");
  for (const char* name : {"W.tsv", "H.tsv", "top.tsv", "factors.h5ad"})
    EXPECT_TRUE(exists(std::string("out/") + name)) << name;

  factorize("m.npy", "out");

  for (const char* name : {"W.tsv", "H.tsv", "top.tsv", "factors.h5ad"})
    EXPECT_FALSE(exists(std::string("out/") + name)) << name;
}

TEST_F(NamedFactors, OfAnAnnDataFileComeAsOne) {
  EXPECT_EQ(anmf({"convert", "m.tsv", "m.h5ad"}).exit_code, 0);
  factorize("m.h5ad", "plain");
  factorize("m.h5ad", "turned", {"--transpose"});

  const auto read = [&](const std::string& where) { return io::load<double>(file(where)); };
  const auto entries = [&](const std::string& where) {
    const auto loaded = read(where);
    const auto view = std::get<ConstMatrixView<double>>(loaded.dense);
    Matrix<double> copy(view.rows, view.cols);
    std::copy_n(view.data, view.rows * view.cols, copy.data());
    return copy;
  };
  EXPECT_EQ(entries("plain/factors.h5ad::obsm/X_nmf"), io::read_npy<double>(file("plain/W.npy")));
  EXPECT_EQ(transposed(entries("plain/factors.h5ad::varm/nmf")), io::read_npy<double>(file("plain/H.npy")));
  EXPECT_EQ(transposed(entries("turned/factors.h5ad::obsm/X_nmf")),
            io::read_npy<double>(file("turned/H.npy")));
  EXPECT_EQ(entries("turned/factors.h5ad::varm/nmf"), io::read_npy<double>(file("turned/W.npy")));
}

TEST_F(NamedFactors, OfNewRowsHaveTheirNames) {
  factorize("m.tsv", "out");
  write_text(file("new.csv"), ",red,green,blue\nfive,1,2,3\n");

  const Outcome outcome = anmf({"transform", "new.csv", "--components", "out/H.npy", "--out", "fit"});

  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "W.npy, run.json, W.tsv"));
  const auto W = io::read_table<double>(file("fit/W.tsv"));
  EXPECT_EQ(W.row_names, std::vector<std::string>{"five"});
  EXPECT_EQ(W.matrix, io::read_npy<double>(file("fit/W.npy")));
  EXPECT_FALSE(exists("fit/H.tsv"));
}

}  // namespace
}  // namespace anmf::test
