#include <algorithm>
#include <array>
#include <optional>

#include "report/fold/line_tree.hpp"
#include "report/formats/perfetto/fields.hpp"
#include "report/formats/perfetto/parts.hpp"
#include "report/model/text.hpp"
#include "report/show/processes.hpp"

namespace prof::formats::perfetto {
namespace {

std::uint64_t callstack_of(Sequence& sequence, const fold::CallTree& tree, std::uint32_t node) {
  std::vector<std::uint32_t> stack = fold::stack_of(tree, node);
  std::reverse(stack.begin(), stack.end());
  return sequence.callstack(stack);
}

struct Heap {
  const char* name;
  fold::Column<model::MemoryMetric> fold::Columns::*column;
};
constexpr std::array<Heap, 3> kHeaps{
    {{"malloc", &fold::Columns::heap}, {"mmap", &fold::Columns::maps}, {"Python", &fold::Columns::python}}};

std::uint64_t not_negative(std::int64_t value) { return value < 0 ? 0 : static_cast<std::uint64_t>(value); }

// All of one heap, or what was live at its peak alone.
std::optional<ProtoMessage> dump_of(Sequence& sequence, const model::Process& process, const fold::CallTree& tree,
                                    const Heap& heap, bool at_peak, std::uint64_t time) {
  ProtoMessage dump;
  bool any = false;
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    const model::MemoryMetric& of = (tree.self().*heap.column)[node];
    const std::uint64_t bytes = not_negative(at_peak ? of.peak_bytes : of.bytes);
    if (bytes == 0) continue;
    ProtoMessage sample;
    sample.integer(profile::kCallstack, callstack_of(sequence, tree, node));
    sample.integer(profile::kAllocated, bytes);
    sample.integer(profile::kSampleTime, time);
    if (!at_peak) {
      sample.integer(profile::kFreed, bytes - std::min(bytes, not_negative(of.live_bytes())));
      const std::uint64_t count = not_negative(of.allocations());
      sample.integer(profile::kAllocations, count);
      sample.integer(profile::kFrees, count - std::min(count, not_negative(of.live_allocations())));
    }
    dump.message(profile::kSample, sample);
    any = true;
  }
  if (!any) return std::nullopt;
  dump.integer(profile::kPid, std::uint64_t{process.pid});
  dump.integer(profile::kTimestamp, time);
  dump.text(profile::kHeap, std::string(heap.name) + (at_peak ? " at the peak" : ""));
  dump.integer(profile::kInterval, std::max<std::uint64_t>(1, process.heap_interval));
  return dump;
}

}  // namespace

std::size_t write_heaps(Sequence& sequence, Tracks& tracks, const model::Process& process, const fold::CallTree& tree) {
  if (!tree.live_known()) return 0;
  const std::uint64_t time = tracks.time(process.end_monotonic_ns);
  const std::uint64_t monotonic = tracks.monotonic(time);
  std::size_t packets = 0;
  for (const Heap& heap : kHeaps) {
    for (const bool at_peak : {false, true}) {
      const std::optional<ProtoMessage> dump = dump_of(sequence, process, tree, heap, at_peak, monotonic);
      if (!dump) continue;
      ProtoMessage own, packet;
      own.message(profile::kDump, *dump);
      own.integer(profile::kIndex, sequence.next_profile());
      packet.present(packet::kTimestamp, time);
      packet.message(packet::kProfile, own);
      sequence.write(std::move(packet));
      ++packets;
    }
  }
  return packets;
}

std::size_t write_cpu(Sequence& sequence, Tracks& tracks, const model::Process& process, const model::Thread& thread,
                      const fold::CallTree& tree, std::uint64_t one_of) {
  const std::uint64_t begin = tracks.time(thread.start_monotonic_ns);
  const std::uint64_t end = std::max(begin, tracks.time(thread.end_monotonic_ns));
  const std::uint64_t all = std::max<std::uint64_t>(1, not_negative(tree.total().cpu.samples));
  std::uint64_t done = 0, next = 0;  // samples; the next one that is written
  std::size_t packets = 0;
  // Side by side over the life of the thread: when they really were is not known.
  const auto at = [&](std::uint64_t sample) {
    return begin + static_cast<std::uint64_t>(
                       whole_number(static_cast<double>(end - begin) *
                                    std::min(1.0, static_cast<double>(sample) / static_cast<double>(all))));
  };
  const auto write = [&](std::uint64_t time, unsigned field, const ProtoMessage& sample) {
    ProtoMessage packet;
    packet.present(packet::kTimestamp, time);
    packet.message(field, sample);
    sequence.write(std::move(packet));
    ++packets;
  };
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    const model::CpuMetric& cpu = tree.self().cpu[node];
    if (cpu.ns <= 0 && cpu.samples <= 0) continue;
    const std::uint64_t stack = callstack_of(sequence, tree, node);
    ProtoMessage task, whole;
    task.integer(stack_sample::kPid, std::uint64_t{process.pid});
    task.integer(stack_sample::kTid, std::uint64_t{thread.tid});
    whole.message(stack_sample::kTask, task);
    whole.integer(stack_sample::kCallstack, stack);
    whole.integer(stack_sample::kWeight, not_negative(cpu.ns));
    write(at(done), packet::kStackSample, whole);
    // A damaged log may have any number of them.
    const std::uint64_t end_of_these = model::saturated_sum(done, not_negative(cpu.samples));
    for (; next < end_of_these; next = model::saturated_sum(next, one_of)) {
      ProtoMessage one;
      one.integer(perf_sample::kPid, std::uint64_t{process.pid});
      one.integer(perf_sample::kTid, std::uint64_t{thread.tid});
      one.integer(perf_sample::kCallstack, stack);
      write(at(next), packet::kPerfSample, one);
    }
    done = end_of_these;
  }
  return packets;
}

}  // namespace prof::formats::perfetto
