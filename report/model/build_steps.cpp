#include "report/model/build_steps.hpp"

#include <algorithm>

namespace prof::model {
namespace {

std::string name_of(std::uint64_t word, const Ids& ids, const Process& process) {
  const Frame frame = frame_of(word, ids);
  if (frame.kind == Frame::Kind::Named && frame.name != kNoName) return process.names[frame.name].name;
  if (frame.code == kNoCode) return {};
  const Code& code = process.codes[frame.code];
  return code.qualname.empty() ? code.name : code.qualname;
}

StepFigures figures_of(const log::StepFigures& raw, std::int64_t ns) {
  StepFigures out;
  std::int64_t told = 0;
  for (std::size_t i = 0; i < out.parts_ns.size(); ++i) {
    out.parts_ns[i] = to_signed(raw.parts_ns[i]);
    told = saturated_sum(told, out.parts_ns[i]);
  }
  for (std::size_t i = 0; i < out.blocked_ns.size(); ++i) out.blocked_ns[i] = to_signed(raw.blocked_ns[i]);
  if (told < ns) {
    std::int64_t& other = out.parts_ns[static_cast<std::size_t>(log::StepPart::Other)];
    other = saturated_sum(other, ns - told);
  }
  return out;
}

Step step_of(const log::StepRecord& raw) {
  Step step;
  step.count = to_signed(raw.count);
  step.first = to_signed(raw.first);
  step.begin_monotonic_ns = raw.begin_ns;
  step.end_monotonic_ns = std::max(raw.begin_ns, raw.end_ns);
  step.ns = to_signed(raw.ns);
  step.cpu_ns = to_signed(raw.cpu_ns);
  step.process_cpu_ns = to_signed(raw.process_cpu_ns);
  step.figures = figures_of(raw.sum, step.ns);
  if (step.count == 1) {
    step.longest = step.first;
    step.shortest_ns = step.longest_ns = step.ns;
    step.longest_cpu_ns = step.cpu_ns;
    step.longest_figures = step.figures;
    return step;
  }
  // No longer than all of them.
  step.longest_ns = std::min(to_signed(raw.longest_ns), step.ns);
  step.shortest_ns = std::min(to_signed(raw.shortest_ns), step.longest_ns);
  step.longest = std::clamp(to_signed(raw.longest), step.first, step.first + step.count - 1);
  step.longest_cpu_ns = to_signed(raw.longest_cpu_ns);
  step.longest_figures = figures_of(raw.longest_figures, step.longest_ns);
  return step;
}

log::StepSource source_of(log::StepSource raw) {
  return raw > log::StepSource::Range ? log::StepSource::None : raw;  // of a newer agent
}

}  // namespace

StepFigures& StepFigures::operator+=(const StepFigures& other) {
  for (std::size_t i = 0; i < parts_ns.size(); ++i) parts_ns[i] = saturated_sum(parts_ns[i], other.parts_ns[i]);
  for (std::size_t i = 0; i < blocked_ns.size(); ++i) blocked_ns[i] = saturated_sum(blocked_ns[i], other.blocked_ns[i]);
  return *this;
}

Steps build_steps(const read::RawSteps& raw, const Ids& ids, const Process& process) {
  Steps steps;
  steps.source = source_of(raw.header.source);
  steps.name = name_of(raw.header.frame, ids, process);
  steps.tid = raw.header.tid;
  steps.per = std::max<std::int64_t>(1, to_signed(raw.header.per));
  steps.dropped = to_signed(raw.header.dropped);
  for (const log::StepRecord& record : raw.records) steps.records.push_back(step_of(record));
  return steps;
}

}  // namespace prof::model
