#include "report/fold/training/operators_by_step.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "report/fold/training/operator_text.hpp"
#include "report/fold/training/trace_links.hpp"
#include "report/fold/training/trace_steps.hpp"

namespace prof::fold {
namespace {

using model::TraceEvent;

constexpr std::size_t kNone = SIZE_MAX;

struct RowKey {
  std::size_t process = 0;
  std::optional<std::int64_t> step;
  std::string name, kind;
  auto operator<=>(const RowKey&) const = default;
};

// A call of an operator, or a scope of the program's own.
struct Call {
  const TraceEvent* event = nullptr;
  std::size_t parent = kNone;  // index of the one around it
  std::int64_t nested_ns = 0;
  std::int64_t self_gpu_ns = 0, gpu_ns = 0;
  std::size_t inside = 0;  // calls directly in it
};

std::int64_t ns_of(const TraceEvent& event) {
  return model::to_signed(event.end_monotonic_ns - event.start_monotonic_ns);
}

// The calls of one process, added to the rows of all.
class StepFold {
 public:
  StepFold(std::size_t index, const model::Process& process, const Selection& selection,
           std::optional<std::int64_t> only, std::map<RowKey, std::size_t>& keys, Operators& out)
      : index_(index),
        process_(process),
        trace_(*process.tree.trace),
        selection_(selection),
        only_(only),
        keys_(keys),
        out_(out) {}

  void run() {
    const std::vector<std::size_t> order = by_thread(trace_);
    steps_ = trace_steps(process_, order);
    std::stable_sort(steps_.begin(), steps_.end(), [](const TraceStep& a, const TraceStep& b) {
      return a.begin_monotonic_ns < b.begin_monotonic_ns;
    });
    for (const TraceStep& step : steps_) out_.steps.push_back({index_, step.number, is_whole(step)});
    find_calls(order);
    add_work();
    add_rows();
  }

 private:
  // Whether no event of the step can be missing.
  bool is_whole(const TraceStep& step) const {
    if (trace_.overwritten > 0) {
      // Events are written when they end: those that the ring no longer has ended before the oldest that it has.
      const auto oldest = std::find_if(trace_.events.begin(), trace_.events.end(), [](const TraceEvent& at) {
        return at.kind != log::TraceKind::Device && !at.ended_elsewhere;
      });
      if (oldest == trace_.events.end() || step.begin_monotonic_ns < oldest->end_monotonic_ns) return false;
    }
    return std::none_of(process_.window.begin(), process_.window.end(), [&](const auto& edge) {
      return edge.monotonic_ns > step.begin_monotonic_ns && edge.monotonic_ns < step.end_monotonic_ns;
    });
  }

  bool is_call(const TraceEvent& at) const {
    if (at.kind == log::TraceKind::Operator) return true;
    if (at.kind != log::TraceKind::Range || at.node == 0) return false;
    const std::uint32_t id = process_.tree.frames[at.frame].name;
    return id != model::kNoName && process_.names[id].group == kScopes;
  }

  void find_calls(const std::vector<std::size_t>& order) {
    std::unordered_set<std::uint32_t> tids;
    for (const model::Thread& thread : process_.threads) {
      if (selection_.includes(thread)) tids.insert(thread.tid);
    }
    std::vector<std::size_t> open;  // the innermost last
    for (const std::size_t i : order) {
      const TraceEvent& at = trace_.events[i];
      if (selection_.by_thread() && !tids.contains(at.tid)) continue;
      while (!open.empty() && (calls_[open.back()].event->tid != at.tid ||
                               calls_[open.back()].event->end_monotonic_ns <= at.start_monotonic_ns)) {
        open.pop_back();
      }
      const std::size_t parent = open.empty() ? kNone : open.back();
      if (is_call(at)) {
        if (parent != kNone) {
          calls_[parent].nested_ns = model::saturated_sum(calls_[parent].nested_ns, ns_of(at));
          ++calls_[parent].inside;
        }
        if (!at.ended_elsewhere) open.push_back(calls_.size());
        calls_.push_back({&at, parent});
      } else if (at.correlation != 0 && parent != kNone) {
        asked_.try_emplace(at.correlation, parent);
      }
    }
  }

  // What devices did, to the operators that asked for it.
  void add_work() {
    for (const TraceEvent& at : trace_.events) {
      if (at.kind != log::TraceKind::Device || at.correlation == 0) continue;
      const auto call = asked_.find(at.correlation);
      if (call == asked_.end()) continue;
      std::int64_t& ns = calls_[call->second].self_gpu_ns;
      ns = model::saturated_sum(ns, ns_of(at));
    }
    for (std::size_t i = calls_.size(); i-- > 0;) {
      Call& call = calls_[i];
      call.gpu_ns = model::saturated_sum(call.gpu_ns, call.self_gpu_ns);
      if (call.parent == kNone) continue;
      calls_[call.parent].gpu_ns = model::saturated_sum(calls_[call.parent].gpu_ns, call.gpu_ns);
    }
  }

  // Outer calls stand before those inside.
  void add_rows() {
    struct OpenCall {
      std::size_t call, row;  // row: kNone where it is not chosen
      bool focused, ignored;
      std::string name;
    };
    std::vector<OpenCall> path;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const Call& call = calls_[i];
      while (!path.empty() && path.back().call != call.parent) {
        if (path.back().row != kNone) --open_[path.back().row];
        path.pop_back();
      }
      const OperatorText text = operator_text(process_, call.event->frame);
      const bool focused =
          !selection_.focus || (!path.empty() && path.back().focused) || selection_.focus->matches(text.name);
      const bool ignored =
          (!path.empty() && path.back().ignored) || (selection_.ignore && selection_.ignore->matches(text.name));
      std::size_t row = kNone;
      if (focused && !ignored) {
        // An overload that does nothing but call another one is one with it, as for torch.profiler.
        const bool is_one = !path.empty() && path.back().row != kNone && path.back().name == text.name &&
                            calls_[call.parent].inside == 1;
        row = is_one ? path.back().row : row_of(step_of(*call.event), text);
        if (row != kNone) add(call, out_.rows[row], is_one, open_[row] == 0);
      }
      if (row != kNone) ++open_[row];
      path.push_back({i, row, focused, ignored, text.name});
    }
  }

  void add(const Call& call, OperatorRow& row, bool is_one, bool outermost) {
    const std::int64_t ns = ns_of(*call.event);
    const std::int64_t self =
        call.event->ended_elsewhere ? 0 : std::max<std::int64_t>(0, model::saturated_difference(ns, call.nested_ns));
    row.self_ns = model::saturated_sum(row.self_ns, self);
    row.self_gpu_ns = model::saturated_sum(row.self_gpu_ns, call.self_gpu_ns);
    out_.self_ns = model::saturated_sum(out_.self_ns, self);
    out_.self_gpu_ns = model::saturated_sum(out_.self_gpu_ns, call.self_gpu_ns);
    if (outermost) {
      row.total_ns = model::saturated_sum(row.total_ns, ns);
      row.gpu_ns = model::saturated_sum(row.gpu_ns, call.gpu_ns);
    }
    if (is_one) return;
    row.calls = model::saturated_sum(row.calls, 1);
    row.each_ns = model::saturated_sum(row.each_ns, ns);
    row.each += model::Extremes{ns, ns};
  }

  // Its number; none: it began outside of all steps.
  std::optional<std::int64_t> step_of(const TraceEvent& at) const {
    const auto next =
        std::upper_bound(steps_.begin(), steps_.end(), at.start_monotonic_ns,
                         [](std::uint64_t ns, const TraceStep& step) { return ns < step.begin_monotonic_ns; });
    if (next == steps_.begin() || at.start_monotonic_ns >= std::prev(next)->end_monotonic_ns) return std::nullopt;
    return std::prev(next)->number;
  }

  // kNone: of another step than the one that is asked for.
  std::size_t row_of(std::optional<std::int64_t> step, const OperatorText& text) {
    if (only_ && step != only_) return kNone;
    const auto [found, is_new] = keys_.try_emplace({index_, step, text.name, text.kind}, out_.rows.size());
    if (is_new) {
      OperatorRow row;
      row.name = text.name;
      row.kind = text.kind;
      row.process = index_;
      row.step = step;
      out_.rows.push_back(std::move(row));
    }
    open_.resize(out_.rows.size(), 0);
    return found->second;
  }

  static constexpr const char* kScopes = "record_function";  // the domain of their ranges

  const std::size_t index_;
  const model::Process& process_;
  const model::Trace& trace_;
  const Selection& selection_;
  const std::optional<std::int64_t> only_;
  std::map<RowKey, std::size_t>& keys_;
  Operators& out_;
  std::vector<TraceStep> steps_;
  std::vector<Call> calls_;
  std::unordered_map<std::uint32_t, std::size_t> asked_;  // by correlation: the call that asked a device
  std::vector<std::uint32_t> open_;                       // by row: how often it is on the path
};

}  // namespace

Operators operators_by_step(const model::Run& run, const Selection& selection, std::optional<std::int64_t> step) {
  Operators out;
  std::map<RowKey, std::size_t> keys;
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    const model::Process& process = run.processes[i];
    if (!process.tree.trace || !selection.includes(process)) continue;
    out.traced = true;
    out.gpu_known |= model::saw_devices(process);
    StepFold(i, process, selection, step, keys, out).run();
  }
  std::stable_sort(out.rows.begin(), out.rows.end(), [](const OperatorRow& a, const OperatorRow& b) {
    const auto place = [](const OperatorRow& row) {
      return std::tuple(*row.process, !row.step, row.step.value_or(0), -row.self_ns);
    };
    return place(a) < place(b);
  });
  return out;
}

}  // namespace prof::fold
