#include "report/show/table.hpp"

#include <sstream>

#include "report/show/text.hpp"
#include "tests/support/catch.hpp"

using namespace prof::show;

namespace {

Sheet sample() {
  Sheet sheet;
  sheet.title = "Title";
  sheet.columns = {{"time_ns", "time", Kind::Time},
                   {"share", "%", Kind::Share, "of all", Where::TableOnly},
                   {"bytes", "size", Kind::Bytes},
                   {"raw", "raw", Kind::Count, "", Where::DataOnly},
                   {"name", "name", Kind::Text, "", Where::Everywhere, true}};
  sheet.add({std::int64_t{1'500'000'000}, share(3, 4), std::int64_t{2048}, std::int64_t{1}, std::string("alpha")});
  sheet.add({std::int64_t{250'000'000}, share(1, 4), Cell(), std::int64_t{2}, std::string("beta")});
  return sheet;
}

}  // namespace

TEST_CASE("tables align figures, name units and mark what was not measured") {
  CHECK(table_body(sample(), Terminal{}) ==
        " time       %  size  name\n"
        "    s  of all   KiB\n"
        "1.500    75.0   2.0  alpha\n"
        "0.250    25.0     -  beta\n");
}

TEST_CASE("a table has its title first, its notes last, and no colour unless asked for") {
  Sheet sheet = sample();
  sheet.captions = {"What it is."};
  sheet.notes = {"What next."};
  const std::string text = table(sheet, Terminal{});
  CHECK(text.rfind("Title\nWhat it is.\n\n", 0) == 0);
  CHECK(text.find("\nWhat next.\n") == text.size() - 12);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(table(sheet, Terminal{true, true, 80}).find("\x1b[1;36mTitle\x1b[0m") == 0);
}

TEST_CASE("names are cut to the terminal's width and never without one") {
  Sheet sheet = sample();
  const std::string name(300, 'x');
  sheet.add({Cell(), Cell(), Cell(), Cell(), name});
  std::istringstream lines(table_body(sheet, Terminal{true, false, 80}));
  for (std::string line; std::getline(lines, line);) CHECK(display_width(line) <= 80);
  CHECK(table_body(sheet, Terminal{}).find(name) != std::string::npos);
}

TEST_CASE("hostile names reach no terminal") {
  Sheet sheet = sample();
  sheet.title = "\x1b]0;owned\x07";
  sheet.notes = {"\x1b[2J"};
  sheet.add({Cell(), Cell(), Cell(), Cell(), std::string("\x1b[1mname\r\n\xff")});
  const std::string text = table(sheet, Terminal{});
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\r') == std::string::npos);
  CHECK(text.find("\\x1b[1mname\\x0d\\n\\xff") != std::string::npos);
}
