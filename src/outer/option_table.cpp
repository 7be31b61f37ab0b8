// SPDX-License-Identifier: MIT
#include "anmf/option_table.h"

#include <fmt/format.h>

#include <array>

#include "anmf/error.h"
#include "outer/option_words.h"

namespace anmf {
namespace {

constexpr std::string_view kModelGroup;
constexpr std::string_view kStoppingGroup = "When to stop";
constexpr std::string_view kInnerGroup = "Inner iterations";
constexpr std::string_view kFormGroup = "Penalties and form of the result";

/// Not a part of what a run is: it may be another where the run goes on.
constexpr std::string_view kMayChange;

constexpr OptionRange kAny;
constexpr OptionRange kAtLeastZero{.low = 0, .words = "at least 0"};
constexpr OptionRange kAtLeastOne{.low = 1, .words = "at least 1"};
constexpr OptionRange kAtMostHalf{.low = 0, .high = 0.5, .words = "between 0 and 0.5"};
constexpr OptionRange kNonnegative{.low = 0, .words = "a finite number >= 0"};
constexpr OptionRange kShare{.low = 0, .high = 1, .words = "between 0 and 1"};
constexpr OptionRange kBelowOne{.low = 0, .high = 1, .high_open = true, .words = "at least 0 and below 1"};
constexpr OptionRange kSeconds{
    .low = 0, .high = std::numeric_limits<double>::infinity(), .words = "a number of seconds >= 0"};
// The Gram matrix of the largest rank alone would take 8 TB.
constexpr OptionRange kRanks{.low = 1, .high = 1'000'000, .words = "at least 1 and at most 1000000"};
constexpr OptionRange kThreads{.low = 0, .high = 4096, .words = "between 0 (all cores) and 4096"};

// Name and member, group of the help, name in a run's identity; range, note on the default; help.
constexpr std::array kOptions = {
    OptionInfo{"rank", &Options::rank, kModelGroup, "rank",  //
               kRanks, "",                                   //
               "Number of components"},
    OptionInfo{"method", &Options::method, kModelGroup, "method",  //
               kAny, "",                                           //
               "How to factorize"},
    OptionInfo{"loss", &Options::loss, kModelGroup, "loss",  //
               kAny, "",                                     //
               "What to minimise: frobenius, kullback-leibler (kl), itakura-saito (is), or the number beta"},
    OptionInfo{"seed", &Options::seed, kModelGroup, "seed",  //
               kAtLeastZero, "",                             //
               "Seed of the random start"},
    OptionInfo{
        "init", word_member<&Options::init>(), kModelGroup, kMayChange,  //
        kAny, "",                                                        //
        "How to make the factors to start from: random numbers, singular vectors, or columns of the matrix"},
    OptionInfo{"compress", word_member<&Options::compress>(), kModelGroup, kMayChange,  //
               kAny, "with method auto, for large dense matrices",                      //
               "Begin on a randomised compression of the matrix, with cheap products"},
    OptionInfo{"explore", word_member<&Options::explore>(), kModelGroup, "explore",  //
               kAny, "with method auto",                                             //
               "Look for a lower minimum once the run has settled, as long as it is not asked to stop"},
    OptionInfo{"first", word_member<&Options::first>(), kModelGroup, "first factor",  //
               kAny, "",                                                              //
               "The factor that every iteration improves first"},
    OptionInfo{"heldout", &Options::heldout, kModelGroup, "heldout",  //
               kAtMostHalf, "none",                                   //
               "Share of the entries that the run does not see and is judged by"},
    OptionInfo{"heldout_seed", &Options::heldout_seed, kModelGroup, "seed of heldout",  //
               kAtLeastZero, "",                                                        //
               "Seed of the choice of these entries, the same ones for every rank"},
    OptionInfo{"threads", &Options::threads, kModelGroup, kMayChange,  //
               kThreads, "every core",                                 //
               "Threads; the result does not depend on it"},
    OptionInfo{"max_iterations", &Options::max_iterations, kStoppingGroup, kMayChange,  //
               kAtLeastZero, "",                                                        //
               "Stop after so many outer iterations"},
    OptionInfo{"time_limit", &Options::time_limit, kStoppingGroup, kMayChange,  //
               kSeconds, "none",                                                //
               "Stop after so many seconds of solver time"},
    OptionInfo{"tolerance", &Options::tolerance, kStoppingGroup, kMayChange,  //
               kNonnegative, "",                                              //
               "Stop when the measure of --stop-rule is at most this, 0: never"},
    OptionInfo{"stop_rule", word_member<&Options::stop_rule>(), kStoppingGroup, kMayChange,  //
               kAny, "",                                                                     //
               "What the tolerance is for: the share of the objective that another pass promises to take "
               "off, or the "
               "projected gradient relative to the start"},
    OptionInfo{"change_tolerance", &Options::change_tolerance, kStoppingGroup, kMayChange,  //
               kNonnegative, "",                                                            //
               "Stop when an iteration lowers the root of the objective by at most this multiple of itself, "
               "0: never"},
    OptionInfo{"alpha", &Options::alpha, kInnerGroup, "alpha",  //
               kNonnegative, "by method",                       //
               "Share of the cost of the products to spend on further inner iterations"},
    OptionInfo{"epsilon", &Options::epsilon, kInnerGroup, "epsilon",  //
               kBelowOne, "by method",                                //
               "End inner iterations when a step is at most this multiple of the first, 0: never"},
    OptionInfo{"delta", &Options::delta, kInnerGroup, "delta",        //
               kNonnegative, "1e-16 for float64, 1e-12 for float32",  //
               "Smallest entry that mu, a-mu and e-a-mu keep; 0 is Lee and Seung's update"},
    OptionInfo{"inner_stop", word_member<&Options::inner_stop>(), kInnerGroup, "inner stop",  //
               kAny, "by method",                                                             //
               "End inner iterations by alpha, by epsilon, by whichever comes first, or the last for every "
               "block of rows on its own"},
    OptionInfo{
        "rho", word_member<&Options::rho>(), kInnerGroup, "rho",  //
        kAny, "",                                                 //
        "Cost of the products relative to one inner iteration: counted (the same on every machine) or timed"},
    OptionInfo{
        "shuffle", &Options::shuffle, kInnerGroup, "shuffle",  //
        kAny, "in their order",                                //
        "Visit the components in a new random order in every half-step; for hals, a-hals and e-a-hals"},
    OptionInfo{
        "revive", &Options::revive, kInnerGroup, "revive",  //
        kAny, "yes",                                        //
        "Give a component that has become zero a tiny value, from which it can come back; for hals and anls"},
    OptionInfo{"max_inner_iterations", &Options::max_inner_iterations, kInnerGroup,
               "limit of inner iterations",  //
               kAtLeastOne, "",              //
               "Cap on inner iterations where the rule itself has none (dynamic, pg)"},
    OptionInfo{"alpha_W", &Options::alpha_W, kFormGroup, "alpha_W",  //
               kNonnegative, "",                                     //
               "Weight of the penalty on W, as in scikit-learn"},
    OptionInfo{"alpha_H", &Options::alpha_H, kFormGroup, "alpha_H",  //
               kNonnegative, "that of W",                            //
               "Weight of the penalty on H"},
    OptionInfo{"l1_ratio", &Options::l1_ratio, kFormGroup, "l1_ratio",  //
               kShare, "",                                              //
               "Share of the sum of the entries in the penalty; the rest is half their squares"},
    OptionInfo{"normalize", word_member<&Options::normalize>(), kFormGroup, kMayChange,  //
               kAny, "",                                                                 //
               "Scale columns of W and rows of H to norm 1; the scale goes to run.json"},
    OptionInfo{"sort_components", &Options::sort_components, kFormGroup, kMayChange,  //
               kAny, "they keep their place",                                         //
               "Sort components by energy, largest first"},
};

template <class Value>
std::string text_of(const Value& value) {
  return fmt::format("{}", value);
}

template <class Value>
std::string text_of(const std::optional<Value>& value) {
  return value ? text_of(*value) : std::string();
}

}  // namespace

std::span<const OptionInfo> option_table() { return kOptions; }

const OptionInfo& find_option(std::string_view name) {
  for (const OptionInfo& option : kOptions) {
    if (option.name == name) return option;
  }
  throw InvalidInput(fmt::format("There is no option '{}'.", name));
}

std::string OptionInfo::key() const {
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::span<const std::string_view> OptionInfo::words() const {
  const auto* const word = std::get_if<WordMember>(&member);
  return word == nullptr ? std::span<const std::string_view>() : word->words;
}

void set_word(Options& options, const OptionInfo& option, std::optional<std::string_view> word) {
  if (std::get<WordMember>(option.member).set(options, word)) return;
  throw InvalidInput(fmt::format(R"({} = "{}" is unknown; choose one of "{}".)", option.name,
                                 word.value_or(""), fmt::join(option.words(), R"(", ")")));
}

std::string to_text(const OptionInfo& option, const Options& options) {
  return with_value(option, options, [](const auto& value) { return text_of(value); });
}

std::string default_text(const OptionInfo& option) {
  std::string value = to_text(option, Options{});
  if (option.default_note.empty()) return value;
  const bool is_flag = std::holds_alternative<bool Options::*>(option.member);
  const bool telling = !value.empty() && value != "inf" && !is_flag;
  return telling ? fmt::format("{}: {}", value, option.default_note) : std::string(option.default_note);
}

Options in_force(Options options, const EffectiveOptions& effective) {
  options.method = effective.method;
  options.loss = loss_name(beta_of(options.loss));
  options.inner_stop = effective.inner_stop.mode;
  options.alpha = effective.inner_stop.alpha;
  options.epsilon = effective.inner_stop.epsilon;
  options.delta = effective.delta;
  options.alpha_H = effective.alpha_H;
  options.threads = effective.threads;
  return options;
}

std::string_view to_string(InnerStopMode mode) { return word_of(mode); }
std::string_view to_string(RhoSource source) { return word_of(source); }
std::string_view to_string(StopRule rule) { return word_of(rule); }
std::string_view to_string(Normalize normalize) { return word_of(normalize); }
std::string_view to_string(Compress compress) { return word_of(compress); }
std::string_view to_string(Explore explore) { return word_of(explore); }
std::string_view to_string(Init init) { return word_of(init); }

}  // namespace anmf
