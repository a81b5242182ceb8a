#include "report/show/text.hpp"

#include "tests/support/catch.hpp"

using namespace prof::show;

TEST_CASE("printable text has no characters that a terminal would obey") {
  CHECK(printable("plain std::vector<int>") == "plain std::vector<int>");
  CHECK(printable("a\x1b[31mb") == "a\\x1b[31mb");
  CHECK(printable("line\nbreak\ttab\r") == "line\\nbreak\\ttab\\x0d");
  CHECK(printable(std::string_view("nul\0", 4)) == "nul\\x00");
  CHECK(printable("\x7f") == "\\x7f");
  CHECK(printable("\xc2\x9b"
                  "31m") == "\\x9b31m");  // C1: the 8-bit form of ESC [
  CHECK(printable("\xe2\x80\xae"
                  "txt.exe") == "\\u{202e}txt.exe");  // right-to-left override
  CHECK(printable("caf\xc3\xa9 \xe6\xbc\xa2") == "caf\xc3\xa9 \xe6\xbc\xa2");
}

TEST_CASE("bytes that are not UTF-8 become escapes") {
  CHECK(valid_utf8("\xff") == "\\xff");
  CHECK(valid_utf8("a\xc3") == "a\\xc3");                           // ends within a character
  CHECK(valid_utf8("\xc0\xaf") == "\\xc0\\xaf");                    // overlong '/'
  CHECK(valid_utf8("\xe0\x80\xaf") == "\\xe0\\x80\\xaf");           // overlong
  CHECK(valid_utf8("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // surrogate
  CHECK(valid_utf8("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond Unicode
  CHECK(valid_utf8("\xf0\x9f\x98\x80") == "\xf0\x9f\x98\x80");
  CHECK(valid_utf8("\x1b") == "\x1b");
}

TEST_CASE("width counts columns, not bytes") {
  CHECK(display_width("abc") == 3);
  CHECK(display_width("\xc3\xa9") == 1);
  CHECK(display_width("e\xcc\x81") == 1);     // combining accent
  CHECK(display_width("\xe6\xbc\xa2") == 2);  // wide
}

TEST_CASE("long names lose their middle") {
  CHECK(cut_list("in: calls 9 %, sets 8 %", 23) == "in: calls 9 %, sets 8 %");
  CHECK(cut_list("in: calls 9 %, sets 8 %", 22) == "in: calls 9 %");
  CHECK(cut_list("in: calls 9 %, sets 8 %", 12) == "in: c... 9 %");
  CHECK(cut_middle("short", 5) == "short");
  CHECK(cut_middle("abcdefghij", 9) == "abc...hij");
  CHECK(cut_middle("abcdefghij", 8) == "abc...ij");
  CHECK(cut_middle("abcdefghij", 3) == "...");
  CHECK(cut_middle("abcdefghij", 2) == "..");
  const std::string wide = "\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2";
  for (std::size_t width = 3; width <= 10; ++width) {
    CHECK(display_width(cut_middle(wide, width)) <= width);
    CHECK(valid_utf8(cut_middle(wide, width)) == cut_middle(wide, width));
  }
}

TEST_CASE("sentences break at spaces") {
  CHECK(wrapped("one two three", 8) == "one two\nthree");
  CHECK(wrapped("one two three", 8, 2) == "one two\n  three");
  CHECK(wrapped("one two three", 0) == "one two three");
  CHECK(wrapped("extraordinary", 4) == "extraordinary");
}
