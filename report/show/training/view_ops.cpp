#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/model/text.hpp"
#include "report/show/captions.hpp"
#include "report/show/numbers.hpp"
#include "report/show/training/operator_rows.hpp"
#include "report/show/training/operator_step_text.hpp"
#include "report/show/training/training_figures.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::OperatorRow;

constexpr std::size_t kUsualOperators = 25;
constexpr std::size_t kUsualRowsOfStep = 10;  // of several steps

double sort_value(const OperatorRow& row, SortKey key) {
  switch (key) {
    case SortKey::Calls:
      return real(row.calls);
    case SortKey::Average:
      return average_ns(row);
    case SortKey::Total:
    case SortKey::Cumtime:
      return real(row.total_ns);
    case SortKey::HostBytes:
      return real(row.host_bytes);
    case SortKey::SelfHostBytes:
      return real(row.self_host_bytes);
    case SortKey::DeviceBytes:
      return real(row.device_bytes);
    case SortKey::SelfDeviceBytes:
      return real(row.self_device_bytes);
    case SortKey::Gpu:
      return real(row.gpu_ns);
    case SortKey::SelfGpu:
      return real(row.self_gpu_ns);
    case SortKey::GpuAverage:
      return gpu_average_ns(row);
    case SortKey::Flops:
      return real(std::max(row.flops, row.library_flops));
    default:
      return real(row.self_ns);
  }
}

// Blocks stay in their order.
void sort_rows(std::vector<OperatorRow>& rows, SortKey key, bool by_step) {
  for (auto begin = rows.begin(); begin != rows.end();) {
    const auto end = std::find_if(
        begin, rows.end(), [&](const OperatorRow& row) { return block_of(row, by_step) != block_of(*begin, by_step); });
    std::stable_sort(begin, end, [&](const OperatorRow& a, const OperatorRow& b) {
      if (key == SortKey::Name) return a.name < b.name;
      return sort_value(a, key) > sort_value(b, key);
    });
    begin = end;
  }
}

void add_further_lines(const Subject& subject, const OperatorRow& row, const ViewOptions& options, Sheet& sheet) {
  if (options.everything) return;
  for (std::size_t i = 1; i < row.stack.size(); ++i) {
    std::vector<Cell> cells(sheet.columns.size(), Cell(std::string()));
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (sheet.columns[c].key == "stack") cells[c] = line_text(subject, row.stack[i], options.wide);
    }
    sheet.add(std::move(cells), Emphasis::Faint);
  }
}

std::string told(const fold::Operators& ops, bool modules) {
  if (!ops.stacks) return "No Python lines were recorded: prof run --ops stacks records them.";
  std::string text = modules ? "Module: those whose forward() called it, the outermost one first"
                             : "Source Location: the Python lines that called it";
  text += "; of a backward function those of its forward operator.";
  if (ops.unlinked > 0) {
    text +=
        fmt::format(" Of {} of {} calls of backward functions that operator was not known: they have {} that ran them.",
                    grouped(ops.unlinked), grouped(ops.backward), modules ? "the modules" : "the lines");
  }
  return text;
}

// Why there is nothing to show.
std::string why_none(const Subject& subject) {
  for (const model::Process& process : subject.run.processes) {
    if (!subject.selection.includes(process)) continue;
    if (process.options.find("PROF_OPS=off") != std::string::npos) return "Operators were not recorded: PROF_OPS=off.";
    if (process.python && process.python->note.find("operators are not counted") != std::string::npos)
      return process.python->note + '.';
  }
  return "No operator was seen: those of PyTorch are recorded, once the program has imported it.";
}

}  // namespace

// Operators of a framework, as torch.profiler prints them.
static Sheet ops_view(const Subject& subject, const ViewOptions& options) {
  fold::Operators ops = fold::operators(subject.run, subject.selection, options.group_by, &subject.symbols);
  const bool by_step = options.group_by.by == fold::OperatorGroup::Step;
  sort_rows(ops.rows, options.sort.value_or(SortKey::Tottime), by_step);

  Sheet sheet;
  sheet.title = "Operators";
  if (by_step) {
    sheet.captions = step_captions(ops, options.group_by.step);
  } else if (ops.rows.empty()) {
    sheet.captions.push_back(why_none(subject));
  } else {
    sheet.captions.emplace_back(
        "Exact calls and wall time on the host. Self: without the operators inside; total: with them, calls of itself "
        "inside it once. Both percentages are of the sum of self CPU time.");
    if (ops.host_memory || ops.device_memory) {
      sheet.captions.emplace_back("Memory of tensors: bytes allocated minus bytes freed while it ran.");
    }
    if (ops.library_flops) {
      sheet.captions.emplace_back(
          "Library FLOPs: floating point operations that calls of cuBLAS and its kind asked for, with the operators "
          "inside.");
    }
  }
  if (!ops.rows.empty() && ops.gpu_known)
    sheet.captions.emplace_back(
        "CUDA: time on GPUs of the kernels, copies and sets that were launched in the operator itself (self) and in "
        "those inside (total).");
  if (!ops.rows.empty() && ops.flops)
    sheet.captions.emplace_back("Total FLOPs: by torch.profiler's formulas, of the inputs; what has none has 0.");
  const bool by_stack = options.group_by.by == fold::OperatorGroup::Stack;
  const bool by_module = options.group_by.by == fold::OperatorGroup::Module;
  if (!ops.rows.empty() && (by_stack || by_module)) sheet.captions.push_back(told(ops, by_module));
  for (std::string& caption : filters(subject, options)) sheet.captions.push_back(std::move(caption));
  for (std::string& caption : loss_captions(subject.run)) sheet.captions.push_back(std::move(caption));

  const Figures<OperatorRow> figures = operator_figures(subject, ops, options);
  sheet.columns = columns_of(figures);
  const std::map<Block, BlockSums> blocks = block_sums(ops.rows, by_step);
  const std::size_t usual = blocks.size() > 1 ? kUsualRowsOfStep : kUsualOperators;
  std::size_t shown = 0, of_block = 0;
  for (std::size_t i = 0; i < ops.rows.size(); ++i) {
    const OperatorRow& row = ops.rows[i];
    const bool is_first = i == 0 || block_of(row, by_step) != block_of(ops.rows[i - 1], by_step);
    const BlockSums& sums = blocks.at(block_of(row, by_step));
    if (is_first) of_block = 0;
    if (of_block == options.rows_of(sums.rows, usual)) continue;
    ++of_block;
    ++shown;
    sheet.add(cells_of(figures, row));
    add_further_lines(subject, row, options, sheet);
  }
  if (!ops.rows.empty()) sheet.notes.push_back("Self CPU time total: " + duration(real(ops.self_ns)));
  if (!ops.rows.empty() && ops.gpu_known)
    sheet.notes.push_back("Self CUDA time total: " + duration(real(ops.self_gpu_ns)));
  for (std::string& note : left_out(shown, ops.rows.size(), "operators")) sheet.notes.push_back(std::move(note));
  return sheet;
}

extern const View kOpsView{
    .name = "ops",
    .help = "PyTorch's operators, as torch.profiler shows them",
    .topic = Topic::Training,
    .available = any_process<[](const model::Process& p) { return !p.tree.operators.empty(); }>,
    .sheets = one_sheet<ops_view>,
    .sorts = kCallKeys | SortKeys{SortKey::Tottime, SortKey::Cumtime, SortKey::HostBytes, SortKey::SelfHostBytes,
                                  SortKey::DeviceBytes, SortKey::SelfDeviceBytes, SortKey::Gpu, SortKey::SelfGpu,
                                  SortKey::GpuAverage, SortKey::Flops},
    .options = "--group-by"};

}  // namespace prof::show
