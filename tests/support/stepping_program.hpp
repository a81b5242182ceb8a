// A program that trains, by a clock of its own, as the agent's steps are told of it.
#pragma once

#include <cstring>
#include <memory>
#include <vector>

#include "agent/capture/window.hpp"
#include "agent/steps/steps.hpp"
#include "agent/steps/tracker.hpp"
#include "tests/support/logged_steps.hpp"

namespace prof::test {

inline constexpr std::uint64_t kLoader = 501, kSgd = 502, kAdam = 503, kProfiler = 504, kOther = 505;
inline constexpr const char* kRecordFunction = "record_function";

// A program, as its main thread tells of it; the options are its own.
class Program {
 public:
  explicit Program(const char* step = "", steps::Schedule schedule = {}) : before_(process().options) {
    std::strcpy(process().options.step, step);
    process().options.schedule = schedule;
    capture::state.open.store(true);
    capture::state.detailed.store(schedule.active == 0);
    on_main_thread(true);
    shared().owner = 0;
    shared().quiet = false;
    shared().times.backward_began = 0;
    agent_log().windows = 0;
  }
  ~Program() {
    process().options = before_;
    capture::state.detailed.store(true);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void on_main_thread(bool main) { guard_.thread().tid = process().pid + (main ? 0 : 1); }
  void pass(std::uint64_t ns) { now_ += ns; }
  steps::Mark begin(const char* text, std::uint64_t frame, bool outermost = true,
                    const char* domain = kRecordFunction) {
    const steps::Mark mark = steps::Tracker::mark_of_range(text, domain, outermost);
    return with_room(tracker_->range_begins(guard_, mark, text, domain, frame, now_));
  }
  void end(steps::Mark mark, std::uint64_t frame) {
    if (mark != steps::Mark::None) tracker_->range_ends(guard_, mark, frame, now_);
    with_room(0);
  }
  void range(const char* text, std::uint64_t frame, std::uint64_t ns, const char* domain = kRecordFunction) {
    const steps::Mark mark = begin(text, frame, true, domain);
    pass(ns);
    end(mark, frame);
  }
  void data(std::uint64_t ns) { range("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__", kLoader, ns); }
  void sgd(std::uint64_t ns) { range("Optimizer.step#SGD.step", kSgd, ns); }
  void adam(std::uint64_t ns) { range("Optimizer.step#Adam.step", kAdam, ns); }
  void compute(std::uint64_t ns) {
    tracker_->operator_begins(guard_, steps::Role::Compute, now_);
    pass(ns);
  }
  void backward(std::uint64_t ns) {
    if (shared().times.backward_began == 0) shared().times.backward_began = now_;
    pass(ns);
    shared().times.backward_ended = now_;
  }
  void learn() {
    compute(100);
    backward(200);
  }
  bool function_begins(std::uint64_t frame) { return with_room(tracker_->asked_begins(guard_, frame, now_)); }
  void function_ends() {
    tracker_->asked_ends(guard_, now_);
    with_room(0);
  }

  static steps::Shared& shared() { return steps::shared.value; }

 private:
  // After what may have recorded a step.
  template <class Result>
  Result with_room(Result result) {
    if (const std::uint32_t wanted = tracker_->wanted_room())
      tracker_->give_room(guard_, steps::Records::take_room(wanted));
    return result;
  }

  const AgentGuard guard_;
  const Options before_;
  const std::unique_ptr<steps::Tracker> tracker_ = std::make_unique<steps::Tracker>();
  std::uint64_t now_ = 1'000'000;
};

// The steps' times, none of them merged.
inline std::vector<std::uint64_t> times(const LoggedSteps& steps) {
  std::vector<std::uint64_t> out;
  for (const log::StepRecord& r : steps.records) {
    CHECK(r.count == 1);
    CHECK(r.first == out.size() + 1);
    CHECK(sum_of_parts(r.sum) == r.ns);
    out.push_back(r.ns);
  }
  return out;
}

}  // namespace prof::test
