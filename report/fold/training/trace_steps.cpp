#include "report/fold/training/trace_steps.hpp"

#include <algorithm>
#include <span>

namespace prof::fold {
namespace {

using model::Step;
using model::TraceEvent;

// Beyond, a number is not exact in JSON: the log is damaged.
bool is_sound(const Step& step) {
  constexpr std::int64_t kMost = std::int64_t{1} << 52;
  return step.count > 0 && step.first >= 0 && step.count <= kMost && step.first <= kMost;
}

std::uint64_t middle(const TraceEvent& at) {
  return at.start_monotonic_ns + (at.end_monotonic_ns - at.start_monotonic_ns) / 2;
}

// What tells of the steps in the trace.
class Marks {
 public:
  Marks(const model::Process& process, const std::vector<std::size_t>& by_thread, bool profilers) {
    const model::Trace& trace = *process.tree.trace;
    const std::string name = profilers ? kProfilerStep : process.steps.name;
    std::vector<bool> called(process.names.size());
    for (std::size_t i = 0; i < called.size(); ++i) called[i] = !name.empty() && process.names[i].name == name;
    for (const std::size_t i : by_thread) {
      const TraceEvent& at = trace.events[i];
      if (at.kind != log::TraceKind::Range && at.kind != log::TraceKind::Operator) continue;
      const std::uint32_t id = process.tree.frames[at.frame].name;
      if (id == model::kNoName || !called[id]) continue;
      if (profilers || at.tid == process.steps.tid) marks_.push_back(i);
    }
    std::stable_sort(marks_.begin(), marks_.end(),
                     [&](std::size_t a, std::size_t b) { return middle(trace.events[a]) < middle(trace.events[b]); });
    trace_ = &trace;
  }

  std::span<const std::size_t> all() const { return marks_; }

  // Those whose middle lies in the step, the last `count` of them.
  std::span<const std::size_t> of(const Step& step) const {
    if (!is_sound(step)) return {};
    const auto before = [&](std::size_t mark, std::uint64_t at) { return middle(trace_->events[mark]) < at; };
    const auto from = std::lower_bound(marks_.begin(), marks_.end(), step.begin_monotonic_ns, before);
    const auto to = std::lower_bound(from, marks_.end(), step.end_monotonic_ns, before);
    const std::span<const std::size_t> found(from, to);
    return found.last(std::min(found.size(), static_cast<std::size_t>(step.count)));
  }

 private:
  const model::Trace* trace_ = nullptr;
  std::vector<std::size_t> marks_;
};

// Those of torch.profiler's own schedule. They have the numbers of the steps where steps were found by them, else
// count from 1 on.
std::vector<TraceStep> profilers_own(const model::Process& process, const Marks& marks) {
  const std::vector<TraceEvent>& events = process.tree.trace->events;
  std::vector<TraceStep> steps;
  const auto add = [&](std::size_t mark, std::int64_t number) {
    const TraceEvent& at = events[mark];
    steps.push_back({number, at.tid, at.start_monotonic_ns, at.end_monotonic_ns, mark});
  };
  if (process.steps.source == log::StepSource::Profiler) {
    for (const Step& step : process.steps.records) {
      const auto found = marks.of(step);
      for (std::size_t i = 0; i < found.size(); ++i) {
        add(found[i], step.first + step.count - static_cast<std::int64_t>(found.size() - i));
      }
    }
  }
  std::vector<std::size_t> known;
  for (const TraceStep& step : steps) known.push_back(*step.event);
  std::sort(known.begin(), known.end());
  std::int64_t next = steps.empty() ? 1 : steps.back().number + 1;
  for (const std::size_t mark : marks.all()) {
    if (!std::binary_search(known.begin(), known.end(), mark)) add(mark, next++);
  }
  return steps;
}

// Of neighbours that were merged, those that what they were found by tells apart.
void add_merged(const model::Process& process, const Marks& marks, const Step& step, std::vector<TraceStep>& steps) {
  const std::vector<TraceEvent>& events = process.tree.trace->events;
  const auto found = marks.of(step);
  const bool between = process.steps.source == log::StepSource::Optimizer;  // from the end of one to that of the next
  const std::int64_t first = step.first + step.count - static_cast<std::int64_t>(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const TraceEvent& at = events[found[i]];
    std::uint64_t begin = at.start_monotonic_ns;
    if (between && i > 0)
      begin = events[found[i - 1]].end_monotonic_ns;
    else if (between && first == step.first)
      begin = step.begin_monotonic_ns;
    else if (between)
      continue;
    steps.push_back({first + static_cast<std::int64_t>(i), process.steps.tid, begin, at.end_monotonic_ns, {}});
  }
}

// Moves through a thread's spans, which are sorted as by_thread() does.
class Spans {
 public:
  Spans(const model::Trace& trace, std::span<const std::size_t> sorted) : trace_(trace), sorted_(sorted) {}

  // `at` is never less than before. The nearer end of the outermost span that has `at` inside, and not all from `begin`
  // to `end`; else `at`.
  std::uint64_t edge(std::uint64_t at, std::uint64_t begin, std::uint64_t end) {
    for (; next_ < sorted_.size() && span(sorted_[next_]).start_monotonic_ns < at; ++next_)
      open_.push_back(sorted_[next_]);
    std::erase_if(open_, [&](std::size_t i) { return span(i).end_monotonic_ns <= at; });
    for (const std::size_t i : open_) {
      const std::uint64_t from = span(i).start_monotonic_ns, to = span(i).end_monotonic_ns;
      if (from <= begin && to >= end) continue;
      return at - from < to - at ? from : to;
    }
    return at;
  }
  // Whether a span begins from `begin` on, before `end`.
  bool any(std::uint64_t begin, std::uint64_t end) const {
    const auto found = std::lower_bound(sorted_.begin(), sorted_.end(), begin, [&](std::size_t i, std::uint64_t at) {
      return span(i).start_monotonic_ns < at;
    });
    return found != sorted_.end() && span(*found).start_monotonic_ns < end;
  }

 private:
  const TraceEvent& span(std::size_t i) const { return trace_.events[i]; }
  const model::Trace& trace_;
  std::span<const std::size_t> sorted_;
  std::size_t next_ = 0;
  std::vector<std::size_t> open_;  // the outermost first
};

std::vector<std::size_t> spans_of(const model::Trace& trace, const std::vector<std::size_t>& by_thread,
                                  std::uint32_t tid) {
  std::vector<std::size_t> out;
  for (const std::size_t i : by_thread) {
    const TraceEvent& at = trace.events[i];
    const bool loose = at.kind == log::TraceKind::Range && at.node == 0;
    if (at.tid == tid && !loose) out.push_back(i);
  }
  return out;
}

}  // namespace

std::vector<TraceStep> trace_steps(const model::Process& process, const std::vector<std::size_t>& by_thread) {
  const model::Trace& trace = *process.tree.trace;
  if (const Marks own(process, by_thread, true); !own.all().empty()) return profilers_own(process, own);

  const Marks marks(process, by_thread, false);
  std::vector<TraceStep> found;
  for (const Step& step : process.steps.records) {
    if (!is_sound(step)) continue;
    if (step.count == 1)
      found.push_back({step.first, process.steps.tid, step.begin_monotonic_ns, step.end_monotonic_ns, {}});
    else
      add_merged(process, marks, step, found);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const TraceStep& a, const TraceStep& b) { return a.begin_monotonic_ns < b.begin_monotonic_ns; });
  const std::vector<std::size_t> sorted = spans_of(trace, by_thread, process.steps.tid);
  Spans spans(trace, sorted);
  std::vector<TraceStep> steps;
  std::uint64_t last = 0, looked = 0;
  for (TraceStep step : found) {
    const std::uint64_t begin = std::max({step.begin_monotonic_ns, last, looked}), end = step.end_monotonic_ns;
    if (begin >= end || !spans.any(begin, end)) continue;
    looked = end;
    step.begin_monotonic_ns = std::max(spans.edge(begin, begin, end), last);
    step.end_monotonic_ns = spans.edge(end, begin, end);
    if (step.begin_monotonic_ns >= step.end_monotonic_ns) continue;
    last = step.end_monotonic_ns;
    steps.push_back(step);
  }
  return steps;
}

}  // namespace prof::fold
