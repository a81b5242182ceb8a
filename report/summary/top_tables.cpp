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
#include "report/model/text.hpp"
#include "report/show/memory/memory_words.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/trees.hpp"

namespace prof::show {
namespace {

constexpr std::size_t kFunctions = 5;
constexpr std::size_t kKernels = 3;
constexpr std::int64_t kManyCommands = 8;  // process images

}  // namespace

Sheet top_commands(const Subject& subject) {
  struct Sum {
    std::int64_t processes = 0, cpu_ns = 0, life_ns = 0;
  };
  std::map<std::string, Sum> sums;
  std::int64_t all = 0, count = 0;
  for (const std::size_t i : selected_processes(subject)) {
    const model::Process& process = subject.run.processes[i];
    const std::string& path = process.argv.empty() ? process.exe : process.argv.front();
    Sum& sum = sums[std::string(base_name(path))];
    ++sum.processes;
    ++count;
    sum.cpu_ns = model::saturated_sum(sum.cpu_ns, model::to_signed(process.cpu_ns));
    sum.life_ns = model::saturated_sum(sum.life_ns, model::to_signed(process.wall_ns()));
    all = model::saturated_sum(all, model::to_signed(process.cpu_ns));
  }
  Sheet sheet;
  if (count < kManyCommands) return sheet;
  std::vector<std::pair<std::string, Sum>> rows(sums.begin(), sums.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second.cpu_ns > b.second.cpu_ns; });
  sheet.one_time_unit = true;
  sheet.columns = {{"cpu_ns", "CPU", Kind::Time},
                   {"share", "%", Kind::Share, "of all"},
                   {"life_ns", "running", Kind::Time, "in all"},
                   {"processes", "runs", Kind::Count},
                   {"command", "command", Kind::Text}};
  for (std::size_t i = 0; i < std::min(rows.size(), kFunctions); ++i) {
    const auto& [name, sum] = rows[i];
    sheet.add({sum.cpu_ns, share(static_cast<double>(sum.cpu_ns), static_cast<double>(all)), sum.life_ns, sum.processes,
               name});
  }
  return sheet;
}

Sheet top_functions(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = function_tree(subject);
  const std::vector<fold::FunctionRow> rows = fold::functions(tree);
  const auto all = static_cast<double>(tree.total().cpu.ns);
  Sheet sheet;
  sheet.one_time_unit = true;
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

Sheet top_kernels(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = mixed_line_tree(subject);
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

}  // namespace prof::show
