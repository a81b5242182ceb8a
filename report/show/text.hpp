// Text that is safe to show. Names come from logs and from other people's binaries: they may hold anything.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace prof::show {

// One line for a terminal: control characters (C0, DEL, C1), line separators, direction marks and bytes that are not
// UTF-8 come out as visible escapes (`\n`, `\x1b`, `\u{202e}`). Everything else is unchanged.
std::string printable(std::string_view text);

// Like the input, but bytes that are not UTF-8 come out as the four characters `\xNN`. Control characters stay.
std::string valid_utf8(std::string_view text);

// Terminal columns that printable text takes: 2 for wide East Asian characters, 0 for combining marks.
std::size_t display_width(std::string_view text);

// `text` itself when it fits into `width` columns, else its beginning and end around "...". Cuts between characters.
std::string cut_middle(std::string_view text, std::size_t width);

// Of items between commas (", ") the first ones that fit into `width` columns together; of the first one as much as
// fits.
std::string cut_list(std::string_view text, std::size_t width);

// `text` broken at spaces into lines of at most `width` columns, each after the first led by `indent` spaces. A word
// that is too long keeps a line of its own. Width 0: unbroken.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

// `text` broken likewise to stand `indent` columns in, beside what its first line follows: the others are led by as
// many spaces. `width`: of all.
std::string hanging(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace prof::show
