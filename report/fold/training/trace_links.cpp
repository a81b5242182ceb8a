#include "report/fold/training/trace_links.hpp"

#include <algorithm>
#include <tuple>
#include <unordered_map>

namespace prof::fold {

using model::TraceEvent;

std::vector<std::size_t> by_thread(const model::Trace& trace) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (trace.events[i].kind != log::TraceKind::Device) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const TraceEvent &x = trace.events[a], &y = trace.events[b];
    return std::tie(x.tid, x.start_monotonic_ns, y.end_monotonic_ns) <
           std::tie(y.tid, y.start_monotonic_ns, x.end_monotonic_ns);
  });
  return order;
}

std::vector<std::uint32_t> operator_numbers(const model::Trace& trace, const std::vector<std::size_t>& by_thread) {
  std::vector<std::uint32_t> numbers(trace.events.size(), 0);
  std::unordered_map<std::uint32_t, std::uint32_t> asked;  // by correlation: the number of the call's operator
  std::vector<std::size_t> open;                           // operators, the innermost last
  std::uint32_t next = 0;
  for (const std::size_t i : by_thread) {
    const TraceEvent& at = trace.events[i];
    while (!open.empty() && (trace.events[open.back()].tid != at.tid ||
                             trace.events[open.back()].end_monotonic_ns <= at.start_monotonic_ns)) {
      open.pop_back();
    }
    if (at.kind == log::TraceKind::Operator || at.kind == log::TraceKind::Range) {
      numbers[i] = ++next;
      // A range that may end anywhere holds nothing.
      if (at.kind == log::TraceKind::Operator || at.node != 0) open.push_back(i);
    } else if (!open.empty()) {
      numbers[i] = numbers[open.back()];
    }
    if (at.correlation != 0 && numbers[i] != 0) asked.try_emplace(at.correlation, numbers[i]);
  }
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& at = trace.events[i];
    if (at.kind != log::TraceKind::Device || at.correlation == 0) continue;
    if (const auto found = asked.find(at.correlation); found != asked.end()) numbers[i] = found->second;
  }
  return numbers;
}

}  // namespace prof::fold
