// SPDX-License-Identifier: MIT
#include "program.h"

namespace {

int run(int argc, char** argv) {
  using namespace anmf::cli;
  const Program program = {.name = "anmf", .add_commands = [](CLI::App& app) -> std::vector<Command> {
                             return {add_factorize(app), add_survey(app),     add_consensus(app),
                                     add_transform(app), add_predict(app),    add_info(app),
                                     add_convert(app),   add_compare(app),    add_reproduce(app),
                                     add_demo(app),      add_completion(app), add_manual(app)};
                           }};
  return run_program(program, argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (...) {  // not even the options could be set up, or stderr is gone
    return static_cast<int>(anmf::cli::ExitCode::bug);
  }
}
