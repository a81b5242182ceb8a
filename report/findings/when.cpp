#include "report/findings/when.hpp"

#include <algorithm>

#include "report/model/text.hpp"

namespace prof::findings {
namespace {

const model::Process& first_image(const model::Run& run, const model::Process& process) {
  const model::Process* first = &process;
  while (first->image > 0 && first->previous_image) first = &run.processes[*first->previous_image];
  return *first;
}

}  // namespace

Span steady_span(const fold::StepTable& table) {
  Span out{table.process, UINT64_MAX, 0};
  if (table.steps != nullptr) {
    for (const model::Step& step : table.steps->records) {
      if (step.first <= table.warmup) continue;
      out.begin_monotonic_ns = std::min(out.begin_monotonic_ns, step.begin_monotonic_ns);
      out.end_monotonic_ns = std::max(out.end_monotonic_ns, step.end_monotonic_ns);
    }
  }
  return out.begin_monotonic_ns <= out.end_monotonic_ns ? out : Span{table.process, 0, 0};
}

std::vector<Span> steady_spans(const Evidence& evidence) {
  std::vector<Span> out;
  for (const fold::StepTable& table : evidence.steps()) {
    if (const Span span = steady_span(table); span.end_monotonic_ns > 0) out.push_back(span);
  }
  return out;
}

std::vector<Span> at_heap_peak(const Evidence& evidence) {
  const auto& processes = evidence.run().processes;
  std::vector<Span> out;
  std::int64_t most = 0;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const model::Process& process = processes[i];
    if (!evidence.selection().includes(process) || process.heap_peak_bytes <= most) continue;
    most = process.heap_peak_bytes;
    out.clear();
    if (process.heap_peak_monotonic_ns)
      out.push_back({i, *process.heap_peak_monotonic_ns, *process.heap_peak_monotonic_ns});
  }
  return out;
}

Span last_seconds(const model::Run& run, std::size_t process, std::uint64_t end_ns, double seconds) {
  const std::uint64_t start = run.processes[process].start_monotonic_ns;
  const double most = end_ns > start ? static_cast<double>(end_ns - start) : 0;
  return {process, end_ns - static_cast<std::uint64_t>(whole_number(std::clamp(seconds * 1e9, 0.0, most))), end_ns};
}

void keep_to_lives(const model::Run& run, std::vector<Span>& spans) {
  for (Span& span : spans) {
    const model::Process& process = run.processes[span.process];
    span.begin_monotonic_ns = std::max(span.begin_monotonic_ns, first_image(run, process).start_monotonic_ns);
    span.end_monotonic_ns = std::min(span.end_monotonic_ns, process.end_monotonic_ns);
  }
  std::erase_if(spans, [](const Span& span) { return span.begin_monotonic_ns > span.end_monotonic_ns; });
}

}  // namespace prof::findings
