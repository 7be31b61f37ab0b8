// SPDX-License-Identifier: MIT
// Variants that act alike are one, however they are written; wrong ones are told so.
#include "experiments/variant.h"

#include <gtest/gtest.h>

#include "anmf/error.h"

namespace anmf::cli {
namespace {

std::string complaint_about(const std::string& text) {
  try {
    (void)parse_variant(text);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(Variant, OfTheSameBehaviourIsTheSame) {
  EXPECT_EQ(behaviour(parse_variant("mu:inner_stop=hybrid:alpha=2:epsilon=0.1")), behaviour("a-mu"));
  EXPECT_EQ(behaviour(parse_variant("hals:alpha=0.5:inner_stop=hybrid:epsilon=0.1")), behaviour("a-hals"));
  EXPECT_EQ(behaviour(parse_variant("pg:alpha=0.5:inner_stop=fixed")), behaviour("a-pg"));
  EXPECT_EQ(behaviour(parse_variant("hals:alpha=0:inner_stop=hybrid:epsilon=0.1")), behaviour("hals"));
  EXPECT_EQ(behaviour(parse_variant("mu:delta=1e-16")), behaviour("mu"));
  EXPECT_EQ(behaviour(parse_variant("hals:rho=measured")), behaviour("hals"));  // alpha 0 has no use for rho
}

TEST(Variant, OfAnotherBehaviourIsAnother) {
  EXPECT_FALSE(behaviour("hals") == behaviour("mu"));
  EXPECT_FALSE(behaviour("a-hals") == behaviour("e-a-hals"));
  EXPECT_FALSE(behaviour(parse_variant("mu:delta=0")) == behaviour("mu"));
  EXPECT_FALSE(behaviour(parse_variant("a-hals:rho=measured")) == behaviour("a-hals"));
}

TEST(Variant, IsDescribedByWhatIsInForce) {
  EXPECT_EQ(describe(behaviour("a-hals")), "alpha 0.5, epsilon 0.1");
  EXPECT_EQ(describe(behaviour("anls")), "exact half-steps");
  EXPECT_EQ(describe(behaviour("pg")), "Lin's own stop");
  EXPECT_EQ(describe(behaviour(parse_variant("mu:delta=0"))), "alpha 0, delta 0");
  EXPECT_EQ(describe(behaviour(parse_variant("hals:inner_stop=dynamic:epsilon=0.01"))),
            "dynamic, epsilon 0.01");
}

TEST(Variant, ThatIsWrongIsToldSo) {
  EXPECT_EQ(complaint_about("a-hals:alhpa=1"),
            "'alhpa' is no parameter of a method; there are alpha, epsilon, delta, inner_stop and rho.");
  EXPECT_EQ(complaint_about("a-hals:alpha=one"), "alpha = 'one' is not a number.");
  EXPECT_EQ(complaint_about("a-hals:alpha=-1"),
            "alpha = -1 is not allowed; it must be a finite number >= 0.");
  EXPECT_EQ(complaint_about("hals:inner_stop=soon"),
            "inner_stop = \"soon\" is unknown; choose one of fixed, dynamic, hybrid, block.");
  EXPECT_EQ(complaint_about("hals:rho=guessed"), "rho = \"guessed\" is unknown; choose flops or measured.");
  EXPECT_EQ(complaint_about("fast").substr(0, 28), "method = \"fast\" is unknown; ");
}

}  // namespace
}  // namespace anmf::cli
