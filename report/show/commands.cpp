#include "report/show/commands.hpp"

#include <algorithm>
#include <cstring>

namespace prof::show {

std::string shell_word(const std::string& text) {
  const auto plain = [](char c) {
    return c != 0 && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      std::strchr("_-./:=+,@%", c) != nullptr);
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out += '\'';
}

std::filesystem::path shown_path(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  if (error || !path.is_absolute()) return path.lexically_normal();
  const std::filesystem::path relative = path.lexically_normal().lexically_relative(here);
  return relative.empty() || *relative.begin() == ".." ? path : relative;
}

std::string report_command(const model::Run& run) {
  return "prof report " + shell_word(shown_path(run.directory).string());
}

}  // namespace prof::show
