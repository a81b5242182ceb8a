#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "report/fold/training/operators.hpp"
#include "report/show/captions.hpp"
#include "report/show/numbers.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/training/operator_step_words.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::OperatorRow;

constexpr std::size_t kUsualRows = 25;
constexpr std::size_t kUsualRowsOfStep = 10;  // of several steps

double real(std::int64_t value) { return static_cast<double>(value); }

double average_ns(const OperatorRow& row) { return row.calls > 0 ? real(row.each_ns) / real(row.calls) : 0; }

double gpu_average_ns(const OperatorRow& row) { return row.calls > 0 ? real(row.gpu_ns) / real(row.calls) : 0; }

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

// What of the rows is sorted, bounded and shared by itself: those of one step, else all.
using Block = std::pair<std::optional<std::size_t>, std::optional<std::int64_t>>;
Block block_of(const OperatorRow& row, bool by_step) { return by_step ? Block{row.process, row.step} : Block{}; }

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

struct BlockSums {
  std::size_t rows = 0;
  std::int64_t self_ns = 0, self_gpu_ns = 0;
};

std::map<Block, BlockSums> block_sums(const std::vector<OperatorRow>& rows, bool by_step) {
  std::map<Block, BlockSums> out;
  for (const OperatorRow& row : rows) {
    BlockSums& sums = out[block_of(row, by_step)];
    ++sums.rows;
    sums.self_ns = model::saturated_sum(sums.self_ns, row.self_ns);
    sums.self_gpu_ns = model::saturated_sum(sums.self_gpu_ns, row.self_gpu_ns);
  }
  return out;
}

std::string thread_text(const Subject& subject, const OperatorRow& row) {
  if (!row.process || !row.thread) return {};
  const model::Process& process = subject.run.processes[*row.process];
  const model::Thread& thread = process.threads[*row.thread];
  return fmt::format("{} {} ({})", process.pid, thread.tid, thread.display_name());
}

Cell id(const Subject& subject, const OperatorRow& row, bool of_thread) {
  if (!row.process || (of_thread && !row.thread)) return {};
  const model::Process& process = subject.run.processes[*row.process];
  return static_cast<std::int64_t>(of_thread ? process.threads[*row.thread].tid : process.pid);
}

// A line of the stack, the calling one first: "Linear.forward (linear.py:114)".
std::string line_text(const Subject& subject, std::uint32_t location, bool wide) {
  return fmt::format("{} ({})", location_label(subject.symbols, location, wide),
                     location_place(subject.symbols, location, wide));
}

// All lines; for a table the first one alone: the others follow in rows of their own.
std::string stack_of(const Subject& subject, const OperatorRow& row, const ViewOptions& options) {
  std::string text;
  for (const std::uint32_t location : row.stack) {
    if (!text.empty() && !options.everything) break;
    if (!text.empty()) text += " <- ";
    text += line_text(subject, location, options.wide || options.everything);
  }
  return text;
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

Sheet ops_view(const Subject& subject, const ViewOptions& options) {
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

  const bool by_thread = options.group_by.by == fold::OperatorGroup::Thread;
  const auto where = [](bool there) { return there ? Where::Everywhere : Where::CsvOnly; };
  const Where host = where(ops.host_memory), device = where(ops.device_memory), gpu = where(ops.gpu_known);
  std::set<std::size_t> processes;
  for (const OperatorRow& row : ops.rows) {
    if (row.process) processes.insert(*row.process);
  }
  const bool several = by_step && processes.size() > 1;
  sheet.columns = {{"name", "Name", Kind::Text, "", Where::Everywhere, !options.wide},
                   {"self_cpu_share", "Self CPU", Kind::Share, "%", Where::TableOnly},
                   {"self_cpu_ns", "Self CPU", Kind::Time},
                   {"cpu_share", "CPU total", Kind::Share, "%", Where::TableOnly},
                   {"cpu_ns", "CPU total", Kind::Time},
                   {"avg_ns", "CPU time avg", Kind::Time, "", Where::CsvOnly},
                   {"avg", "CPU time avg", Kind::Count, "", Where::TableOnly},
                   {"min_ns", "min", Kind::Time, "", where(options.wide)},
                   {"max_ns", "max", Kind::Time, "", where(options.wide)},
                   {"self_cuda_ns", "Self CUDA", Kind::Time, "", gpu},
                   {"self_cuda_share", "Self CUDA", Kind::Share, "%", gpu},
                   {"cuda_ns", "CUDA total", Kind::Time, "", gpu},
                   {"cuda_avg_ns", "CUDA time avg", Kind::EachTime, "", gpu},
                   {"cpu_bytes", "CPU Mem", Kind::Bytes, "", host},
                   {"self_cpu_bytes", "Self CPU Mem", Kind::Bytes, "", host},
                   {"cuda_bytes", "CUDA Mem", Kind::Bytes, "", device},
                   {"self_cuda_bytes", "Self CUDA Mem", Kind::Bytes, "", device},
                   {"calls", "# of Calls", Kind::Count},
                   {"kind", "kind", Kind::Text, "", where(options.wide)},
                   {"shapes", "Input Shapes", Kind::Text, "", where(ops.shapes), !options.wide},
                   {"stack", "Source Location", Kind::Text, "", where(by_stack && ops.stacks), !options.wide},
                   {"module", "Module", Kind::Text, "", where(by_module && ops.stacks), !options.wide},
                   {"flops", "Total FLOPs", Kind::Flops, "", where(ops.flops)},
                   {"library_flops", "Library FLOPs", Kind::Flops, "", where(ops.library_flops)},
                   {"step", "Step", Kind::Plain, "", where(by_step)},
                   {"pid", "pid", Kind::Plain, "", where(several)},
                   {"tid", "tid", Kind::Plain, "", Where::CsvOnly},
                   {"thread", "thread", Kind::Text, "", by_thread ? Where::TableOnly : Where::CsvOnly}};
  const std::map<Block, BlockSums> blocks = block_sums(ops.rows, by_step);
  const std::size_t usual = blocks.size() > 1 ? kUsualRowsOfStep : kUsualRows;
  std::size_t shown = 0, of_block = 0;
  for (std::size_t i = 0; i < ops.rows.size(); ++i) {
    const OperatorRow& row = ops.rows[i];
    const bool is_first = i == 0 || block_of(row, by_step) != block_of(ops.rows[i - 1], by_step);
    const BlockSums& sums = blocks.at(block_of(row, by_step));
    if (is_first) of_block = 0;
    if (of_block == options.rows_of(sums.rows, usual)) continue;
    ++of_block;
    ++shown;
    const double whole = real(sums.self_ns);
    const auto ns = [](const std::optional<std::int64_t>& value) { return value ? Cell(*value) : Cell(); };
    const auto known = [&](std::int64_t value) { return ops.gpu_known ? Cell(value) : Cell(); };
    sheet.add({Cell(row.name),
               share(real(row.self_ns), whole),
               Cell(row.self_ns),
               share(real(row.total_ns), whole),
               Cell(row.total_ns),
               row.calls > 0 ? Cell(average_ns(row)) : Cell(),
               row.calls > 0 ? Cell(duration(average_ns(row))) : Cell(),
               ns(row.each.min_ns),
               ns(row.each.max_ns),
               known(row.self_gpu_ns),
               ops.gpu_known ? share(real(row.self_gpu_ns), real(sums.self_gpu_ns)) : Cell(),
               known(row.gpu_ns),
               ops.gpu_known && row.calls > 0 ? Cell(gpu_average_ns(row)) : Cell(),
               ops.host_memory ? Cell(row.host_bytes) : Cell(),
               ops.host_memory ? Cell(row.self_host_bytes) : Cell(),
               ops.device_memory ? Cell(row.device_bytes) : Cell(),
               ops.device_memory ? Cell(row.self_device_bytes) : Cell(),
               Cell(row.calls),
               Cell(row.kind),
               Cell(row.shapes),
               Cell(stack_of(subject, row, options)),
               Cell(row.module),
               ops.flops ? Cell(row.flops) : Cell(),
               ops.library_flops ? Cell(row.library_flops) : Cell(),
               row.step ? Cell(*row.step) : Cell(),
               id(subject, row, false),
               id(subject, row, true),
               Cell(thread_text(subject, row))});
    add_further_lines(subject, row, options, sheet);
  }
  if (!ops.rows.empty()) sheet.notes.push_back("Self CPU time total: " + duration(real(ops.self_ns)));
  if (!ops.rows.empty() && ops.gpu_known)
    sheet.notes.push_back("Self CUDA time total: " + duration(real(ops.self_gpu_ns)));
  for (std::string& note : left_out(shown, ops.rows.size(), "operators")) sheet.notes.push_back(std::move(note));
  return sheet;
}

extern const View kOpsView{.name = "ops",
                           .help = "PyTorch's operators, as torch.profiler shows them",
                           .topic = Topic::Training,
                           .available = any_process<[](const model::Process& p) { return !p.tree.operators.empty(); }>,
                           .sheets = one_sheet<ops_view>};

}  // namespace prof::show
