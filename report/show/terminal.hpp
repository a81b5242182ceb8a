// What the place that output goes to can show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace prof::show {

enum class ColourChoice { Auto, Always, Never };

struct Terminal {
  bool tty = false;
  bool colour = false;
  std::size_t width = 0;  // columns; 0: lines may be as long as they like
  bool unicode = false;   // shows more than ASCII
};

// What is behind file descriptor `fd`. Auto colours a terminal unless NO_COLOR is set or TERM is "dumb" or missing.
Terminal terminal_of(int fd, ColourChoice choice);

enum class Style { Bold, Dim, Heading, Warning };

// `text` between the escape sequences of `style`, or as it is without colour.
std::string styled(const Terminal& terminal, Style style, std::string_view text);

}  // namespace prof::show
