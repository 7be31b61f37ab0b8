// SPDX-License-Identifier: MIT
// anmf survey: many starts of many ranks over one matrix, in a folder that goes on where it was.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "anmf/parallel.h"
#include "command.h"
#include "command_line.h"
#include "failure.h"
#include "interrupt.h"
#include "output_folder.h"
#include "rank_list.h"
#include "report.h"
#include "run_folder.h"
#include "survey_dry_run.h"
#include "survey_files.h"
#include "survey_folder.h"
#include "survey_input.h"
#include "survey_options.h"
#include "survey_progress.h"
#include "survey_summary.h"
#include "survey_team.h"

namespace anmf::cli {
namespace {

/// Whatever a store cannot write is a matter of the output, and never loses what it has.
template <class Body>
decltype(auto) while_stored(const SurveyArguments& arguments, const Body& body) {
  return in_phase(ExitCode::usage, [&] {
    try {
      return body();
    } catch (const IoError& error) {
      throw Failure(
          ExitCode::output,
          fmt::format("{} All jobs that were made before are kept: anmf survey --resume {} goes on.",
                      error.what(), arguments.out));
    }
  });
}

template <class T>
class SurveyRun {
 public:
  SurveyRun(SurveyArguments& arguments, SurveyTeam& team) : arguments_(arguments), team_(team) {}

  ExitCode run() {
    check_survey_options(arguments_);
    arguments_.options.job.threads = team_.threads(arguments_.options.job.threads);
    if (arguments_.dry_run) {
      if (team_.leads()) print_survey_needs(arguments_, open_survey_matrix<T>(arguments_));
      return ExitCode::done;
    }
    std::optional<OutputFolder> room;  // better to learn before reading whether there is a folder to write to
    team_.together([&] { expect_folder(room); });
    std::optional<SurveyMatrix<T>> matrix;
    team_.together([&] {
      matrix.emplace(open_survey_matrix<T>(arguments_));
      in_phase(ExitCode::usage, [&] { check_survey(matrix->data(), arguments_.options); });
    });
    std::optional<report::SurveyFolder<T>> store;
    // NOLINTBEGIN(bugprone-unchecked-optional-access): together() has made them, or has thrown
    open_store(*matrix, store);
    keep_from_here();
    const bool stopped = make(*matrix, *store);
    ExitCode code = ExitCode::done;
    team_.together([&] {
      if (!team_.leads()) return;
      code = arguments_.part ? end_part(*arguments_.part, stopped) : sum_up(*matrix, *store, stopped);
    });
    // NOLINTEND(bugprone-unchecked-optional-access)
    return static_cast<ExitCode>(team_.from_leader(static_cast<int>(code)));
  }

 private:
  void expect_folder(std::optional<OutputFolder>& room) {
    in_phase(ExitCode::output, [&] { report::expect_survey_or_nothing(arguments_.out); });
    if (team_.leads()) room.emplace(arguments_.out, std::vector<std::string_view>{report::kSurveySettings});
    join_ranks(arguments_.out, arguments_.options.ranks);
  }

  void open_store(const SurveyMatrix<T>& matrix, std::optional<report::SurveyFolder<T>>& store) {
    const SurveyOptions& options = arguments_.options;
    const auto open = [&] {
      while_stored(arguments_, [&] { store.emplace(arguments_.out, folder_settings(arguments_, matrix)); });
    };
    team_.together([&] {
      if (!team_.leads()) return;
      open();
      while_stored(arguments_,
                   [&] { write_survey_settings(arguments_.out, arguments_.settings, options.ranks); });
    });
    team_.together([&] {
      if (!team_.leads()) open();
    });
  }

  /// True if a signal ended it.
  bool make(const SurveyMatrix<T>& matrix, report::SurveyFolder<T>& store) {
    SurveyLine<T> line(!arguments_.quiet && team_.leads(), [this](bool ended) { team_.attend(ended); });
    TakeJob take = team_.share_jobs();
    if (const auto part = arguments_.part) {
      if (!take) take = [next = Index{0}]() mutable { return std::optional(next++); };
      take = [one = std::move(take), part]() -> std::optional<Index> {
        const auto place = one();
        return place ? std::optional(part->number - 1 + *place * part->count) : std::nullopt;
      };
    }
    team_.together([&] {
      while_stored(arguments_, [&] { make_jobs(matrix.data(), arguments_.options, store, &line, take); });
    });
    made_ = line.made();
    return team_.any(interrupt_requested());
  }

  [[nodiscard]] ExitCode end_part(const SurveyPart& part, bool stopped) const {
    if (!arguments_.quiet && !arguments_.json) {
      fmt::print("part {}/{}        {} jobs made{}\n", part.number, part.count, made_,
                 stopped ? "; the same command goes on" : "");
      fmt::print("when all are    anmf survey --resume {}\n", arguments_.out);
    }
    return stopped ? interrupt_code() : ExitCode::done;
  }

  ExitCode sum_up(const SurveyMatrix<T>& matrix, report::SurveyFolder<T>& store, bool stopped) {
    std::optional<report::SurveyPictures> pictures;
    if (has_report_page() && !arguments_.report.no_report) {
      pictures.emplace(arguments_.options.ranks, arguments_.options.spectra, for_report(matrix.input.labels),
                       ThreadPool(arguments_.options.job.threads).threads());
      store.set_pictures(&*pictures);
    }
    store.set_writer(write_factors_of(arguments_, matrix.input, matrix.file->location().file));
    SurveyTable table = while_stored(arguments_, [&] {
      SurveyLine<T> line(!arguments_.quiet);
      return summarize(matrix.data(), arguments_.options, store, &line);
    });
    const std::vector<std::string>& notes = matrix.input.notes;
    table.notes.insert(table.notes.begin(), notes.begin(), notes.end());
    if (table.stopped) {
      table.notes.push_back(
          fmt::format("The survey has ended before all of its jobs were made; anmf survey "
                      "--resume {} goes on with it.",
                      arguments_.out));
    }
    while_stored(arguments_,
                 [&] { store.publish(table, seconds(), survey_title(arguments_), command_line()); });
    const std::string failed = about_failed_jobs(table);
    if (!arguments_.quiet) {
      print_notes(table.notes);
      if (!failed.empty()) fmt::print(stderr, "note: {}\n", failed);
    }
    if (arguments_.json) {
      fmt::print("{}", json_text(report::read_survey_description(arguments_.out)));
    } else if (!arguments_.quiet) {
      print_survey(arguments_, table, made_);
    }
    if (stopped) return interrupt_code();
    return failed.empty() ? ExitCode::done : ExitCode::jobs_failed;
  }

  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  }

  SurveyArguments& arguments_;
  SurveyTeam& team_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Index made_ = 0;
};

}  // namespace

Command add_survey(CLI::App& program) { return add_survey(program, std::make_shared<SurveyTeam>()); }

Command add_survey(CLI::App& program, std::shared_ptr<SurveyTeam> team) {
  const auto arguments = std::make_shared<SurveyArguments>();
  CLI::App* app =
      program.add_subcommand("survey", "Factorize with many ranks and starts: which rank, how stable");
  add_survey_options(*app, *arguments);
  app->footer(
      "Examples:\n"
      "  anmf survey cells.h5ad --ranks 5-14 --starts 100 --out s\n"
      "  anmf survey counts.tsv --features rows --ranks 1-25 --resample multinomial --out signatures\n"
      "  anmf survey --resume s --ranks 15-20 --starts 200\n"
      "  anmf survey cells.h5ad --ranks 5-14 --starts 100 --out s --part 3/16\n"
      "Ctrl-C, SIGTERM and SIGUSR1 abandon the jobs under way; what is there is summed up, and --resume goes "
      "on.");
  return {app, [arguments, app, team] {
            arguments->settings = survey_settings(*app);
            if (arguments->precision == Precision::float32) return SurveyRun<float>(*arguments, *team).run();
            return SurveyRun<double>(*arguments, *team).run();
          }};
}

}  // namespace anmf::cli
