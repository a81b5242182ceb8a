#include <fmt/format.h>

#include <set>

#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/training/operator_rows.hpp"
#include "report/show/training/training_figures.hpp"

namespace prof::show {
namespace {

using fold::OperatorGroup;
using fold::OperatorRow;

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

// All lines; for a table the first one alone: the others follow in rows of their own.
std::string stack_of(const Subject& subject, const OperatorRow& row, bool everything, bool wide) {
  std::string text;
  for (const std::uint32_t location : row.stack) {
    if (!text.empty() && !everything) break;
    if (!text.empty()) text += " <- ";
    text += line_text(subject, location, wide || everything);
  }
  return text;
}

}  // namespace

Block block_of(const OperatorRow& row, bool by_step) { return by_step ? Block{row.process, row.step} : Block{}; }

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

double average_ns(const OperatorRow& row) { return row.calls > 0 ? real(row.each_ns) / real(row.calls) : 0; }

double gpu_average_ns(const OperatorRow& row) { return row.calls > 0 ? real(row.gpu_ns) / real(row.calls) : 0; }

std::string line_text(const Subject& subject, std::uint32_t location, bool wide) {
  return fmt::format("{} ({})", location_label(subject.symbols, location, wide),
                     location_place(subject.symbols, location, wide));
}

Figures<OperatorRow> operator_figures(const Subject& subject, const fold::Operators& ops, const ViewOptions& options) {
  const OperatorGroup by = options.group_by.by;
  const bool by_step = by == OperatorGroup::Step, cut = !options.wide;
  std::set<std::size_t> processes;
  for (const OperatorRow& row : ops.rows) {
    if (row.process) processes.insert(*row.process);
  }
  const auto sums = [by_step, blocks = block_sums(ops.rows, by_step)](const OperatorRow& row) -> const BlockSums& {
    return blocks.at(block_of(row, by_step));
  };
  // One of its figures, where that is known.
  const auto figure = [](bool known, std::int64_t OperatorRow::*value) {
    return [=](auto& row) { return known_if(known, row.*value); };
  };
  const bool host = ops.host_memory, device = ops.device_memory, gpu = ops.gpu_known;
  const Where of_host = shown_if(host), of_device = shown_if(device), of_gpu = shown_if(gpu),
              roomy = shown_if(options.wide);
  return {{{"name", "Name", Kind::Text, "", Where::Everywhere, cut}, &OperatorRow::name},
          {{"self_cpu_share", "Self CPU", Kind::Share, "%", Where::TableOnly},
           [=](auto& row) { return share(real(row.self_ns), real(sums(row).self_ns)); }},
          {{"self_cpu_ns", "Self CPU", Kind::Time}, &OperatorRow::self_ns},
          {{"cpu_share", "CPU total", Kind::Share, "%", Where::TableOnly},
           [=](auto& row) { return share(real(row.total_ns), real(sums(row).self_ns)); }},
          {{"cpu_ns", "CPU total", Kind::Time}, &OperatorRow::total_ns},
          {{"avg_ns", "CPU time avg", Kind::EachTime},
           [](auto& row) { return known_if(row.calls > 0, average_ns(row)); },
           kNotInJson},
          {{"min_ns", "min", Kind::Time, "", roomy}, [](auto& row) { return maybe(row.each.min_ns); }},
          {{"max_ns", "max", Kind::Time, "", roomy}, [](auto& row) { return maybe(row.each.max_ns); }},
          {{"self_gpu_ns", "Self CUDA", Kind::Time, "", of_gpu}, figure(gpu, &OperatorRow::self_gpu_ns)},
          {{"self_gpu_share", "Self CUDA", Kind::Share, "%", of_gpu},
           [=](auto& row) { return known_if(gpu, share(real(row.self_gpu_ns), real(sums(row).self_gpu_ns))); },
           kNotInJson},
          {{"gpu_ns", "CUDA total", Kind::Time, "", of_gpu}, figure(gpu, &OperatorRow::gpu_ns)},
          {{"gpu_avg_ns", "CUDA time avg", Kind::EachTime, "", of_gpu},
           [=](auto& row) { return known_if(gpu && row.calls > 0, gpu_average_ns(row)); },
           kNotInJson},
          {{"mem_bytes", "CPU Mem", Kind::Bytes, "", of_host}, figure(host, &OperatorRow::host_bytes)},
          {{"self_mem_bytes", "Self CPU Mem", Kind::Bytes, "", of_host}, figure(host, &OperatorRow::self_host_bytes)},
          {{"gpu_mem_bytes", "CUDA Mem", Kind::Bytes, "", of_device}, figure(device, &OperatorRow::device_bytes)},
          {{"self_gpu_mem_bytes", "Self CUDA Mem", Kind::Bytes, "", of_device},
           figure(device, &OperatorRow::self_device_bytes)},
          {{"calls", "# of Calls", Kind::Count}, &OperatorRow::calls},
          {{"kind", "kind", Kind::Text, "", roomy}, &OperatorRow::kind},
          {{"shapes", "Input Shapes", Kind::Text, "", shown_if(ops.shapes), cut}, &OperatorRow::shapes},
          {{"stack", "Source Location", Kind::Text, "", shown_if(by == OperatorGroup::Stack && ops.stacks), cut},
           [&subject, everything = options.everything, wide = options.wide](auto& row) {
             return stack_of(subject, row, everything, wide);
           },
           kNotInJson},
          {{"module", "Module", Kind::Text, "", shown_if(by == OperatorGroup::Module && ops.stacks), cut},
           &OperatorRow::module,
           kNotInJson},
          {{"flops", "Total FLOPs", Kind::Flops, "", shown_if(ops.flops)}, figure(ops.flops, &OperatorRow::flops)},
          {{"library_flops", "Library FLOPs", Kind::Flops, "", shown_if(ops.library_flops)},
           figure(ops.library_flops, &OperatorRow::library_flops)},
          {{"step", "Step", Kind::Plain, "", shown_if(by_step)}, [](auto& row) { return maybe(row.step); }, kNotInJson},
          {{"pid", "pid", Kind::Plain, "", shown_if(by_step && processes.size() > 1)},
           [&subject](auto& row) { return id(subject, row, false); },
           kNotInJson},
          {data("tid", "tid", Kind::Plain), [&subject](auto& row) { return id(subject, row, true); }, kNotInJson},
          {{"thread", "thread", Kind::Text, "", by == OperatorGroup::Thread ? Where::TableOnly : Where::DataOnly},
           [&subject](auto& row) { return thread_text(subject, row); },
           kNotInJson},
          {data("self_library_flops", "Self Library FLOPs", Kind::Flops),
           figure(ops.library_flops, &OperatorRow::self_library_flops)}};
}

}  // namespace prof::show
