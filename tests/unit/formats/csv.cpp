#include "report/formats/csv.hpp"

#include "tests/support/catch.hpp"

using namespace prof;
using show::Cell;
using show::Kind;
using show::Where;

TEST_CASE("CSV has raw integers, empty fields for what was not measured, and CRLF") {
  show::Sheet sheet;
  sheet.columns = {{"name", "n", Kind::Text},
                   {"time_ns", "time", Kind::Time},
                   {"percent", "%", Kind::Share, "", Where::TableOnly},
                   {"size", "size", Kind::Bytes}};
  sheet.add({std::string("f"), std::int64_t{1'234'567'890'123}, show::share(1, 2), Cell()});
  CHECK(formats::csv(sheet) == "name,time_ns,size\r\nf,1234567890123,\r\n");
}

TEST_CASE("CSV quotes as RFC 4180 has it") {
  show::Sheet sheet;
  sheet.columns = {{"a", "a", Kind::Text}, {"b", "b", Kind::Text}};
  sheet.add({std::string("x, \"y\""), std::string("plain")});
  sheet.add({std::string("\x1b[0m\n"), std::string("\xff")});
  CHECK(formats::csv(sheet) == "a,b\r\n\"x, \"\"y\"\"\",plain\r\n\\x1b[0m\\n,\\xff\r\n");
}

TEST_CASE("CSV ends its lines after the last column that it has") {
  show::Sheet sheet;
  sheet.columns = {{"a", "a", Kind::Count}, {"b", "b", Kind::Text, "", Where::TableOnly}};
  sheet.add({std::int64_t{1}, std::string("x")});
  CHECK(formats::csv(sheet) == "a\r\n1\r\n");
}
