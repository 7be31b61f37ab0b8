// SPDX-License-Identifier: MIT
// What shells and man know of the program is what its help says.
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <regex>
#include <set>

#include "anmf/option_table.h"
#include "anmf/trace_columns.h"
#include "program.h"

namespace anmf::test {
namespace {

std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {};
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  pclose(pipe);
  return text;
}

class Completion : public ProgramTest {
 protected:
  /// The subcommands in the help.
  [[nodiscard]] std::set<std::string> subcommands() const {
    const std::string help = anmf({"--help"}).out;
    const std::string list = help.substr(help.find("Subcommands:\n") + 13);
    std::set<std::string> names;
    const std::regex line("\n  ([a-z]+) ");
    const std::string lines = "\n" + list;
    for (std::sregex_iterator it(lines.begin(), lines.end(), line), end; it != end; ++it)
      names.insert((*it)[1]);
    return names;
  }

  [[nodiscard]] std::set<std::string> options(const std::string& subcommand) const {
    const std::string help = anmf({subcommand, "--help"}).out;
    std::set<std::string> names;
    const std::regex option("\n  (?:-[a-z],)?(--[a-z0-9-]+)");
    for (std::sregex_iterator it(help.begin(), help.end(), option), end; it != end; ++it)
      names.insert((*it)[1]);
    return names;
  }

  /// What bash offers for the last of these words.
  [[nodiscard]] std::string offered(const std::string& words) const {
    write_text(file("anmf.bash"), anmf({"completion", "bash"}).out);
    return output_of("cd '" + file("").string() + "' && bash -c 'source anmf.bash; COMP_WORDS=(" + words +
                     "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _anmf; echo \"${COMPREPLY[*]}\"'");
  }
};

TEST_F(Completion, OfBashKnowsSubcommandsOptionsWordsAndFiles) {
  EXPECT_EQ(offered("anmf fac"), "factorize\n");
  EXPECT_EQ(offered("anmf factorize --met"), "--method\n");
  EXPECT_EQ(offered("anmf factorize --method e-"), "e-a-hals e-a-mu e-spn e-ccd\n");
  EXPECT_EQ(offered("anmf factorize --normalize m"), "max\n");
  EXPECT_EQ(offered("anmf factorize M"), "M.npy\n");
  EXPECT_EQ(offered("anmf transform M.npy --components M"), "M.npy\n");
}

TEST_F(Completion, NamesEverySubcommandAndOption) {
  const std::string bash = anmf({"completion", "bash"}).out;
  const std::string zsh = anmf({"completion", "zsh"}).out;
  ASSERT_GE(subcommands().size(), 9U);
  for (const std::string& name : subcommands()) {
    EXPECT_TRUE(contains(bash, "    " + name + ")\n"));
    EXPECT_TRUE(contains(zsh, "    " + name + ")\n"));
    for (const std::string& option : options(name)) {
      EXPECT_TRUE(contains(bash, option));
      EXPECT_TRUE(contains(zsh, "'" + option));
    }
  }
  if (std::system("command -v zsh >/dev/null 2>&1") == 0) {
    write_text(file("_anmf"), zsh);
    EXPECT_EQ(std::system(("zsh -n '" + file("_anmf").string() + "'").c_str()), 0);
  }
}

TEST_F(Completion, ManualNamesEverySubcommandAndOption) {
  std::string manual = anmf({"manual"}).out;
  for (std::size_t k = manual.find("\\-"); k != std::string::npos; k = manual.find("\\-", k))
    manual.erase(k, 1);
  EXPECT_EQ(manual.substr(0, 4), ".TH ");
  for (const std::string& name : subcommands()) {
    EXPECT_TRUE(contains(manual, ".SS anmf " + name + "\n"));
    for (const std::string& option : options(name)) EXPECT_TRUE(contains(manual, option));
  }
  EXPECT_TRUE(contains(complaint(2, {"completion", "fish"}), "SHELL must be one of bash|zsh, not 'fish'"));
}

TEST_F(Completion, DocumentationNamesEverySubcommandAndOption) {
  const std::string docs = read_text(std::filesystem::path(kSource) / "docs" / "cli.md");
  for (const std::string& name : subcommands()) {
    EXPECT_TRUE(contains(docs, "anmf " + name));
    for (const std::string& option : options(name)) {
      if (option == "--help") continue;
      EXPECT_TRUE(contains(docs, "`" + option)) << name;
    }
  }
}

TEST_F(Completion, DocumentationNamesNoOptionThatIsNotThere) {
  std::set<std::string> known = {"--no-revive", "--install"};  // beside --revive; cmake's
  for (const std::string& name : subcommands()) known.merge(options(name));
  for (const char* page : {"cli.md", "formats.md"}) {
    const std::string docs = read_text(std::filesystem::path(kSource) / "docs" / page);
    const std::regex option("[`| ](--[a-z][a-z0-9-]*)");
    for (std::sregex_iterator it(docs.begin(), docs.end(), option), end; it != end; ++it)
      EXPECT_TRUE(known.contains((*it)[1])) << (*it)[1] << " in " << page;
  }
}

TEST_F(Completion, DocumentationNamesEveryColumnOfTheTrace) {
  std::string columns;
  for (const TraceColumn& column : trace_columns()) columns += "," + std::string(column.name);
  const std::string docs = read_text(std::filesystem::path(kSource) / "docs" / "cli.md");
  EXPECT_TRUE(contains(docs, "`" + columns.substr(1) + "`"));
}

TEST_F(Completion, TheCommandLineHasEveryOptionOfTheEngine) {
  const std::set<std::string> flags = options("factorize");
  for (const OptionInfo& option : option_table()) {
    std::string flag = "--" + option.key();
    std::replace(flag.begin(), flag.end(), '_', '-');
    EXPECT_TRUE(flags.contains(flag)) << flag;
  }
}

}  // namespace
}  // namespace anmf::test
