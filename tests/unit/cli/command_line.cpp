#include <fmt/format.h>
#include <fstream>
#include <regex>
#include <string>

#include "report/cli/arguments.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/text_file.hpp"

using namespace prof;

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
