// SPDX-License-Identifier: MIT
// anmf factorize --rows, --columns, --negative and --header.
#include "program.h"

namespace anmf::test {
namespace {

class Selection : public ProgramTest {
 protected:
  Selection() {
    write_text(file("t.csv"), "name,a,b,c\nx,1,-2,3\ny,4,5,6\nz,7,8,-9\n");
    write_text(file("s.mtx"),
               "%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 1\n1 2 -2\n2 2 5\n3 1 7\n3 3 9\n");
    write_text(file("vocab.txt"), "a\nb\nc\n");
  }

  /// W H of a run at full rank without any stop: the matrix itself.
  [[nodiscard]] Matrix<double> factorized(const std::string& rank, const Arguments& arguments) const {
    const Outcome outcome =
        anmf(Arguments{"factorize", "--rank", rank, "--method", "anls", "--init", "nndsvda", "--tolerance",
                       "0", "--max-iterations", "3000", "--out", "out"} +
             arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    notes_ = outcome.err;
    const auto W = io::read_npy<double>(file("out/W.npy"));
    const auto H = io::read_npy<double>(file("out/H.npy"));
    Matrix<double> product(W.rows(), H.cols());
    for (Index i = 0; i < W.rows(); ++i) {
      for (Index j = 0; j < H.cols(); ++j) {
        for (Index p = 0; p < W.cols(); ++p) product(i, j) += W(i, p) * H(p, j);
      }
    }
    return product;
  }

  static void expect_near(const Matrix<double>& product, const std::vector<std::vector<double>>& expected) {
    ASSERT_EQ(product.rows(), static_cast<Index>(expected.size()));
    ASSERT_EQ(product.cols(), static_cast<Index>(expected[0].size()));
    for (Index i = 0; i < product.rows(); ++i) {
      for (Index j = 0; j < product.cols(); ++j) {
        EXPECT_NEAR(product(i, j), expected[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)], 1e-3)
            << i << ' ' << j;
      }
    }
  }

  mutable std::string notes_;
};

TEST_F(Selection, TakesZerosForNegativeEntries) {
  EXPECT_TRUE(contains(complaint(3, {"factorize", "t.csv", "--rank", "2", "--out", "out"}),
                       "t.csv: M[0, 1] = -2 is negative"));
  EXPECT_TRUE(contains(complaint(3, {"factorize", "t.csv", "--rank", "2", "--out", "out"}),
                       "--negative clip takes zeros for such entries.\n"));
  expect_near(factorized("3", {"t.csv", "--negative", "clip"}), {{1, 0, 3}, {4, 5, 6}, {7, 8, 0}});
  EXPECT_TRUE(contains(notes_, "note: 2 entries of the file are negative and taken for zero.\n"));
  expect_near(factorized("3", {"s.mtx", "--negative", "clip"}), {{1, 0, 0}, {0, 5, 0}, {7, 0, 9}});
  EXPECT_TRUE(contains(notes_, "note: 1 entry of the file is negative and taken for zero.\n"));
}

TEST_F(Selection, TakesRowsAndColumnsInTheOrderGiven) {
  expect_near(factorized("2", {"t.csv", "--negative", "clip", "--rows", "z,x", "--columns", "b,a"}),
              {{8, 7}, {0, 1}});
  EXPECT_EQ(read_text(file("out/H.tsv")).substr(0, 5), "\tb\ta\n");
  write_text(file("rows.txt"), "y\nx\n");
  expect_near(factorized("2", {"t.csv", "--negative", "clip", "--rows", "@rows.txt", "--transpose"}),
              {{4, 1}, {5, 0}, {6, 3}});
}

TEST_F(Selection, KnowsNamesBesideASparseFile) {
  expect_near(factorized("2", {"s.mtx", "--negative", "clip", "--columns", "c,b"}), {{0, 0}, {0, 5}, {9, 0}});
  EXPECT_EQ(read_text(file("out/H.tsv")).substr(0, 5), "\tc\tb\n");
}

TEST_F(Selection, RefusesNamesThatAreNotThere) {
  const auto refused = [&](const Arguments& selection) {
    return complaint(
        2, Arguments{"factorize", "t.csv", "--rank", "1", "--negative", "clip", "--out", "out"} + selection);
  };
  EXPECT_EQ(refused({"--rows", "x,q"}), "anmf: --rows: 'q' is not among the 3 names in 't.csv'.\n");
  EXPECT_EQ(refused({"--columns", "a,a"}), "anmf: --columns: 'a' is asked for twice.\n");
  EXPECT_EQ(complaint(2, {"factorize", "M.npy", "--rank", "1", "--out", "out", "--rows", "x"}),
            "anmf: --rows needs names, but 'M.npy' has none there (see anmf info).\n");
  EXPECT_EQ(complaint(3, {"factorize", "t.csv", "--negative", "clip", "--rank", "1", "--out", "out", "--rows",
                          "@none.txt"}),
            "anmf: cannot read 'none.txt', the file of --rows.\n");
  write_text(file("twice.csv"), "name,a,a\nx,1,2\n");
  EXPECT_EQ(complaint(2, {"factorize", "twice.csv", "--rank", "1", "--out", "out", "--columns", "a"}),
            "anmf: --columns: 'a' occurs more than once in 'twice.csv'.\n");
}

TEST_F(Selection, LosesNoFirstLineOfATable) {
  write_text(file("n.csv"), "1,NA,3\n4,5,6\n7,8,10\n");
  for (const Arguments& command :
       {Arguments{"info", "n.csv"}, Arguments{"convert", "n.csv", "n.npy"},
        Arguments{"factorize", "n.csv", "--rank", "1", "--out", "out"},
        Arguments{"factorize", "n.csv", "--rank", "1", "--out", "out", "--memory", "1G"},
        Arguments{"transform", "n.csv", "--components", "H.npy", "--out", "out"}}) {
    const std::string found = complaint(3, command);
    EXPECT_TRUE(contains(found, "n.csv, line 1: field 2 is 'NA' and others are numbers, so that")) << found;
    EXPECT_TRUE(contains(found, "--header yes takes it for names, --header no for entries.\n")) << found;
    EXPECT_TRUE(contains(complaint(3, command + Arguments{"--header", "no"}),
                         "n.csv, line 1: field 2 is 'NA', expected a number.\n"));
  }
  expect_near(factorized("2", {"n.csv", "--header", "yes"}), {{4, 5, 6}, {7, 8, 10}});
  expect_near(factorized("1", {"n.csv", "--header", "yes", "--columns", "NA"}), {{5}, {8}});
  EXPECT_EQ(anmf({"convert", "n.csv", "n.npy", "--header", "yes"}).exit_code, 0);
  EXPECT_EQ(io::read_npy<double>(file("n.npy")).rows(), 2);
}

TEST_F(Selection, HasAHeaderInTablesAlone) {
  const std::string sentence = "anmf: --header is for tables in text (.csv, .tsv), and 's.mtx' is none.\n";
  for (const Arguments& command :
       {Arguments{"info", "s.mtx"}, Arguments{"convert", "s.mtx", "s.npz"},
        Arguments{"factorize", "s.mtx", "--rank", "1", "--out", "out"},
        Arguments{"transform", "s.mtx", "--components", "H.npy", "--out", "out"}}) {
    EXPECT_TRUE(contains(complaint(2, command + Arguments{"--header", "yes"}), sentence));
  }
}

}  // namespace
}  // namespace anmf::test
