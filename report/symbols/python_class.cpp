#include "report/symbols/python_class.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <string_view>
#include <system_error>

#include "report/model/text.hpp"

namespace prof::symbols {
namespace {

constexpr std::uintmax_t kLargestFile = 16 << 20;
constexpr std::size_t kTabStop = 8;

// What may stand between a class and its method, with less indent than that.
constexpr std::array<std::string_view, 9> kBlocks{
    "if ", "elif ", "else:", "else ", "try:", "try ", "with ", "for ", "while "};
constexpr std::array<std::string_view, 3> kHandlers{"except", "finally", "match "};

bool is_name(char c) { return (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '_' || (c & 0x80) != 0; }

// The columns in front of a line's text; nothing of an empty one.
std::size_t indent_of(std::string_view line) {
  std::size_t columns = 0;
  for (const char c : line) {
    if (c == '\t') {
      columns += kTabStop - columns % kTabStop;
    } else if (c == ' ') {
      ++columns;
    } else {
      return c == '\r' || c == '#' ? std::string_view::npos : columns;
    }
  }
  return std::string_view::npos;
}

std::string_view text_of(std::string_view line) {
  return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

bool defines_function(std::string_view text) { return text.starts_with("def ") || text.starts_with("async def "); }

std::vector<std::string> lines_of(const std::filesystem::path& path, std::filesystem::file_time_type run_start) {
  std::vector<std::string> lines;
  std::error_code error;
  // A log may name anything: a pipe would be waited for and a device read for ever.
  if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) > kLargestFile || error)
    return lines;
  if (std::filesystem::last_write_time(path, error) > run_start || error) return lines;
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line);) lines.push_back(std::move(line));
  return lines;
}

}  // namespace

std::string enclosing_class(const std::vector<std::string>& lines, std::uint32_t line) {
  constexpr std::string_view kClass = "class ";
  if (line == 0 || line > lines.size()) return {};
  std::size_t least = indent_of(lines[line - 1]);
  if (least == std::string_view::npos) return {};
  for (std::size_t i = line - 1; i-- > 0 && least > 0;) {
    const std::size_t indent = indent_of(lines[i]);
    if (indent == std::string_view::npos || indent >= least) continue;
    const std::string_view text = text_of(lines[i]);
    if (text.starts_with(kClass)) {
      const std::string_view rest = text.substr(kClass.size());
      const std::size_t length =
          static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), is_name) - rest.begin());
      const std::string_view behind = text_of(rest.substr(length));
      if (behind.empty() || std::string_view("([:").find(behind.front()) == std::string_view::npos) continue;
      return std::string(rest.substr(0, length));
    }
    if (defines_function(text)) return {};
    // Other text with less indent is inside a string, or ends parentheses.
    if (begins_with_any(text, kBlocks) || begins_with_any(text, kHandlers)) least = indent;
  }
  return {};
}

PythonClasses::PythonClasses(const model::Run& run)
    : run_start_(std::chrono::file_clock::from_sys(std::chrono::sys_time<std::chrono::nanoseconds>{
          std::chrono::nanoseconds(model::to_signed(run.start_realtime_ns))})) {}

std::string PythonClasses::class_of(const model::Process& process, const model::Code& code) {
  if (code.file.empty() || code.file.find('\0') != std::string::npos || code.first_line <= 0) return {};
  const std::filesystem::path path = std::filesystem::path(process.cwd) / code.file;
  const auto [found, is_new] = files_.try_emplace(path);
  if (is_new) found->second = lines_of(path, run_start_);
  return enclosing_class(found->second, static_cast<std::uint32_t>(code.first_line));
}

}  // namespace prof::symbols
