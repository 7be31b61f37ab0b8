// SPDX-License-Identifier: MIT
#include "engine_options.h"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "anmf/error.h"
#include "option_helpers.h"

namespace anmf::cli {
namespace {

/// "NAME SUMMARY" of every method, one a line.
std::string method_help(const Options& options) {
  std::string help = fmt::format("How to factorize (default {}):", options.method);
  help +=
      fmt::format("\n  {:<8} {}, begun on a compression where that pays", "auto", find_method("auto").name);
  for (const Method& method : methods()) help += fmt::format("\n  {:<8} {}", method.name, method.summary);
  return help;
}

void add_model(CLI::App& app, Options& options) {
  add_number(app, "--rank", options.rank, Range<Index>{.low = 1}, "Number of components", "")->required();
  auto choose_method = [&options](const std::string& name) {
    try {
      (void)find_method(name);
      options.method = name;
    } catch (const InvalidInput& error) {
      throw CLI::ValidationError("--method", error.what());
    }
  };
  std::vector<std::string> names = {"auto"};
  for (const Method& method : methods()) names.emplace_back(method.name);
  set_words(*add_text(app, "--method", choose_method, method_help(options), "NAME"), std::move(names));
  add_number(app, "--seed", options.seed, Range<std::uint64_t>{}, "Seed of the random start",
             fmt::to_string(options.seed));
  std::vector<std::pair<std::string, Init>> inits;
  for (const Init init :
       {Init::scaled_random, Init::random, Init::nndsvd, Init::nndsvda, Init::nndsvdar, Init::spa}) {
    inits.emplace_back(to_string(init), init);
  }
  add_choice<Init>(app, "--init", options.init, std::move(inits),
                   fmt::format("How to make the factors to start from: random numbers, singular vectors, or "
                               "columns of the matrix (default {})",
                               to_string(options.init)))
      ->type_name("NAME");
  add_choice<Compress>(app, "--compress", options.compress,
                       {{"auto", Compress::automatic}, {"on", Compress::on}, {"off", Compress::off}},
                       fmt::format("Begin on a randomised compression of the matrix, with cheap products "
                                   "(default {}: with method auto, for large dense matrices)",
                                   to_string(options.compress)));
  add_choice<Explore>(app, "--explore", options.explore,
                      {{"auto", Explore::automatic}, {"on", Explore::on}, {"off", Explore::off}},
                      fmt::format("Look for a lower minimum once the run has settled, as long as it is not "
                                  "asked to stop (default {}: with method auto)",
                                  to_string(options.explore)));
  add_choice<anmf::Side>(app, "--first", options.first, {{"W", anmf::Side::W}, {"H", anmf::Side::H}},
                         "The factor that every iteration improves first (default W)");
  add_number(app, "--threads", options.threads, Range<int>{.high = 4096},
             "Threads; the result does not depend on it", "0: every core");
}

void add_stopping(CLI::App& app, Options& options) {
  const std::string group = "When to stop";
  add_number(app, "--max-iterations", options.max_iterations, Range<Index>{},
             "Stop after so many outer iterations", fmt::to_string(options.max_iterations))
      ->group(group);
  add_number(app, "--time-limit", options.time_limit, Range<double>{.high = kInfinity},
             "Stop after so many seconds of solver time", "none")
      ->group(group);
  add_number(
      app, "--tolerance", options.tolerance, Range<double>{},
      "Stop when the projected gradient has fallen to this multiple of its norm at the start, 0: never",
      fmt::to_string(options.tolerance))
      ->group(group);
  add_number(app, "--change-tolerance", options.change_tolerance, Range<double>{},
             "Stop when an iteration lowers the root of the objective by at most this multiple of itself, "
             "0: never",
             fmt::to_string(options.change_tolerance))
      ->group(group);
}

void add_inner_iterations(CLI::App& app, Options& options) {
  const std::string group = "Inner iterations";
  add_number(app, "--alpha", options.alpha, Range<double>{},
             "Share of the cost of the products to spend on further inner iterations", "by method")
      ->group(group);
  add_number(app, "--epsilon", options.epsilon, Range<double>{.high = 1, .high_open = true},
             "End inner iterations when a step is at most this multiple of the first, 0: never", "by method")
      ->group(group);
  add_number(app, "--delta", options.delta, Range<double>{},
             "Smallest entry that mu, a-mu and e-a-mu keep; 0 is Lee and Seung's update",
             "1e-16 for float64, 1e-12 for float32")
      ->group(group);
  add_choice<InnerStopMode>(app, "--inner-stop", options.inner_stop,
                            {{"fixed", InnerStopMode::fixed},
                             {"dynamic", InnerStopMode::dynamic},
                             {"hybrid", InnerStopMode::hybrid},
                             {"block", InnerStopMode::block}},
                            "End inner iterations by alpha, by epsilon, by whichever comes first, or the "
                            "last for every block of rows on its own (default by method)")
      ->group(group);
  add_choice<RhoSource>(app, "--rho", options.rho,
                        {{"flops", RhoSource::flops}, {"measured", RhoSource::measured}},
                        fmt::format("Cost of the products relative to one inner iteration: counted (the same "
                                    "on every machine) or timed (default {})",
                                    to_string(options.rho)))
      ->group(group);
  app.add_flag("--shuffle", options.shuffle,
               wrapped("Visit the components in a new random order in every half-step; for hals, a-hals and "
                       "e-a-hals (default: in their order)"))
      ->group(group);
  app.add_flag("--revive,!--no-revive", options.revive,
               wrapped("Give a component that has become zero a tiny value, from which it can come back; for "
                       "hals and anls (default: yes)"))
      ->group(group);
  add_number(app, "--max-inner-iterations", options.max_inner_iterations, Range<Index>{.low = 1},
             "Cap on inner iterations where the rule itself has none (dynamic, pg)",
             fmt::to_string(options.max_inner_iterations))
      ->group(group);
}

void add_penalties(CLI::App& app, Options& options) {
  const std::string group = "Penalties and form of the result";
  add_number(app, "--alpha-w", options.alpha_W, Range<double>{},
             "Weight of the penalty on W, as in scikit-learn", fmt::to_string(options.alpha_W))
      ->group(group);
  add_number(app, "--alpha-h", options.alpha_H, Range<double>{}, "Weight of the penalty on H",
             "that of --alpha-w")
      ->group(group);
  add_number(app, "--l1-ratio", options.l1_ratio, Range<double>{.high = 1},
             "Share of the sum of the entries in the penalty; the rest is half their squares",
             fmt::to_string(options.l1_ratio))
      ->group(group);
  add_choice<Normalize>(
      app, "--normalize", options.normalize,
      {{"none", Normalize::none}, {"l1", Normalize::l1}, {"l2", Normalize::l2}, {"max", Normalize::max}},
      fmt::format("Scale columns of W and rows of H to norm 1; the scale goes to run.json "
                  "(default {})",
                  to_string(options.normalize)))
      ->group(group);
  app.add_flag("--sort-components", options.sort_components,
               wrapped("Sort components by energy, largest first (default: they keep their place)"))
      ->group(group);
}

}  // namespace

void add_engine_options(CLI::App& app, Options& options) {
  add_model(app, options);
  add_stopping(app, options);
  add_inner_iterations(app, options);
  add_penalties(app, options);
}

}  // namespace anmf::cli
