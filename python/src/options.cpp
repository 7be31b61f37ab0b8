// SPDX-License-Identifier: MIT
// Options as Python sees them: the same names as in C++ and on the command line, enumerations as words.
#include "options.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "anmf/error.h"

namespace anmf::python {
namespace {

template <class E, std::size_t N>
E from_word(std::string_view option, const std::array<E, N>& values, const std::string& word) {
  std::string words;
  for (const E value : values) {
    if (to_string(value) == word) return value;
    if (!words.empty()) words += ", ";
    words += '"';
    words += to_string(value);
    words += '"';
  }
  throw InvalidInput(std::string(option) + " = \"" + word + "\" is unknown; choose one of " + words + ".");
}

// Lin's own rule belongs to pg and cannot be asked for.
constexpr std::array kInnerStops = {InnerStopMode::fixed, InnerStopMode::dynamic, InnerStopMode::hybrid,
                                    InnerStopMode::block};
constexpr std::array kRhos = {RhoSource::flops, RhoSource::measured};
constexpr std::array kNormalizes = {Normalize::none, Normalize::l1, Normalize::l2, Normalize::max};
constexpr std::array kCompresses = {Compress::automatic, Compress::off, Compress::on};
constexpr std::array kExplores = {Explore::automatic, Explore::off, Explore::on};

/// A property that is a word in Python and an enumeration in C++.
template <class E, std::size_t N>
void def_word(nb::class_<Options>& options, const char* name, E Options::* member,
              const std::array<E, N>& values) {
  options.def_prop_rw(
      name, [member](const Options& o) { return std::string(to_string(o.*member)); },
      [member, name, values](Options& o, const std::string& word) {
        o.*member = from_word(name, values, word);
      });
}

}  // namespace

void bind_options(nb::module_& module) {
  nb::class_<Options> options(module, "Options");
  options.def(nb::init<>())
      .def_rw("rank", &Options::rank)
      .def_rw("method", &Options::method)
      .def_rw("alpha", &Options::alpha, nb::arg().none())
      .def_rw("epsilon", &Options::epsilon, nb::arg().none())
      .def_rw("delta", &Options::delta, nb::arg().none())
      .def_rw("max_inner_iterations", &Options::max_inner_iterations)
      .def_rw("seed", &Options::seed)
      .def_rw("shuffle", &Options::shuffle)
      .def_rw("revive", &Options::revive)
      .def_rw("max_iterations", &Options::max_iterations)
      .def_rw("time_limit", &Options::time_limit)
      .def_rw("tolerance", &Options::tolerance)
      .def_rw("change_tolerance", &Options::change_tolerance)
      .def_rw("alpha_W", &Options::alpha_W)
      .def_rw("alpha_H", &Options::alpha_H, nb::arg().none())
      .def_rw("l1_ratio", &Options::l1_ratio)
      .def_rw("sort_components", &Options::sort_components)
      .def_rw("threads", &Options::threads)
      .def_prop_rw(
          "inner_stop",
          [](const Options& o) {
            return o.inner_stop ? std::optional(std::string(to_string(*o.inner_stop))) : std::nullopt;
          },
          [](Options& o, const nb::object& word) {
            o.inner_stop.reset();
            if (!word.is_none()) {
              o.inner_stop = from_word("inner_stop", kInnerStops, nb::cast<std::string>(word));
            }
          },
          nb::arg().none());
  def_word(options, "rho", &Options::rho, kRhos);
  def_word(options, "normalize", &Options::normalize, kNormalizes);
  def_word(options, "compress", &Options::compress, kCompresses);
  def_word(options, "explore", &Options::explore, kExplores);
  def_word(options, "init", &Options::init, kInits);
  options.def_prop_rw(
      "first", [](const Options& o) { return o.first == Side::W ? "W" : "H"; },
      [](Options& o, const std::string& side) {
        if (side != "W" && side != "H") {
          throw InvalidInput("first = \"" + side + R"(" is unknown; choose one of "W", "H".)");
        }
        o.first = side == "W" ? Side::W : Side::H;
      });
  module.def("methods", [] {
    std::vector<std::string> names;
    for (const Method& method : methods()) names.emplace_back(method.name);
    return names;
  });
}

Init init_from_word(const std::string& word) { return from_word("init", kInits, word); }

}  // namespace anmf::python
