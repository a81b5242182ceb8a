#include "report/symbols/source_files.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "report/symbols/java_folders.hpp"

namespace prof::symbols {
namespace {

constexpr std::uintmax_t kLargestSource = 16 << 20;
constexpr std::size_t kTabWidth = 8;
constexpr std::size_t kMostFoldersOfEnds = 32;  // a run of thousands of processes may have as many folders

std::string expanded(std::string_view line) {
  std::string out;
  for (const char c : line) {
    if (c == '\t') {
      out.append(kTabWidth - out.size() % kTabWidth, ' ');
    } else {
      out += c;
    }
  }
  return out;
}

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    lines.push_back(expanded(line));
  }
  return lines;
}

// A log may name anything: a pipe would be waited for and a device read for ever.
// Files of /proc have no size, and some of them wait for what is to come.
bool is_source(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return false;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return !error && size > 0 && size <= kLargestSource;
}

std::filesystem::file_time_type file_time(std::uint64_t realtime_ns) {
  const std::chrono::sys_time<std::chrono::nanoseconds> time{std::chrono::nanoseconds(model::to_signed(realtime_ns))};
  return std::chrono::file_clock::from_sys(time);
}

bool is_blank(const std::string& line) { return line.find_first_not_of(' ') == std::string::npos; }
std::size_t indent_of(const std::string& line) { return line.find_first_not_of(' '); }
bool defines_function(const std::string& line) {
  const std::string_view text = std::string_view(line).substr(std::min(indent_of(line), line.size()));
  return text.starts_with("def ") || text.starts_with("async def ");
}

}  // namespace

SourceFiles::SourceFiles(const model::Run& run, Allowed allowed, const std::vector<std::filesystem::path>& roots)
    : run_(&run), allowed_(std::move(allowed)), run_start_(file_time(run.start_realtime_ns)) {
  std::set<std::string> seen;
  for (const model::Process& process : run.processes) {
    if (!process.cwd.empty() && seen.insert(process.cwd).second) folders_.emplace_back(process.cwd);
  }
  folders_.emplace_back();
  folders_.insert(folders_.end(), roots.begin(), roots.end());
}

bool SourceFiles::read(const std::filesystem::path& path, SourceFile& source) {
  if ((allowed_ && !allowed_(path)) || !is_source(path)) return false;
  source.readable = true;
  source.path = path;
  source.lines = lines_of(path);
  std::error_code error;
  source.newer = std::filesystem::last_write_time(path, error) > run_start_ && !error;
  return true;
}

// The longest that is there. A name alone is that of too many files ("main.cpp").
bool SourceFiles::read_end_of(const std::filesystem::path& name, SourceFile& source) {
  const std::size_t first = folders_.size() - std::min(folders_.size(), kMostFoldersOfEnds);
  const std::filesystem::path parts = name.relative_path();
  for (auto from = parts.begin(); from != parts.end() && std::next(from) != parts.end(); ++from) {
    std::filesystem::path end;
    for (auto part = from; part != parts.end(); ++part) end /= *part;
    for (std::size_t i = first; i < folders_.size(); ++i) {
      if (read(folders_[i] / end, source)) return true;
    }
  }
  return false;
}

void SourceFiles::look_for(const std::string& name, SourceFile& source) {
  if (name.empty() || name.find('\0') != std::string::npos) return;
  if (name.front() == '/') {
    if (!read(name, source)) read_end_of(name, source);
    return;
  }
  for (const std::filesystem::path& folder : folders_) {
    if (read(folder / name, source)) return;
  }
  if (!is_java_source(name)) return;
  if (!java_folders_) java_folders_ = java_folders(*run_);
  for (const std::filesystem::path& folder : *java_folders_) {
    if (read(folder / name, source)) return;
  }
}

const SourceFile& SourceFiles::file(const std::string& name) {
  const auto [found, is_new] = files_.try_emplace(name);
  if (is_new) look_for(name, found->second);
  if (!found->second.readable) missing_.insert(name);
  return found->second;
}

std::string SourceFiles::line(const std::string& name, std::uint32_t number) {
  const SourceFile& source = file(name);
  return number >= 1 && number <= source.lines.size() ? source.lines[number - 1] : std::string();
}

std::uint32_t last_line_of_function(const std::vector<std::string>& lines, std::uint32_t first, std::uint32_t known) {
  const auto count = static_cast<std::uint32_t>(lines.size());
  if (first == 0 || first > count) return std::min(known, count);
  std::uint32_t header = first;
  while (header < count && !defines_function(lines[header - 1])) ++header;
  if (!defines_function(lines[header - 1])) return std::max(first, std::min(known, count));
  const std::size_t indent = indent_of(lines[header - 1]);
  std::uint32_t last = header;
  for (std::uint32_t line = header + 1; line <= count; ++line) {
    const std::string& text = lines[line - 1];
    if (is_blank(text) || text[indent_of(text)] == '#') continue;
    // A parameter list may close at the indent of the `def`.
    if (indent_of(text) <= indent && text[indent_of(text)] != ')') break;
    last = line;
  }
  return std::max(last, std::min(known, count));
}

}  // namespace prof::symbols
