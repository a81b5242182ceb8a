#include "report/formats/perfetto/perfetto.hpp"

#include <algorithm>
#include <utility>

#include "report/formats/perfetto/fields.hpp"
#include "report/formats/perfetto/parts.hpp"
#include "report/show/processes.hpp"

namespace prof::formats {
namespace perfetto {
namespace {

// Of a run of days there may be more samples than any viewer opens.
constexpr std::uint64_t kMostSamples = 1'000'000;

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

}  // namespace
}  // namespace perfetto

PerfettoResult perfetto_trace(const show::Subject& subject, bool whole_names, const Write& write) {
  using namespace perfetto;
  PerfettoResult result;
  const std::vector<std::size_t> processes = show::selected_processes(subject);
  if (processes.empty()) return result;
  std::uint64_t samples = 0;
  for (const std::size_t index : processes) {
    const model::Process& process = subject.run.processes[index];
    for (const auto& row : process.tree.cpu)
      samples += static_cast<std::uint64_t>(std::max<std::int64_t>(0, row.metric.samples));
    if (process.tree.trace) {
      result.overwritten = model::saturated_sum(result.overwritten, process.tree.trace->overwritten);
    }
  }
  result.samples = samples;
  result.one_sample_of = (samples + kMostSamples - 1) / kMostSamples;
  if (result.one_sample_of == 0) result.one_sample_of = 1;

  Sequence sequence(subject.symbols, whole_names, write);
  write_clocks(sequence, subject.run);
  for (std::size_t order = 0; order < processes.size(); ++order) {
    const std::size_t index = processes[order];
    const model::Process& process = subject.run.processes[index];
    Tracks tracks(sequence, subject, process, order);
    result.packets += write_events(sequence, tracks, subject, index);
    result.packets += write_counters(sequence, tracks, process);
    fold::Selection selection = subject.selection;
    selection.log_id = process.log_id;
    const auto tree = [&] {
      return fold::build_call_tree(subject.run, subject.symbols, selection, fold::Granularity::Line);
    };
    if (!selection.by_thread()) result.packets += write_heaps(sequence, tracks, process, tree());
    for (const model::Thread& thread : process.threads) {
      if (thread.agent || !subject.selection.includes(thread)) continue;
      selection.threads = {std::to_string(thread.tid)};
      const fold::CallTree own = tree();
      if (own.nodes().size() < 2) continue;
      tracks.thread(thread.tid);
      result.packets += write_cpu(sequence, tracks, process, thread, own, result.one_sample_of);
    }
  }
  return result;
}

}  // namespace prof::formats
