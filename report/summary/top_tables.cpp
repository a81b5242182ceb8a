#include "report/summary/top_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "report/findings/rules/processes/script_lines.hpp"
#include "report/fold/gpu/gpu.hpp"
#include "report/fold/line_tree.hpp"
#include "report/fold/memory/heap.hpp"
#include "report/fold/time/functions.hpp"
#include "report/model/text.hpp"
#include "report/show/figures.hpp"
#include "report/show/memory/memory_text.hpp"
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

struct CommandSum {
  std::string name;
  std::int64_t processes = 0, cpu_ns = 0, life_ns = 0;
};

Figures<CommandSum> command_figures(double all) {
  return {{{"cpu_ns", "CPU", Kind::Time}, &CommandSum::cpu_ns},
          {{"share", "%", Kind::Share, "of CPU"}, [all](auto& sum) { return share(real(sum.cpu_ns), all); }},
          {{"life_ns", "running", Kind::Time, "in all"}, &CommandSum::life_ns},
          {{"processes", "runs", Kind::Count}, &CommandSum::processes},
          {{"command", "command", Kind::Text}, &CommandSum::name}};
}

Figures<fold::FunctionRow> top_figures(const Subject& subject, bool wide, double all) {
  const auto function = [&subject](auto& row) -> auto& { return subject.symbols.function(row.function); };
  return {
      {{"tottime_ns", "tottime", Kind::Time}, [](auto& row) { return row.self.cpu.ns; }},
      {{"tottime_share", "%", Kind::Share, "of CPU"}, [all](auto& row) { return share(real(row.self.cpu.ns), all); }},
      {{"cumtime_ns", "cumtime", Kind::Time}, [](auto& row) { return row.cumulative.cpu.ns; }},
      {{"cumtime_share", "%", Kind::Share, "of CPU"},
       [all](auto& row) { return share(real(row.cumulative.cpu.ns), all); }},
      {{"name", "function", Kind::Text, "", Where::Everywhere, !wide},
       [=](auto& row) { return label(function(row), wide); }},
      {{"place", "where", Kind::Text, "", Where::Everywhere, !wide},
       [=](auto& row) { return place(function(row), wide); }}};
}

Figures<fold::WorkRow> top_kernel_figures(const Subject& subject, bool wide, double all) {
  const symbols::Symbols& symbols = subject.symbols;
  return {{{"total_ns", "total", Kind::Time}, [](auto& row) { return row.work.ns; }},
          {{"share", "%", Kind::Share, "of all"}, [all](auto& row) { return share(real(row.work.ns), all); }},
          {{"calls", "count", Kind::Count}, [](auto& row) { return row.work.count; }},
          {{"kernel", "kernel", Kind::Text, "", Where::Everywhere, !wide},
           [=, &symbols](auto& row) { return label(symbols.function(row.function), wide); }},
          {{"launched_by", "most launched by", Kind::Text, "", Where::Everywhere, !wide}, [=, &symbols](auto& row) {
             return row.launched_by.empty() ? std::string()
                                            : place_name(symbols, row.launched_by.front().location, wide);
           }}};
}

}  // namespace

Sheet top_commands(const Subject& subject) {
  std::map<std::string, CommandSum> sums;
  std::int64_t all = 0, count = 0;
  for (const std::size_t i : selected_processes(subject)) {
    const model::Process& process = subject.run.processes[i];
    const std::string& path = process.argv.empty() ? process.exe : process.argv.front();
    CommandSum& sum = sums[std::string(base_name(path))];
    // What a fork copied, and an exec replaced, was no run of that command.
    const bool copy = process.origin == log::Origin::Forked && process.next_image;
    sum.processes += copy ? 0 : 1;
    ++count;
    sum.cpu_ns = model::saturated_sum(sum.cpu_ns, model::to_signed(process.cpu_ns));
    sum.life_ns = model::saturated_sum(sum.life_ns, model::to_signed(process.wall_ns()));
    all = model::saturated_sum(all, model::to_signed(process.cpu_ns));
  }
  Sheet sheet;
  if (count < kManyCommands) return sheet;
  std::vector<CommandSum> rows;
  for (auto& [name, sum] : sums) {
    if (sum.processes == 0) sum.processes = 1;  // nothing but copies: of one that was not recorded
    sum.name = name;
    rows.push_back(sum);
  }
  std::stable_sort(rows.begin(), rows.end(), [](auto& a, auto& b) { return a.cpu_ns > b.cpu_ns; });
  sheet.one_time_unit = true;
  fill(sheet, command_figures(real(all)), rows, std::min(rows.size(), kFunctions));
  return sheet;
}

std::string script_without_lines(const model::Run& run) {
  for (const model::Process& process : run.processes) {
    const std::string script = base_name(process.exe) == "dash" ? findings::script_of(process.argv) : std::string();
    if (!script.empty()) return fmt::format("sh says nothing of its lines, bash does: prof run -- bash {}", script);
  }
  return {};
}

Sheet top_functions(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = any_tree(subject);
  const std::vector<fold::FunctionRow>& rows = function_times(subject);
  const auto all = static_cast<double>(tree.total().cpu.ns);
  Sheet sheet;
  sheet.one_time_unit = true;
  std::size_t shown = 0;
  while (shown < std::min(rows.size(), kFunctions) && rows[shown].self.cpu.ns > 0) ++shown;
  fill<fold::FunctionRow>(sheet, top_figures(subject, options.wide, all), rows, shown, [&subject](auto& row) {
    return subject.symbols.function(row.function).special ? Emphasis::Faint : Emphasis::None;
  });
  return sheet;
}

Sheet top_kernels(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = mixed_line_tree(subject);
  const auto rows = fold::device_work(subject.run, tree, subject.selection, fold::WorkKind::Kernels);
  double all = 0;
  for (const fold::WorkRow& row : rows) all += static_cast<double>(row.work.ns);
  Sheet sheet;
  fill(sheet, top_kernel_figures(subject, options.wide, all), rows, std::min(rows.size(), kKernels));
  return sheet;
}

}  // namespace prof::show
