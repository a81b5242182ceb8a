#include "report/formats/perfetto/perfetto.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "report/formats/perfetto/fields.hpp"
#include "report/formats/perfetto/parts.hpp"
#include "report/show/processes.hpp"

namespace prof::formats {
namespace perfetto {
namespace {

// The clocks, and what StackSamples weigh. Packets count from the start of the run, which takes half of the room.
void write_clocks(Sequence& sequence, const model::Run& run) {
  ProtoMessage snapshot, packet, weight, samples, defaults;
  const auto clock = [&](unsigned id, std::uint64_t ns) {
    ProtoMessage out;
    out.integer(clock::kId, std::uint64_t{id});
    out.present(clock::kTimestamp, model::to_signed(ns));
    snapshot.message(clock::kClocks, out);
  };
  clock(clock::kRealtime, run.start_realtime_ns);
  clock(clock::kMonotonic, run.processes.front().start_monotonic_ns);
  clock(clock::kMonotonicCoarse, run.processes.front().start_monotonic_ns);
  clock(clock::kRun, 0);
  snapshot.integer(clock::kPrimary, std::uint64_t{clock::kRealtime});
  weight.text(stack_sample::kName, "CPU time");
  weight.integer(stack_sample::kUnit, std::uint64_t{stack_sample::kNanoseconds});
  samples.message(defaults::kPrimary, weight);
  defaults.integer(defaults::kClock, std::uint64_t{clock::kRun});
  defaults.message(defaults::kStackSample, samples);
  packet.message(packet::kClockSnapshot, snapshot);
  packet.message(packet::kDefaults, defaults);
  sequence.write(std::move(packet));
}

PerfettoResult write_all(const show::Subject& subject, const PerfettoOptions& options, const Write& write) {
  PerfettoResult result;
  const std::vector<std::size_t> processes = show::selected_processes(subject);
  if (processes.empty()) return result;
  std::uint64_t samples = 0;
  for (const std::size_t index : processes) {
    const model::Process& process = subject.run.processes[index];
    for (const auto& row : process.tree.cpu) {
      const std::int64_t count = std::max<std::int64_t>(0, row.metric.samples);
      samples = model::saturated_sum(samples, static_cast<std::uint64_t>(count));
    }
    if (process.tree.trace) {
      result.overwritten = model::saturated_sum(result.overwritten, process.tree.trace->overwritten);
    }
  }
  result.samples = samples;
  const std::uint64_t most = options.most_samples;
  result.one_sample_of = std::max<std::uint64_t>(1, samples / most + (samples % most != 0 ? 1 : 0));

  Sequence sequence(subject.symbols, options.whole_names, write);
  write_clocks(sequence, subject.run);
  std::vector<Tracks> tracks;
  tracks.reserve(processes.size());
  const auto tree_of = [&](const model::Process& process, std::vector<std::string> threads) {
    fold::Selection selection = subject.selection;
    selection.log_id = process.log_id;
    if (!threads.empty()) selection.threads = std::move(threads);
    return fold::build_call_tree(subject.run, subject.symbols, selection, fold::Granularity::Line);
  };
  for (const std::size_t index : processes) {
    const model::Process& process = subject.run.processes[index];
    Tracks& own = tracks.emplace_back(sequence, subject, process, tracks.size());
    result.packets += write_events(sequence, own, subject, index);
    result.packets += write_counters(sequence, own, process);
    for (const model::Thread& thread : process.threads) {
      if (thread.agent || !subject.selection.includes(thread)) continue;
      const fold::CallTree tree = tree_of(process, {std::to_string(thread.tid)});
      if (tree.nodes().size() < 2) continue;
      own.thread(thread.tid);
      result.packets += write_cpu(sequence, own, process, thread, tree, result.one_sample_of);
    }
  }
  if (subject.selection.by_thread()) return result;
  // Heap profiles are numbered, and readers take them by their times.
  std::vector<std::size_t> by_end(processes.size());
  std::iota(by_end.begin(), by_end.end(), 0U);
  const auto end_of = [&](std::size_t i) {
    return tracks[i].time(subject.run.processes[processes[i]].end_monotonic_ns);
  };
  std::stable_sort(by_end.begin(), by_end.end(), [&](std::size_t a, std::size_t b) { return end_of(a) < end_of(b); });
  for (const std::size_t i : by_end) {
    const model::Process& process = subject.run.processes[processes[i]];
    result.packets += write_heaps(sequence, tracks[i], process, tree_of(process, {}));
  }
  return result;
}

}  // namespace
}  // namespace perfetto

PerfettoResult perfetto_trace(const show::Subject& subject, const PerfettoOptions& options, const Write& write) {
  return perfetto::write_all(subject, options, write);
}

}  // namespace prof::formats
