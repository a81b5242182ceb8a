#include "report/summary/top_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "report/fold/gpu/gpu.hpp"
#include "report/fold/line_tree.hpp"
#include "report/fold/memory/heap.hpp"
#include "report/fold/time/functions.hpp"
#include "report/show/memory/memory_words.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/stack_text.hpp"

namespace prof::show {
namespace {

constexpr std::size_t kProcesses = 3;
constexpr std::size_t kFunctions = 5;
constexpr std::size_t kSites = 3;
constexpr std::size_t kKernels = 3;
constexpr std::size_t kNames = 4;

double real(std::uint64_t value) { return static_cast<double>(value); }
std::int64_t whole(std::uint64_t value) { return model::to_signed(value); }

// The many short processes of a build or a shell script, as one line.
std::string helpers(const Subject& subject, const std::vector<std::size_t>& rest) {
  std::map<std::string, std::size_t> names;
  for (const std::size_t i : rest) {
    const model::Process& process = subject.run.processes[i];
    ++names[base_name(process.exe.empty() ? process.command() : process.exe)];
  }
  std::vector<std::pair<std::size_t, std::string>> frequent;
  for (const auto& [name, count] : names) frequent.emplace_back(count, name);
  std::stable_sort(frequent.begin(), frequent.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string list;
  for (std::size_t i = 0; i < frequent.size() && i < kNames; ++i) {
    const auto& [count, name] = frequent[i];
    if (i > 0) list += ", ";
    list += count > 1 ? fmt::format("{} {}", count, name) : name;
  }
  if (frequent.size() > kNames) list += ", ...";
  return fmt::format("and {} more with {} together: {}", grouped(std::ssize(rest)),
                     duration(real(cpu_of(subject, rest))), list);
}

struct NamedSite {
  std::string name;
  model::MemoryMetric memory;
};

// Sites that would read alike are one; by bytes at the peak, then by allocated bytes.
std::vector<NamedSite> named_sites(const symbols::Symbols& symbols, const std::vector<fold::HeapSite>& sites,
                                   bool wide) {
  std::map<std::string, model::MemoryMetric> by_name;
  for (const fold::HeapSite& site : sites) by_name[site_name(symbols, site.stack, wide)] += site.memory;
  std::vector<NamedSite> named;
  for (const auto& [name, memory] : by_name) named.push_back({name, memory});
  std::stable_sort(named.begin(), named.end(), [](const NamedSite& a, const NamedSite& b) {
    return std::pair(a.memory.peak_bytes, a.memory.bytes) > std::pair(b.memory.peak_bytes, b.memory.bytes);
  });
  return named;
}

}  // namespace

Sheet top_processes(const Subject& subject, const ViewOptions& options) {
  std::vector<std::size_t> by_cpu = selected_processes(subject);
  std::stable_sort(by_cpu.begin(), by_cpu.end(), [&](std::size_t a, std::size_t b) {
    return subject.run.processes[a].cpu_ns > subject.run.processes[b].cpu_ns;
  });
  const auto all = real(cpu_of(subject, by_cpu));
  Sheet sheet;
  sheet.columns = {{"cpu_ns", "cpu", Kind::Time},
                   {"share", "%", Kind::Share},
                   {"wall_ns", "wall", Kind::Time},
                   {"peak_rss_bytes", "peak rss", Kind::Bytes},
                   {"pid", "pid", Kind::Plain},
                   {"end", "end", Kind::Text},
                   {"command", "command", Kind::Text, "", Where::Everywhere, !options.wide}};
  const std::size_t shown = std::min(by_cpu.size(), kProcesses);
  for (std::size_t i = 0; i < shown; ++i) {
    const model::Process& process = subject.run.processes[by_cpu[i]];
    const auto& rss = process.peak_rss_bytes;
    sheet.add({whole(process.cpu_ns), share(real(process.cpu_ns), all), whole(process.wall_ns()),
               rss ? Cell(whole(*rss)) : Cell(), std::int64_t{process.pid}, ending(process),
               command_label(process, options.wide)});
  }
  const std::vector<std::size_t> rest(by_cpu.begin() + static_cast<std::ptrdiff_t>(shown), by_cpu.end());
  if (!rest.empty()) sheet.notes.push_back(helpers(subject, rest));
  return sheet;
}

Sheet top_functions(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree tree = fold::build_call_tree(subject.run, subject.symbols, subject.selection);
  const std::vector<fold::FunctionRow> rows = fold::functions(tree);
  const auto all = static_cast<double>(tree.total().cpu.ns);
  Sheet sheet;
  sheet.columns = {{"tottime_ns", "tottime", Kind::Time},
                   {"tottime_share", "%", Kind::Share},
                   {"cumtime_ns", "cumtime", Kind::Time},
                   {"cumtime_share", "%", Kind::Share},
                   {"name", "function", Kind::Text, "", Where::Everywhere, !options.wide},
                   {"place", "where", Kind::Text, "", Where::Everywhere, !options.wide}};
  for (const fold::FunctionRow& row : rows) {
    if (sheet.rows.size() == kFunctions || row.self.cpu.ns <= 0) break;
    const symbols::Function& function = subject.symbols.function(row.function);
    sheet.add({row.self.cpu.ns, share(static_cast<double>(row.self.cpu.ns), all), row.cumulative.cpu.ns,
               share(static_cast<double>(row.cumulative.cpu.ns), all), label(function, options.wide),
               place(function, options.wide)},
              function.special ? Emphasis::Faint : Emphasis::None);
  }
  return sheet;
}

Sheet top_kernels(const Subject& subject, const ViewOptions& options, const fold::CallTree& lines) {
  std::optional<fold::CallTree> own;
  const fold::CallTree& tree = fold::line_tree(subject.run, subject.symbols, subject.selection, lines, own);
  const auto rows = fold::device_work(subject.run, tree, subject.selection, fold::WorkKind::Kernels);
  double all = 0;
  for (const fold::WorkRow& row : rows) all += static_cast<double>(row.work.ns);
  Sheet sheet;
  sheet.columns = {{"total_ns", "total", Kind::Time},
                   {"share", "%", Kind::Share},
                   {"calls", "count", Kind::Count},
                   {"kernel", "kernel", Kind::Text, "", Where::Everywhere, !options.wide},
                   {"launched_by", "most launched by", Kind::Text, "", Where::Everywhere, !options.wide}};
  for (std::size_t i = 0; i < rows.size() && i < kKernels; ++i) {
    const fold::WorkRow& row = rows[i];
    sheet.add({row.work.ns, share(static_cast<double>(row.work.ns), all), row.work.count,
               label(subject.symbols.function(row.function), options.wide),
               row.launched_by.empty() ? std::string()
                                       : place_name(subject.symbols, row.launched_by.front().location, options.wide)});
  }
  return sheet;
}

Sheet top_sites(const Subject& subject, const ViewOptions& options, const fold::CallTree& tree) {
  const std::vector<NamedSite> sites = named_sites(subject.symbols, fold::heap_sites(tree), options.wide);
  const bool levels = tree.live_known();
  const auto all = static_cast<double>(tree.total().heap.peak_bytes);
  Sheet sheet;
  sheet.columns = {{"peak_bytes", "peak", Kind::Bytes},
                   {"peak_share", "%", Kind::Share},
                   {"live_bytes", "live", Kind::Bytes},
                   {"allocated_bytes", "allocated", Kind::Bytes},
                   {"site", "allocated by <- called from", Kind::Text, "", Where::Everywhere, !options.wide}};
  for (std::size_t i = 0; i < sites.size() && i < kSites; ++i) {
    const NamedSite& site = sites[i];
    sheet.add({levels ? Cell(site.memory.peak_bytes) : Cell(),
               share(static_cast<double>(site.memory.peak_bytes), levels ? all : 0),
               levels ? Cell(site.memory.live_bytes()) : Cell(), site.memory.bytes, site.name});
  }
  return sheet;
}

}  // namespace prof::show
