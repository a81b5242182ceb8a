#include "report/show/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace prof::show {
namespace {

// Narrower than this and no table can be read: then long lines are the lesser evil.
constexpr std::size_t kNarrowest = 60;
constexpr std::size_t kUsual = 80;

std::size_t columns_from_environment() {
  const char* text = std::getenv("COLUMNS");
  if (text == nullptr) return 0;
  const std::string_view digits = text;
  std::size_t columns = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), columns);
  return error == std::errc() && end == digits.data() + digits.size() && columns <= 10000 ? columns : 0;
}

std::size_t columns_of(int fd) {
  winsize size{};
  if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const std::size_t named = columns_from_environment();
  return named > 0 ? named : kUsual;
}

bool wants_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* term = std::getenv("TERM");
  return term != nullptr && *term != '\0' && std::string_view(term) != "dumb";
}

// As the C library would choose the character set; prof itself sets no locale.
bool wants_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view locale = value;
    return locale.ends_with("UTF-8") || locale.ends_with("utf8");
  }
  return false;
}

}  // namespace

Terminal terminal_of(int fd, ColourChoice choice) {
  Terminal terminal;
  terminal.tty = isatty(fd) == 1;
  if (terminal.tty) terminal.width = std::max(columns_of(fd), kNarrowest);
  terminal.unicode = terminal.tty && wants_unicode();
  terminal.colour = choice == ColourChoice::Always || (choice == ColourChoice::Auto && terminal.tty && wants_colour());
  return terminal;
}

std::string styled(const Terminal& terminal, Style style, std::string_view text) {
  if (!terminal.colour || text.empty()) return std::string(text);
  const char* start = "";
  switch (style) {
    case Style::Bold:
      start = "\x1b[1m";
      break;
    case Style::Dim:
      start = "\x1b[2m";
      break;
    case Style::Heading:
      start = "\x1b[1;36m";
      break;
    case Style::Warning:
      start = "\x1b[33m";
      break;
  }
  return std::string(start).append(text).append("\x1b[0m");
}

}  // namespace prof::show
