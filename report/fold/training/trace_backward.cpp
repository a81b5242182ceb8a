#include "report/fold/training/trace_backward.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace prof::fold {
namespace {

using model::TraceEvent;

// Operators that gave numbers, by thread, then by their first number, outer ones first.
class Makers {
 public:
  Makers(const model::Trace& trace, std::vector<std::size_t> operators)
      : trace_(trace), operators_(std::move(operators)) {
    std::stable_sort(operators_.begin(), operators_.end(), [&](std::size_t a, std::size_t b) {
      const TraceEvent &x = trace_.events[a], &y = trace_.events[b];
      return std::tuple(x.sequence_thread, *x.sequence, x.start_monotonic_ns, y.end_monotonic_ns) <
             std::tuple(y.sequence_thread, *y.sequence, y.start_monotonic_ns, x.end_monotonic_ns);
    });
  }

  // The innermost one that ran when the number was given; null: it is not in the trace.
  const std::size_t* of(std::uint32_t thread, std::uint64_t number) const {
    // An operator that gives several numbers itself gives few: those before it that do not have the number inside are
    // its own inner ones.
    constexpr int kMostLooked = 64;
    const auto behind = std::upper_bound(
        operators_.begin(), operators_.end(), std::pair(thread, number), [&](const auto& key, std::size_t i) {
          return key < std::pair(trace_.events[i].sequence_thread, *trace_.events[i].sequence);
        });
    for (auto at = behind; at != operators_.begin() && behind - at < kMostLooked;) {
      const TraceEvent& event = trace_.events[*--at];
      if (event.sequence_thread != thread) return nullptr;
      if (number - *event.sequence < event.numbers) return &*at;
    }
    return nullptr;
  }

 private:
  const model::Trace& trace_;
  std::vector<std::size_t> operators_;
};

}  // namespace

bool is_backward(const model::Process& process, const TraceEvent& event) {
  const std::uint32_t id = process.tree.frames[event.frame].name;
  return event.kind == log::TraceKind::Operator && id != model::kNoName &&
         process.names[id].group.starts_with("backward");
}

std::vector<BackwardLink> backward_links(const model::Process& process) {
  const model::Trace& trace = *process.tree.trace;
  std::vector<std::size_t> makers, functions;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& at = trace.events[i];
    if (!at.sequence) continue;
    if (is_backward(process, at))
      functions.push_back(i);
    else if (at.numbers > 0)
      makers.push_back(i);
  }
  std::stable_sort(functions.begin(), functions.end(), [&](std::size_t a, std::size_t b) {
    const TraceEvent &x = trace.events[a], &y = trace.events[b];
    return std::tuple(x.start_monotonic_ns, y.end_monotonic_ns) < std::tuple(y.start_monotonic_ns, x.end_monotonic_ns);
  });
  const Makers all(trace, std::move(makers));
  std::vector<BackwardLink> links;
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>, std::uint64_t> ends;  // of those that have a link
  for (const std::size_t i : functions) {
    const TraceEvent& at = trace.events[i];
    std::uint64_t& end = ends[{at.sequence_thread, *at.sequence, at.tid}];
    if (at.end_monotonic_ns <= end) continue;
    end = at.end_monotonic_ns;
    const std::size_t* maker = all.of(at.sequence_thread, *at.sequence);
    if (maker != nullptr && trace.events[*maker].start_monotonic_ns <= at.start_monotonic_ns)
      links.push_back({*maker, i});
  }
  return links;
}

}  // namespace prof::fold
