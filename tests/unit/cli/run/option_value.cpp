#include <fmt/format.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "agent/contract/option_table.hpp"
#include "report/cli/arguments.hpp"
#include "report/cli/run/option_value.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
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

TEST_CASE("each option has a name, a grammar and a help of its own, and takes the words of its grammar") {
  std::set<std::string_view> names;
  for (const option::Option& row : option::kOptions) {
    INFO(row.variable);
    CHECK(row.variable.starts_with("PROF_"));
    CHECK(names.insert(row.variable).second);
    CHECK((row.flag.empty() || names.insert(row.flag).second));
    CHECK((row.grammar == option::kOwn || !row.help.empty()));
    for (const std::string& word : cli::spellings_of(row)) {
      INFO(word);
      Options options;
      CHECK(row.set(word, options));
    }
    Options options;
    if (!cli::spellings_of(row).empty() && row.variable != "PROF_STEP") CHECK_FALSE(row.set("nonsense", options));
  }
}
