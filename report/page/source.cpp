#include "report/page/source.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <system_error>

#include "report/fold/time/lines.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::page {
namespace {

constexpr std::size_t kMostFiles = 400;
constexpr std::size_t kMostText = 4 << 20;  // bytes, of all files

constexpr std::string_view kSuffixes[] = {
    ".py",  ".pyx",  ".pxd", ".pxi", ".pyi", ".c",     ".cc", ".cpp", ".cxx", ".c++", ".h",   ".hh",  ".hpp", ".hxx",
    ".inl", ".ipp",  ".tcc", ".cu",  ".cuh", ".rs",    ".go", ".f",   ".f90", ".f95", ".f03", ".for", ".js",  ".mjs",
    ".ts",  ".java", ".kt",  ".m",   ".mm",  ".swift", ".d",  ".zig", ".nim", ".jl",  ".rb",  ".lua", ".pl",  ".sh"};

struct FileRows {
  std::string name;
  bool own = false;
  std::int64_t weight = 0;
  std::vector<const fold::SourceLine*> lines;
};

std::vector<FileRows> by_file(const fold::Lines& lines, const fold::OwnCode& own) {
  std::map<std::string_view, FileRows> files;
  for (const fold::SourceLine& line : lines.rows) {
    FileRows& file = files[line.file];
    file.name = line.file;
    file.own |= own.function(line.function);
    file.weight = model::saturated_sum(file.weight, model::saturated_sum(line.own_ns(), line.wait.blocked_ns()));
    file.lines.push_back(&line);
  }
  std::vector<FileRows> out;
  for (auto& [name, file] : files) out.push_back(std::move(file));
  std::stable_sort(out.begin(), out.end(), [](const FileRows& a, const FileRows& b) {
    return std::pair(a.own, a.weight) > std::pair(b.own, b.weight);
  });
  if (out.size() > kMostFiles) out.resize(kMostFiles);
  return out;
}

// The columns of a line; web/source.js has their titles.
constexpr std::array<const char*, 14> kFigures = {
    "line",       "python_ns",    "native_ns", "cumulative_ns", "blocked_ns",  "allocated_bytes", "peak_bytes",
    "live_bytes", "copied_bytes", "gpu_ns",    "samples",       "allocations", "cum_blocked_ns",  "cum_gpu_ns"};

std::array<std::int64_t, kFigures.size()> figures_of(const fold::SourceLine& line) {
  return {line.line,
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
          line.cum_wait.blocked_ns(),
          line.cum_gpu_ns};
}

Json figures_json(FileRows& file, Bundle& bundle) {
  std::stable_sort(file.lines.begin(), file.lines.end(),
                   [](const fold::SourceLine* a, const fold::SourceLine* b) { return a->line < b->line; });
  std::array<std::vector<std::int64_t>, kFigures.size()> columns;
  for (const fold::SourceLine* line : file.lines) {
    const auto figures = figures_of(*line);
    for (std::size_t i = 0; i < figures.size(); ++i) columns[i].push_back(figures[i]);
  }
  Json out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool any = std::any_of(columns[i].begin(), columns[i].end(), [](std::int64_t value) { return value != 0; });
    if (any) out[kFigures[i]] = bundle.add(columns[i]);
  }
  return out;
}

std::vector<std::filesystem::path> roots_of(const model::Run& run, const SourceOptions& options) {
  std::vector<std::filesystem::path> out = options.roots;
  std::error_code error;
  if (const std::filesystem::path here = std::filesystem::current_path(error); !error) out.push_back(here);
  for (const model::Process& process : run.processes) {
    if (!process.cwd.empty() && std::find(out.begin(), out.end(), process.cwd) == out.end())
      out.emplace_back(process.cwd);
  }
  return out;
}

}  // namespace

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
  const fold::Lines rows = fold::lines(lines);
  std::vector<FileRows> files = by_file(rows, lines.own());
  const std::vector<std::filesystem::path> roots = roots_of(subject.run, options);
  symbols::SourceFiles texts(subject.run);
  Json out = Json::array();
  std::size_t taken = 0;
  for (FileRows& file : files) {
    Json one = {{"file", bundle.text(file.name)}, {"own", file.own}, {"figures", figures_json(file, bundle)}};
    const bool wanted = options.which == SourceChoice::All || (options.which == SourceChoice::Own && file.own);
    const symbols::SourceFile* source = wanted ? &texts.file(file.name) : nullptr;
    if (source != nullptr && source->readable && may_show(source->path, roots)) {
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
