#include "report/findings/rules/shared/command_shape.hpp"

#include "tests/support/catch.hpp"

using prof::findings::CommandWords;
using prof::findings::commonest_shape;

namespace {

std::string shape_of(const std::vector<CommandWords>& commands, std::size_t enough) {
  const auto shape = commonest_shape(commands, enough);
  if (!shape) return "none";
  std::string out = std::to_string(shape->count) + ':';
  for (const std::string& word : shape->words) out += ' ' + word;
  return out;
}

}  // namespace

TEST_CASE("command shape: words that all have stay, others are left out", "[findings]") {
  CHECK(shape_of({{"git", "log", "-1", "a", "--", "a"}, {"git", "log", "-1", "b", "--", "b"}}, 2) ==
        "2: git log -1 ... -- ...");
  CHECK(shape_of({{"cut", "-d,", "x", "y"}, {"cut", "-d,", "v", "w"}}, 2) == "2: cut -d, ...");
  CHECK(shape_of({{"date"}, {"date"}}, 2) == "2: date");
}

TEST_CASE("command shape: commands of different lengths agree on what stands in front", "[findings]") {
  CHECK(shape_of({{"git", "log", "a"}, {"git", "log", "b", "c"}}, 2) == "2: git log ...");
  CHECK(shape_of({{"git", "log"}, {"git", "log", "c"}}, 2) == "2: git log ...");
  CHECK(shape_of({{"date"}, {"date", "-u"}}, 2) == "2: date ...");
}

TEST_CASE("command shape: the first word behind the program counts where enough have it", "[findings]") {
  const std::vector<CommandWords> commands{
      {"git", "log", "a"}, {"git", "log", "b"}, {"git", "show", "a"}, {"cut", "-d,"}};
  CHECK(shape_of(commands, 2) == "2: git log ...");
  CHECK(shape_of(commands, 3) == "3: git ...");
  CHECK(shape_of(commands, 4) == "none");
  CHECK(shape_of({}, 1) == "none");
}
