#include "agent/steps/tracker.hpp"

#include "agent/capture/window.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/process.hpp"
#include "agent/core/text.hpp"
#include "agent/log/file.hpp"
#include "agent/steps/steps.hpp"

namespace prof::steps {
namespace {

using log::StepSource;

constexpr std::string_view kNvtx = "nvtx:";
// After so many steps of another optimiser, or without a batch, the program is at something else.
constexpr std::uint32_t kPatience = 8;
// torch.profiler may begin in the middle of a run: then the optimiser's steps stay what is counted.
constexpr std::uint64_t kSettled = 8;

OperatorTimes& times() { return shared.value.times; }
void expect_operator(bool expected) { shared.value.quiet.store(!expected, std::memory_order_relaxed); }

bool is_asked_for() { return process().options.step[0] != '\0'; }

bool is_asked_range(std::string_view text, std::string_view domain) {
  const std::string_view asked = process().options.step;
  return is_asked_for() && is_asked(asked.starts_with(kNvtx) ? from(asked, kNvtx.size()) : asked, text, domain);
}

}  // namespace

// Until somebody's steps are known it is the main thread's that are looked at.
bool Tracker::owns(const Guard& guard) {
  const std::uint32_t tid = guard.thread().tid, owner = shared.value.owner.load(std::memory_order_relaxed);
  if (owner == 0 && tid == process().pid) own(guard);
  return shared.value.owner.load(std::memory_order_relaxed) == tid;
}

void Tracker::own(const Guard& guard) {
  shared.value.owner.store(guard.thread().tid, std::memory_order_relaxed);
  parts_ = {};
  times().last_ended.store(0, std::memory_order_relaxed);
  begun_ = loader_ = hash_ = 0;
  expect_operator(true);
}

void Tracker::take_over(const Guard& guard, StepSource source, std::uint64_t frame) {
  records_.begin(guard, source, frame, guard.thread().tid);
  source_ = source;
  frame_ = frame;
  steps_ = 0;
}

void Tracker::read_clocks() {
  cpu_ = clock::thread_cpu();
  process_cpu_ = clock::process_cpu();
}

// `read_clocks` was called just before.
void Tracker::open(std::uint64_t now) {
  parts_.begin(times(), now);
  begun_ = now;
  step_cpu_ = cpu_;
  step_process_cpu_ = process_cpu_;
  in_window_ = capture::is_open(now);
  if (!parts_.in_scope()) expect_operator(true);
  const Schedule& schedule = process().options.schedule;
  if (schedule.active != 0) capture::want_details(schedule.is_active(steps_), now);
}

// What is not known to be a step yet.
void Tracker::open_if_none(std::uint64_t now) {
  if (begun_ != 0 || source_ != StepSource::None || is_asked_for()) return;
  read_clocks();
  open(now);
}

log::StepRecord Tracker::close(std::uint64_t now) {
  read_clocks();
  const std::uint64_t begun = begun_;
  begun_ = 0;
  return record_of(steps_ + 1, begun, now, cpu_ - step_cpu_, process_cpu_ - step_process_cpu_,
                   parts_.end(times(), now));
}

void Tracker::publish(const Guard& guard, const log::StepRecord& step) {
  const std::uint64_t index = steps_++;
  if (in_window_ && capture::is_open(step.end_ns))
    records_.add(guard, step);
  else
    records_.drop();
  if (!process().options.schedule.ends_window(index)) return;
  capture::want_details(false, step.end_ns);
  if (log::Header* h = log::header()) __atomic_fetch_add(&h->windows, 1, __ATOMIC_RELEASE);
}

Mark Tracker::mark_of_range(std::string_view text, std::string_view domain, bool outermost) {
  const Mark mark = is_asked_range(text, domain) ? Mark::Asked : mark_of(text, domain);
  return mark == Mark::None && outermost && !of_library(domain) ? Mark::Outermost : mark;
}

bool Tracker::may_take_outermost() const {
  StepSource source;
  __atomic_load(&source_, &source, __ATOMIC_RELAXED);
  return !is_asked_for() && (source == StepSource::None || source == StepSource::Range);
}

Mark Tracker::range_begins(const Guard& guard, Mark mark, std::string_view text, std::string_view domain,
                           std::uint64_t frame, std::uint64_t now) {
  switch (mark) {
    case Mark::None:
      break;
    case Mark::Asked:
      return asked_begins(guard, frame, now) ? mark : Mark::None;
    case Mark::Profiler:
      return profiler_begins(guard, frame, now) ? mark : Mark::None;
    case Mark::Outermost:
      return outermost_begins(guard, hash_alike(text, domain), now) ? mark : Mark::None;
    case Mark::Data:
      if (!owns(guard)) return Mark::None;
      data_begins(guard, frame, now);
      parts_.enter(Scope::Data, times(), now);
      expect_operator(false);
      break;
    case Mark::Optimizer:
      if (!owns(guard)) {
        if (is_asked_for() || !may_change()) return Mark::None;
        own(guard);
      }
      open_if_none(now);
      parts_.enter(Scope::Optimizer, times(), now);
      expect_operator(false);
      break;
    case Mark::ZeroGrad:
      if (!owns(guard)) return Mark::None;
      if (source_ == StepSource::None && loader_ == 0 && !is_asked_for() && !parts_.learned()) {
        read_clocks();  // what was before it made the model
        open(now);
        outermost_.begun = 0;
      }
      parts_.enter(Scope::ZeroGrad, times(), now);
      expect_operator(false);
      break;
  }
  return mark;
}

void Tracker::range_ends(const Guard& guard, Mark mark, std::uint64_t frame, std::uint64_t now) {
  if (!owns(guard)) return;
  switch (mark) {
    case Mark::None:
      return;
    case Mark::Asked:
      return asked_ends(guard, now);
    case Mark::Profiler:
      if (source_ != StepSource::Profiler || begun_ == 0) return;
      // torch.profiler begins one more step than there are.
      if (const log::StepRecord step = close(now); !is_empty()) publish(guard, step);
      return;
    case Mark::Outermost:
      return outermost_ends(guard, frame, now);
    case Mark::Data:
      parts_.leave(Scope::Data, times(), now);
      break;
    case Mark::Optimizer:
      parts_.leave(Scope::Optimizer, times(), now);
      if (!parts_.in_scope()) optimizer_ended(guard, frame, now);
      break;
    case Mark::ZeroGrad:
      parts_.leave(Scope::ZeroGrad, times(), now);
      break;
  }
  if (!parts_.in_scope()) expect_operator(true);
}

bool Tracker::asked_begins(const Guard& guard, std::uint64_t frame, std::uint64_t now) {
  if (!owns(guard)) {
    if (source_ == StepSource::Asked) records_.drop();
    if (source_ == StepSource::Asked) return false;
    own(guard);
  }
  if (nested_++ > 0) return true;
  if (source_ != StepSource::Asked) take_over(guard, StepSource::Asked, frame);
  read_clocks();
  open(now);
  return true;
}

void Tracker::asked_ends(const Guard& guard, std::uint64_t now) {
  if (nested_ == 0 || --nested_ > 0 || begun_ == 0 || source_ != StepSource::Asked) return;
  publish(guard, close(now));
}

bool Tracker::profiler_begins(const Guard& guard, std::uint64_t frame, std::uint64_t now) {
  if (is_asked_for() || (source_ == StepSource::Optimizer && steps_ >= kSettled)) return false;
  if (source_ == StepSource::Profiler && !owns(guard)) return false;
  if (!owns(guard)) own(guard);
  if (source_ != StepSource::Profiler) take_over(guard, StepSource::Profiler, frame);
  read_clocks();
  open(now);
  return true;
}

void Tracker::data_begins(const Guard& guard, std::uint64_t frame, std::uint64_t now) {
  if (is_asked_for() || parts_.in_scope()) return;
  const bool again = loader_ == frame && begun_ != 0;
  batch_ = true;
  loader_ = frame;
  if (source_ == StepSource::Range && frame_ != frame) return;
  if (!may_change()) return;
  if (!again) {
    read_clocks();
  } else if (const log::StepRecord step = close(now); !is_empty()) {
    if (source_ == StepSource::None) take_over(guard, StepSource::Range, frame);
    publish(guard, step);
  }
  open(now);
}

void Tracker::optimizer_ended(const Guard& guard, std::uint64_t frame, std::uint64_t now) {
  if (is_asked_for()) return;
  if (parts_.learned_in_step()) {
    learns_ = true;
    unlearned_ = 0;
  } else if (source_ == StepSource::Optimizer && learns_) {
    // Another one for the same loss; or gradients come from elsewhere by now.
    if (++unlearned_ < kPatience) return;
    learns_ = false;
  }
  if (source_ == StepSource::Optimizer) {
    if (frame != frame_ && ++others_ < kPatience) return;
  } else {
    if (!may_change()) return;
    take_over(guard, StepSource::Optimizer, frame);
  }
  others_ = 0;
  frame_ = frame;
  if (batch_) {
    batch_ = false;
    without_batch_ = 0;
    ++batches_;
  } else if (batches_ > 1 && ++without_batch_ < kPatience) {
    return;  // another one for the same batch
  }
  if (begun_ != 0)
    publish(guard, close(now));
  else
    read_clocks();
  open(now);
}

bool Tracker::outermost_begins(const Guard& guard, std::uint64_t hash, std::uint64_t now) {
  if (is_asked_for() || !may_change() || loader_ != 0 || guard.thread().tid != process().pid || !owns(guard))
    return false;
  if (source_ == StepSource::Range && hash != hash_) return false;
  hash_ = hash;
  read_clocks();
  if (source_ == StepSource::Range || begun_ == 0) open(now);
  outermost_ = {now, cpu_, process_cpu_, parts_.so_far(times(), now)};
  if (!parts_.in_scope()) expect_operator(true);
  return true;
}

void Tracker::outermost_ends(const Guard& guard, std::uint64_t frame, std::uint64_t now) {
  const Outermost began = outermost_;
  outermost_.begun = 0;
  if (!may_change() || loader_ != 0 || began.begun == 0 || begun_ == 0) return;
  if (source_ == StepSource::Range) return publish(guard, close(now));
  read_clocks();
  const log::StepFigures figures = difference(parts_.so_far(times(), now), began.figures, now - began.begun);
  const std::uint64_t idle = figures.parts_ns[static_cast<std::uint32_t>(StepPart::Other)];
  if (operators_ && idle == now - began.begun) return;
  log::StepRecord step = record_of(1, began.begun, now, cpu_ - began.cpu, process_cpu_ - began.process_cpu, figures);
  for (Candidate& candidate : candidates_) {
    if (candidate.hash != hash_) continue;
    take_over(guard, StepSource::Range, frame);
    publish(guard, candidate.step);
    step.first = step.longest = steps_ + 1;
    begun_ = 0;
    return publish(guard, step);
  }
  candidates_[next_candidate_++ % kCandidates] = {hash_, step};
}

void Tracker::operator_begins(const Guard& guard, Role role, std::uint64_t now) {
  operators_ = true;
  if (!owns(guard)) return;
  open_if_none(now);
  expect_operator(parts_.operator_begins(role == Role::Collective, times(), now));
}

void Tracker::operator_begins_late(const Guard& guard, std::uint64_t now) {
  if (owns(guard)) parts_.settle(times(), now);
}

void Tracker::took(StepPart part, std::uint64_t began, std::uint64_t ended) {
  parts_.took(part, times(), began, ended);
}

void Tracker::waited_for_operators(std::uint64_t began, std::uint64_t ended) {
  parts_.waited_for_operators(times(), began, ended);
}

void Tracker::waited_outside(std::uint64_t began, std::uint64_t ended) { parts_.waited_outside(times(), began, ended); }

}  // namespace prof::steps
