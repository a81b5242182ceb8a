// The table of options: what it makes of values, of docs/options.md and of completions.
#include "agent/contract/option_table.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include "report/cli/arguments.hpp"
#include "report/cli/run/option_value.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/text_file.hpp"

using namespace prof;

namespace {

std::string documented_table() {
  std::string out = "| `prof run` | environment | values | default | what it does |\n|---|---|---|---|---|\n";
  for (const option::Option& row : option::kOptions) {
    if (row.grammar == option::kOwn) continue;
    std::string flags;
    for (std::string_view rest = row.flag; !rest.empty();) {
      const std::size_t comma = rest.find(',');
      flags += fmt::format("{}`{}`", flags.empty() ? "" : ", ", rest.substr(0, comma));
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    }
    out +=
        fmt::format("| {} | `{}` | {} | {} | {} |\n", flags, row.variable, cli::values_of(row), row.standard, row.help);
  }
  return out;
}

// What bash completes behind these words, one a line.
std::string completed(const std::string& words, int at) {
  test::TempDir temp;
  const auto made = cli::parse({"completion", "bash"});
  std::ofstream(temp / "prof.bash") << std::get<cli::Text>(made.command).text;
  const auto out = test::Command({"bash", "-c",
                                  fmt::format("source {}; COMP_WORDS=({}); COMP_CWORD={}; _prof; printf '%s\\n' "
                                              "\"${{COMPREPLY[@]}}\"",
                                              (temp / "prof.bash").string(), words, at)})
                       .run();
  INFO(out);
  CHECK(out.ok());
  CHECK(out.err.empty());
  return out.out;
}

}  // namespace

// UPDATE_DOCS=1 writes the table.
TEST_CASE("docs/options.md has the table of options") {
  const std::filesystem::path file = test::source_dir() / "docs/options.md";
  std::string text = test::content(file);
  const std::string table = documented_table();
  const std::size_t begin = text.find("| `prof run` |");
  REQUIRE(begin != std::string::npos);
  const std::size_t end = text.find("\n\n", begin) + 1;
  if (std::getenv("UPDATE_DOCS") != nullptr) {
    std::ofstream(file) << text.replace(begin, end - begin, table);
  } else {
    CHECK(text.substr(begin, end - begin) == table);
  }
}

TEST_CASE("docs/options.md names each option of prof report, prof view, prof export and prof run") {
  const std::string text = test::content(test::source_dir() / "docs/options.md");
  for (const char* command : {"report", "view", "export", "run"}) {
    const auto parsed = cli::parse({command, "--help"});
    const std::string help = std::get<cli::Text>(parsed.command).text;
    static const std::regex kOption("(?:^|\\n) +(?:-[a-z],)?(--[a-z-]+)");
    int count = 0;
    for (std::sregex_iterator at(help.begin(), help.end(), kOption), end; at != end; ++at, ++count) {
      INFO("prof " << command << " " << (*at)[1]);
      CHECK(text.find("`" + (*at)[1].str()) != std::string::npos);
    }
    CHECK(count > 10);
  }
}

TEST_CASE("each option has a name, a grammar and a help of its own, and takes the words of its grammar") {
  std::set<std::string_view> names;
  for (const option::Option& row : option::kOptions) {
    INFO(row.variable);
    CHECK(row.variable.starts_with("PROF_"));
    CHECK(names.insert(row.variable).second);
    CHECK((row.flag.empty() || names.insert(row.flag).second));
    CHECK((row.grammar == option::kOwn || !row.help.empty()));
    for (const std::string& word : cli::words_of(row)) {
      INFO(word);
      Options options;
      CHECK(row.set(word, options));
    }
    Options options;
    if (!cli::words_of(row).empty() && row.variable != "PROF_STEP") CHECK_FALSE(row.set("nonsense", options));
  }
}

TEST_CASE("bash completes commands, options, their words, and the program behind them") {
  CHECK(completed("prof re", 1) == "report\n");
  CHECK(completed("prof report --vi", 2) == "--view\n");
  CHECK(completed("prof report --view lin", 3) == "lines\nline-hits\n");
  CHECK(completed("prof run --heap e", 3) == "exact\n");
  CHECK(completed("prof export -f heapt", 3) == "heaptrack\n");
  CHECK(completed("prof completion z", 2) == "zsh\n");
  CHECK(completed("prof run -- bas", 3).find("bash\n") != std::string::npos);
  CHECK(completed("prof run -- ls --vi", 4) == "\n");  // another program's option
}
