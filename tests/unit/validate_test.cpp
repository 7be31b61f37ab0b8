// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <set>
#include <string>
#include <string_view>

#include "support/files_and_messages.h"
#include "support/problems.h"
#include "validate/entries.h"
#include "validate/options.h"

namespace anmf::test::validate_test {
namespace {

using io_test::expect_phrase;
using io_test::message_of;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Options valid() {
  Options options;
  options.rank = 2;
  return options;
}

/// A change of the options that must be refused with `name = value` and the range.
struct Refused {
  std::function<void(Options&)> change;
  std::string_view name_and_value;
  std::string_view range;
};

TEST(ValidateOptions, RefusesEveryOptionOutOfItsRangeByNameAndValue) {
  const Refused cases[] = {
      {[](Options& o) { o.rank = 0; }, "rank = 0 ", "at least 1"},
      {[](Options& o) { o.rank = -3; }, "rank = -3 ", "at least 1"},
      {[](Options& o) { o.alpha = -0.5; }, "alpha = -0.5 ", "finite number >= 0"},
      {[](Options& o) { o.alpha = kNaN; }, "alpha = nan ", "finite number >= 0"},
      {[](Options& o) { o.alpha = kInf; }, "alpha = inf ", "finite number >= 0"},
      {[](Options& o) { o.epsilon = -0.1; }, "epsilon = -0.1 ", "at least 0 and below 1"},
      {[](Options& o) { o.epsilon = 1; }, "epsilon = 1 ", "at least 0 and below 1"},
      {[](Options& o) { o.epsilon = kNaN; }, "epsilon = nan ", "at least 0 and below 1"},
      {[](Options& o) { o.delta = -1e-16; }, "delta = -1e-16 ", "finite number >= 0"},
      {[](Options& o) { o.delta = kInf; }, "delta = inf ", "finite number >= 0"},
      {[](Options& o) { o.delta = kNaN; }, "delta = nan ", "finite number >= 0"},
      {[](Options& o) { o.max_inner_iterations = 0; }, "max_inner_iterations = 0 ", "at least 1"},
      {[](Options& o) { o.max_iterations = -1; }, "max_iterations = -1 ", "at least 0"},
      {[](Options& o) { o.time_limit = -0.5; }, "time_limit = -0.5 ", "seconds >= 0"},
      {[](Options& o) { o.time_limit = kNaN; }, "time_limit = nan ", "seconds >= 0"},
      {[](Options& o) { o.tolerance = -1e-4; }, "tolerance = -0.0001 ", "finite number >= 0"},
      {[](Options& o) { o.tolerance = kNaN; }, "tolerance = nan ", "finite number >= 0"},
      {[](Options& o) { o.tolerance = kInf; }, "tolerance = inf ", "finite number >= 0"},
      {[](Options& o) { o.change_tolerance = -1; }, "change_tolerance = -1 ", "finite number >= 0"},
      {[](Options& o) { o.change_tolerance = kNaN; }, "change_tolerance = nan ", "finite number >= 0"},
      {[](Options& o) { o.alpha_W = -2; }, "alpha_W = -2 ", "finite number >= 0"},
      {[](Options& o) { o.alpha_W = kInf; }, "alpha_W = inf ", "finite number >= 0"},
      {[](Options& o) { o.alpha_H = -2; }, "alpha_H = -2 ", "finite number >= 0"},
      {[](Options& o) { o.alpha_H = kNaN; }, "alpha_H = nan ", "finite number >= 0"},
      {[](Options& o) { o.l1_ratio = -0.25; }, "l1_ratio = -0.25 ", "between 0 and 1"},
      {[](Options& o) { o.l1_ratio = 1.25; }, "l1_ratio = 1.25 ", "between 0 and 1"},
      {[](Options& o) { o.l1_ratio = kNaN; }, "l1_ratio = nan ", "between 0 and 1"},
      {[](Options& o) { o.threads = -1; }, "threads = -1 ", "between 0 (all cores) and 4096"},
      {[](Options& o) { o.threads = 4097; }, "threads = 4097 ", "between 0 (all cores) and 4096"},
  };
  for (const Refused& refused : cases) {
    Options options = valid();
    refused.change(options);

    const std::string message = message_of<InvalidInput>([&] { validate::options(options); });

    EXPECT_TRUE(message.starts_with(refused.name_and_value)) << message << "\nnot\n"
                                                             << refused.name_and_value;
    expect_phrase(message, refused.range);
  }
}

TEST(ValidateOptions, AcceptsTheEndsOfEveryRange) {
  const std::function<void(Options&)> changes[] = {
      [](Options&) {},
      [](Options& o) { o.alpha = 0; },
      [](Options& o) { o.epsilon = 0; },
      [](Options& o) { o.epsilon = std::nextafter(1.0, 0.0); },
      [](Options& o) { o.delta = 0; },
      [](Options& o) { o.max_inner_iterations = 1; },
      [](Options& o) { o.max_iterations = 0; },
      [](Options& o) { o.time_limit = 0; },
      [](Options& o) { o.time_limit = kInf; },
      [](Options& o) { o.tolerance = 0; },
      [](Options& o) { o.alpha_H = 0; },
      [](Options& o) { o.l1_ratio = 1; },
      [](Options& o) { o.threads = 4096; },
      [](Options& o) { o.seed = std::numeric_limits<std::uint64_t>::max(); },
  };
  for (const auto& change : changes) {
    Options options = valid();
    change(options);
    EXPECT_NO_THROW(validate::options(options));
  }
}

TEST(ValidateOptions, RefusesADynamicStopThatCouldNeverEnd) {
  Options options = valid();
  options.method = "hals";  // its default epsilon is 0
  options.inner_stop = InnerStopMode::dynamic;
  const std::string message = message_of<InvalidInput>([&] { validate::options(options); });
  expect_phrase(message, "epsilon = 0 ");
  expect_phrase(message, "above 0 when inner_stop is dynamic");

  options.epsilon = 0.1;
  EXPECT_NO_THROW(validate::options(options));
}

TEST(ValidateOptions, KeepsLinsStopForLinsMethod) {
  for (const Method& method : methods()) {
    Options options = valid();
    options.method = method.name;
    options.loss = loss_for(method);
    options.inner_stop = InnerStopMode::projected_gradient;
    if (method.rule.knows_gradient) {
      EXPECT_NO_THROW(validate::options(options));
      continue;
    }
    const std::string message = message_of<InvalidInput>([&] { validate::options(options); });
    expect_phrase(message, "inner_stop = projected_gradient");
    expect_phrase(message, method.name);
  }
}

TEST(ValidateOptions, BlocksBelongToTheRulesOfIndependentRows) {
  for (const char* method : {"pg", "a-pg", "anls"}) {
    Options options = valid();
    options.method = method;
    options.inner_stop = InnerStopMode::block;
    const std::string message = message_of<InvalidInput>([&] { validate::options(options); });
    expect_phrase(message, "inner_stop = block");
    expect_phrase(message, method);
  }
  for (const char* method : {"auto", "hals", "a-mu"}) {
    Options options = valid();
    options.method = method;
    options.inner_stop = InnerStopMode::block;
    EXPECT_NO_THROW(validate::options(options)) << method;
  }
}

TEST(ValidateOptions, ACompressionDoesNotGoWithMultiplicativeUpdates) {
  Options options = valid();
  options.method = "a-mu";
  options.compress = Compress::on;
  expect_phrase(message_of<InvalidInput>([&] { validate::options(options); }), "compress = on");
}

TEST(FindMethod, FindsEveryMethodByItsName) {
  std::set<std::string_view> names;
  for (const Method& method : methods()) {
    EXPECT_EQ(&find_method(method.name), &method);
    EXPECT_FALSE(method.summary.empty());
    names.insert(method.name);

    Options options = valid();
    options.method = method.name;
    options.loss = loss_for(method);
    EXPECT_NO_THROW(validate::options(options));
  }
  EXPECT_EQ(names, (std::set<std::string_view>{"mu", "a-mu", "e-a-mu", "hals", "a-hals", "e-a-hals", "pg",
                                               "a-pg", "anls", "spn", "e-spn", "ccd", "e-ccd"}));
}

TEST(FindMethod, RefusesALossThatTheMethodCannotMinimiseWithThoseThatCan) {
  Options options = valid();
  options.method = "a-hals";
  options.loss = "kl";
  EXPECT_EQ(message_of<InvalidInput>([&] { check(options); }),
            "method = \"a-hals\" cannot minimise the loss kullback-leibler; those that can are auto, e-a-mu, "
            "a-mu, mu, "
            "e-spn, spn, e-ccd and ccd.");
  options.method = "ccd";
  options.loss = "0.5";
  EXPECT_EQ(message_of<InvalidInput>([&] { check(options); }),
            "method = \"ccd\" cannot minimise the loss 0.5; those that can are auto, e-a-mu, a-mu, mu, e-spn "
            "and spn.");
  options.method = "spn";
  options.loss = "2";
  expect_phrase(message_of<InvalidInput>([&] { check(options); }), "cannot minimise the loss frobenius");
}

TEST(FindMethod, ChoosesByLossAndKindOfMatrix) {
  EXPECT_EQ(find_method("auto", 2, MatrixKind{.sparse = false}).name, "e-a-hals");
  EXPECT_EQ(find_method("auto", 1, MatrixKind{.sparse = false}).name, "e-spn");
  EXPECT_EQ(find_method("auto", 1, MatrixKind{.sparse = true}).name, "e-ccd");
  EXPECT_EQ(find_method("auto", 1.5, MatrixKind{.sparse = true}).name, "e-spn");
  EXPECT_EQ(find_method("auto", 0.5, MatrixKind{.sparse = true}).name, "e-a-mu");
  EXPECT_EQ(find_method("mu", 0.5, MatrixKind{.sparse = true}).name, "mu");
}

TEST(BetaOf, KnowsNamesAndNumbersAndRefusesTheRest) {
  EXPECT_EQ(beta_of("frobenius"), 2);
  EXPECT_EQ(beta_of("kl"), 1);
  EXPECT_EQ(beta_of("kullback-leibler"), 1);
  EXPECT_EQ(beta_of("is"), 0);
  EXPECT_EQ(beta_of("itakura-saito"), 0);
  EXPECT_EQ(beta_of("-0.5"), -0.5);
  EXPECT_EQ(loss_name(1), "kullback-leibler");
  EXPECT_EQ(loss_name(0.25), "0.25");
  for (const char* loss : {"", "KL", "1.5x", "nan", "inf", "5.5", "-6", " 1"}) {
    expect_phrase(message_of<InvalidInput>([&] { (void)beta_of(loss); }), "between -5 and 5");
  }
}

TEST(FindMethod, HasTheSettingsOfThePaper) {
  const auto expect_settings = [](std::string_view name, InnerStopMode mode, double alpha, double epsilon) {
    const InnerStop& stop = find_method(name).inner_stop;
    EXPECT_EQ(stop.mode, mode) << name;
    EXPECT_EQ(stop.alpha, alpha) << name;
    EXPECT_EQ(stop.epsilon, epsilon) << name;
  };

  expect_settings("mu", InnerStopMode::fixed, 0, 0);
  expect_settings("hals", InnerStopMode::fixed, 0, 0);
  expect_settings("a-mu", InnerStopMode::hybrid, 2, 0.1);
  expect_settings("a-hals", InnerStopMode::hybrid, 0.5, 0.1);
  expect_settings("e-a-hals", InnerStopMode::block, 1, 0.1);
  expect_settings("e-a-mu", InnerStopMode::block, 2, 0.1);
  expect_settings("a-pg", InnerStopMode::hybrid, 0.5, 0);
  expect_settings("pg", InnerStopMode::projected_gradient, 0, 0);
}

TEST(FindMethod, ListsTheNamesWhenThereIsNoSuchMethod) {
  for (const char* name : {"", "A-HALS", "a-hals ", "als"}) {
    Options options = valid();
    options.method = name;

    const std::string message = message_of<InvalidInput>([&] { validate::options(options); });

    expect_phrase(message, "method = \"" + std::string(name) + "\"");
    for (const Method& method : methods()) expect_phrase(message, method.name);
  }
}

TEST(ValidateStart, RefusesFactorsOfTheWrongShape) {
  // M is 4 x 5 and the rank 2.
  const auto message = [](const Start<double>& start) {
    return message_of<InvalidInput>([&] { validate::start(start, 4, 5, 2); });
  };

  expect_phrase(message({.W = Matrix<double>(2, 4)}), "W is 2 x 4; it must be 4 x 2");
  expect_phrase(message({.W = Matrix<double>(4, 3)}), "W is 4 x 3; it must be 4 x 2");
  expect_phrase(message({.W = Matrix<double>(0, 0)}), "W is 0 x 0; it must be 4 x 2");
  expect_phrase(message({.H = Matrix<double>(5, 2)}), "H is 5 x 2; it must be 2 x 5");
  expect_phrase(message({.W = Matrix<double>(4, 2), .H = Matrix<double>(2, 4)}),
                "H is 2 x 4; it must be 2 x 5");
}

TEST(ValidateStart, RefusesFactorsWithBadEntriesByTheirPlace) {
  const auto message = [](double value, bool in_W) {
    Start<float> start{Matrix<float>(4, 2, 1.0F), Matrix<float>(2, 5, 1.0F)};
    (in_W ? *start.W : *start.H)(1, 0) = static_cast<float>(value);
    return message_of<InvalidInput>([&] { validate::start(start, 4, 5, 2); });
  };

  expect_phrase(message(-2, true), "W[1, 0] = -2 is negative");
  expect_phrase(message(kNaN, true), "W[1, 0] = nan is not a number");
  expect_phrase(message(kInf, false), "H[1, 0] = inf is infinite");
}

TEST(ValidateStart, AcceptsFactorsOfTheRightShape) {
  EXPECT_NO_THROW(validate::start(Start<double>{}, 4, 5, 2));
  EXPECT_NO_THROW(validate::start(Start<double>{Matrix<double>(4, 2), Matrix<double>(2, 5)}, 4, 5, 2));
}

TEST(ValidateStart, RefusesARankWithWhichTheFactorsWouldOverflow) {
  const Index rank = Index{1} << 62U;

  const std::string message = message_of<InvalidInput>([&] { validate::sizes(4, 5, rank); });

  expect_phrase(message, "W is 4 x 4611686018427387904");
}

TEST(ValidateStart, RefusesFactorsOfMoreBytesThan64BitsCount) {
  const auto message = [](Index rows, Index cols, Index rank) {
    return message_of<InvalidInput>([&] { validate::sizes(rows, cols, rank); });
  };
  constexpr Index kHuge = Index{1} << 40U;

  expect_phrase(message(2 * kHuge, 5, 1'000'000),
                "W is 2199023255552 x 1000000 and H 1000000 x 5; their bytes must be below 2^63. Choose a "
                "smaller rank.");
  expect_phrase(message(kHuge, kHuge, 1'000'000), "their bytes must be below 2^63");
  EXPECT_NO_THROW(validate::sizes(kHuge, kHuge, 100'000));
}

/// Data that must not be used before everything was checked.
class Untouchable final : public Data<double> {
 public:
  explicit Untouchable(double norm) : norm_(norm) {}
  [[nodiscard]] Index rows() const override { return 4; }
  [[nodiscard]] Index cols() const override { return 5; }
  [[nodiscard]] Index nonzeros() const override { return 20; }
  [[nodiscard]] double norm() const override { return norm_; }
  void cross(Side, ConstMatrixView<double>, MatrixView<double>, ThreadPool&) const override {
    ADD_FAILURE() << "a product was computed";
  }

 private:
  double norm_;
};

TEST(Factorize, ChecksItsInputBeforeAnyWork) {
  Options bad = valid();
  bad.l1_ratio = 2;
  const Start<double> bad_start{.H = Matrix<double>(3, 5)};

  EXPECT_THROW(static_cast<void>(factorize<double>(Untouchable(1), bad)), InvalidInput);
  EXPECT_THROW(static_cast<void>(factorize<double>(Untouchable(1), valid(), bad_start)), InvalidInput);
  expect_phrase(
      message_of<InvalidInput>([] { static_cast<void>(factorize<double>(Untouchable(kInf), valid())); }),
      "||M|| = inf is not finite");
}

TEST(Factorize, RefusesWhatNoMachineHoldsBeforeAnyWork) {
  Options options = valid();
  options.rank = 1'000'000;
  const Matrix<double> ones(1, 1'000'000, 1.0);
  const Matrix<double> M(2, 1, 1.0);

  expect_phrase(
      message_of<NotEnoughMemory>([&] { static_cast<void>(factorize<double>(Untouchable(1), options)); }),
      "The factors of rank 1000000, their products with M and their Gram matrices take at least 16000 GB, "
      "and "
      "this machine has ");
  expect_phrase(
      message_of<NotEnoughMemory>([&] { static_cast<void>(nnls(ones.view(), Matrix<double>(1, 1).view())); }),
      "The normal equations in 1000000 unknowns take at least 16000 GB");
  const Matrix<double> H(1'000'000, 1, 1.0);
  expect_phrase(message_of<NotEnoughMemory>(
                    [&] { static_cast<void>(fit_rows<double>(DenseData<double>(M.view()), H.view())); }),
                "The normal equations for 1000000 components take at least 16000 GB");
}

}  // namespace
}  // namespace anmf::test::validate_test
