#include "report/page/source.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <map>
#include <string_view>
#include <system_error>

#include "report/fold/own/own_lines.hpp"
#include "report/fold/time/lines.hpp"
#include "report/show/trees.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::page {
namespace {

constexpr std::size_t kMostFiles = 400;
constexpr std::size_t kMostText = 4 << 20;  // bytes, of all files

constexpr std::string_view kSuffixes[] = {
    ".py",  ".pyx",  ".pxd", ".pxi", ".pyi", ".c",     ".cc", ".cpp", ".cxx", ".c++", ".h",   ".hh",  ".hpp", ".hxx",
    ".inl", ".ipp",  ".tcc", ".cu",  ".cuh", ".rs",    ".go", ".f",   ".f90", ".f95", ".f03", ".for", ".js",  ".mjs",
    ".ts",  ".java", ".kt",  ".m",   ".mm",  ".swift", ".d",  ".zig", ".nim", ".jl",  ".rb",  ".lua", ".pl",  ".sh"};

// What is known of one line: of several functions that share it, of each.
struct LineFigures {
  const fold::SourceLine* line = nullptr;  // null: the line itself did nothing
  const fold::OwnLine* own = nullptr;      // null: nothing is charged to it, or to another row of the same line
  std::uint32_t number = 0;
};

struct FileRows {
  std::string name;
  bool own = false;
  std::int64_t weight = 0;
  std::vector<LineFigures> lines;
};

std::vector<FileRows> by_file(const fold::Lines& lines, const fold::OwnLines& charged, const fold::OwnCode& own) {
  std::map<std::string_view, FileRows> files;
  for (const fold::OwnLine& row : charged.rows) {
    if (!row.own || row.file.empty()) continue;
    FileRows& file = files[row.file];
    file.name = row.file;
    file.own = true;
    file.weight = model::saturated_sum(file.weight, row.ns());
    file.lines.push_back({nullptr, &row, row.line});
  }
  for (const fold::SourceLine& line : lines.rows) {
    FileRows& file = files[line.file];
    file.name = line.file;
    file.own |= own.function(line.function);
    file.weight = model::saturated_sum(file.weight, model::saturated_sum(line.own_ns(), line.wait.blocked_ns()));
    file.lines.push_back({&line, nullptr, line.line});
  }
  std::vector<FileRows> out;
  for (auto& [name, file] : files) out.push_back(std::move(file));
  std::stable_sort(out.begin(), out.end(), [](const FileRows& a, const FileRows& b) {
    return std::pair(a.own, a.weight) > std::pair(b.own, b.weight);
  });
  if (out.size() > kMostFiles) out.resize(kMostFiles);
  return out;
}

// The columns of a line; web/source.js has their titles. "own_...": what is charged to the line as the innermost one of
// the user's own code, as in the view `own`.
constexpr std::array<const char*, 19> kFigures = {
    "line",           "python_ns",       "native_ns",       "cumulative_ns",
    "blocked_ns",     "allocated_bytes", "peak_bytes",      "live_bytes",
    "copied_bytes",   "gpu_ns",          "samples",         "allocations",
    "own_cpu_ns",     "own_blocked_ns",  "own_gpu_ns",      "own_allocated_bytes",
    "own_peak_bytes", "own_live_bytes",  "own_copied_bytes"};

std::array<std::int64_t, kFigures.size()> figures_of(const LineFigures& of) {
  const fold::SourceLine line = of.line != nullptr ? *of.line : fold::SourceLine();
  const fold::OwnLine own = of.own != nullptr ? *of.own : fold::OwnLine();
  return {of.number,
          line.python_ns,
          line.native_ns,
          line.cumulative_ns,
          line.wait.blocked_ns(),
          line.memory.bytes,
          line.memory.peak_bytes,
          line.memory.live_bytes(),
          line.copied_bytes,
          line.gpu_ns,
          line.samples,
          line.memory.allocations(),
          own.cpu.ns,
          own.blocked_ns,
          own.gpu_ns,
          own.memory.bytes,
          own.memory.peak_bytes,
          own.memory.live_bytes(),
          own.copied_bytes};
}

Json figures_json(FileRows& file, Bundle& bundle) {
  std::stable_sort(file.lines.begin(), file.lines.end(),
                   [](const LineFigures& a, const LineFigures& b) { return a.number < b.number; });
  std::array<std::vector<std::int64_t>, kFigures.size()> columns;
  for (const LineFigures& line : file.lines) {
    const auto figures = figures_of(line);
    for (std::size_t i = 0; i < figures.size(); ++i) columns[i].push_back(figures[i]);
  }
  Json out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool any = std::any_of(columns[i].begin(), columns[i].end(), [](std::int64_t value) { return value != 0; });
    if (any) out[kFigures[i]] = bundle.add(columns[i]);
  }
  return out;
}

// A folder that a log may open: no home, and none of the system's. Who works there says so with --source-root, or by
// being there.
bool is_project(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(folder, error);
  if (error) return false;
  const char* home = std::getenv("HOME");
  const auto depth = std::distance(real.begin(), real.end()) - 1;  // without the root
  const bool homes = depth == 2 && *std::next(real.begin()) == "home";
  return depth >= 2 && !homes && (home == nullptr || real != std::filesystem::path(home).lexically_normal()) &&
         !fold::is_installed_file(real.string() + "/");
}

std::vector<std::filesystem::path> roots_of(const model::Run& run, const SourceOptions& options) {
  std::vector<std::filesystem::path> out = options.roots;
  std::error_code error;
  if (const std::filesystem::path here = std::filesystem::current_path(error); !error) out.push_back(here);
  for (const model::Process& process : run.processes) {
    if (!process.cwd.empty() && is_project(process.cwd) && std::find(out.begin(), out.end(), process.cwd) == out.end())
      out.emplace_back(process.cwd);
  }
  return out;
}

}  // namespace

symbols::SourceFiles::Allowed source_allowed(const model::Run& run, const SourceOptions& options) {
  if (options.which == SourceChoice::None) return [](const std::filesystem::path&) { return false; };
  return [roots = roots_of(run, options)](const std::filesystem::path& file) { return may_show(file, roots); };
}

bool may_show(const std::filesystem::path& file, const std::vector<std::filesystem::path>& roots) {
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(file, error);
  if (error) return false;
  const std::string suffix = real.extension().string();
  if (std::find(std::begin(kSuffixes), std::end(kSuffixes), suffix) == std::end(kSuffixes)) return false;
  return std::any_of(roots.begin(), roots.end(), [&](const std::filesystem::path& root) {
    const std::filesystem::path top = std::filesystem::canonical(root, error);
    if (error || top == top.root_path()) return false;
    const auto [end, rest] = std::mismatch(top.begin(), top.end(), real.begin(), real.end());
    return end == top.end() && rest != real.end() &&
           std::none_of(rest, real.end(),
                        [](const std::filesystem::path& part) { return part.native().starts_with('.'); });
  });
}

Json source_json(const show::Subject& subject, const fold::CallTree& lines, const SourceOptions& options,
                 Bundle& bundle) {
  const fold::Lines& rows = show::line_rows(subject);
  const fold::OwnLines charged = fold::own_lines(lines);
  std::vector<FileRows> files = by_file(rows, charged, lines.own());
  symbols::SourceFiles texts(subject.run, source_allowed(subject.run, options), options.roots);
  Json out = Json::array();
  std::size_t taken = 0;
  for (FileRows& file : files) {
    Json one = {{"file", bundle.text(file.name)}, {"own", file.own}, {"figures", figures_json(file, bundle)}};
    const bool wanted = options.which == SourceChoice::All || (options.which == SourceChoice::Own && file.own);
    const symbols::SourceFile* source = wanted ? &texts.file(file.name) : nullptr;
    if (source != nullptr && source->readable) {
      Json text = Json::array();
      std::size_t bytes = 0;
      for (const std::string& line : source->lines) bytes += line.size();
      if (taken + bytes <= kMostText) {
        taken += bytes;
        for (const std::string& line : source->lines) text.push_back(shown_text(line));
        one["text"] = std::move(text);
        one["newer"] = source->newer;
      }
    }
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace prof::page
