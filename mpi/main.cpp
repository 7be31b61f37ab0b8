// SPDX-License-Identifier: MIT
// anmf-mpi: `anmf factorize` and `anmf survey` by the ranks of an MPI job. Rank 0 prints and writes; what
// fails on any rank ends all of them with the same exit code, and is said once.
#include <fmt/format.h>
#include <mpi.h>

#include "mpi_survey_team.h"
#include "mpi_team.h"
#include "program.h"

namespace {

using namespace anmf::cli;
using anmf::mpi::Communicator;

/// The program on all ranks. All end alike: with the exit code and the message of the first that fails.
ExitCode run_on_all(const Communicator& workers, const Program::Work& work) {
  ExitCode code = ExitCode::bug;
  std::string message;
  try {
    workers.together([&] { code = work(); });
    return code;
  } catch (const Failure& failure) {
    code = failure.code();
    message = failure.what();
  } catch (const anmf::mpi::FailedElsewhere& failure) {
    message = failure.what();
  } catch (const std::exception& error) {
    message = fmt::format("unexpected error, please report it: {}", error.what());
  }
  const auto [rank, everywhere] = workers.failure().value();
  code = static_cast<ExitCode>(workers.from(rank, static_cast<int>(code)));
  if (!everywhere) message = fmt::format("on rank {} of {}: {}", rank, workers.size(), message);
  throw Failure(code, message);
}

int run(int argc, char** argv) {
  const Communicator workers(MPI_COMM_WORLD);
  const Teams teams = {.of_float = std::make_shared<anmf::mpi::MpiTeam<float>>(workers),
                       .of_double = std::make_shared<anmf::mpi::MpiTeam<double>>(workers)};
  const auto survey_team = std::make_shared<anmf::mpi::MpiSurveyTeam>(workers);
  const Program program = {.name = "anmf-mpi",
                           .add_commands = [&](CLI::App& app) -> std::vector<Command> {
                             return {add_factorize(app, teams), add_survey(app, survey_team)};
                           },
                           .run = [&](const Program::Work& work) { return run_on_all(workers, work); },
                           .together = [&](const Program::Step& step) { workers.together(step); },
                           .agree = [&](const Program::Facts& facts) { workers.agree(facts); },
                           .speaks = workers.rank() == 0};
  return run_program(program, argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
  // Threads of a rank compute; one at a time talks to the others, and in factorize always the same one.
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
  int code = static_cast<int>(ExitCode::bug);
  try {
    code = run(argc, argv);
  } catch (...) {  // not even the options could be set up, or stderr is gone
    MPI_Abort(MPI_COMM_WORLD, code);
  }
  MPI_Finalize();
  return code;
}
