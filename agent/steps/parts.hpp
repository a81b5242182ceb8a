// What a step is made of: the step's own thread tells what it goes into and comes out of, and each moment is given to
// one part. Times are CLOCK_MONOTONIC ns. One caller at a time; backward operators alone may be told of by any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/contract/format.hpp"

namespace prof::steps {

using log::StepPart;

// Between operators further apart than this, the thread is about something else: a metric, a log, preprocessing. What
// eager PyTorch itself does between two is a few ten microseconds; a turn of another process on the processor is less
// than this as well.
constexpr std::uint64_t kPauseNs = 5'000'000;

// When operators ran. `backward_*`: since the step's thread looked, on whatever thread.
struct OperatorTimes {
  std::atomic<std::uint64_t> backward_began;  // 0: none did
  std::atomic<std::uint64_t> backward_ended;  // of the last one that ended
  std::atomic<std::uint64_t> last_ended;      // of the last one of any kind on the step's thread; 0: none did

  // Whether the thread has been without an operator for long.
  bool are_past(std::uint64_t now) const {
    const std::uint64_t last = last_ended.load(std::memory_order_relaxed);
    return last != 0 && now > last && now - last >= kPauseNs;
  }
};

enum class Scope : std::uint8_t { Data, Optimizer, ZeroGrad };

// All zeros is a thread that has told nothing.
class Parts {
 public:
  // A step begins: what the thread is in goes on, and counts from now on.
  void begin(OperatorTimes& times, std::uint64_t now);
  // The step ends: its figures. The parts add up to its time.
  const log::StepFigures& end(OperatorTimes& times, std::uint64_t now);

  // The figures of the step so far; it goes on.
  log::StepFigures so_far(OperatorTimes& times, std::uint64_t now);

  // The thread enters the loader or the optimiser, and leaves it. What happens in a scope inside of another one is part
  // of the outer one.
  void enter(Scope scope, OperatorTimes& times, std::uint64_t now);
  void leave(Scope scope, OperatorTimes& times, std::uint64_t now);

  // An operator that is in no other one begins, and is no backward one. Returns whether the next of them is news, even
  // where it does not come late (OperatorTimes::are_past).
  bool operator_begins(bool collective, OperatorTimes& times, std::uint64_t now);

  // All until now is given to a part. To be called where an operator begins late.
  void settle(OperatorTimes& times, std::uint64_t now);

  // Of the time that passes, this was spent in copies or in communication: a call that ends about now. In the loader
  // it is part of that.
  void took(StepPart part, const OperatorTimes& times, std::uint64_t began, std::uint64_t ended);

  // The thread was blocked between two operators, by something else than they: no part of them, until there are
  // backward ones.
  void waited_outside(const OperatorTimes& times, std::uint64_t began, std::uint64_t ended);

  // The thread was blocked between two operators, for them: their part, however long it takes.
  void waited_for_operators(const OperatorTimes& times, std::uint64_t began, std::uint64_t ended);

  // The thread was blocked for so long.
  void waited(log::WaitClass what, std::uint64_t ns);

  bool in_scope() const { return depth_ > 0; }
  // Whether there was anything but loading since the step began: an operator, or a scope.
  bool seen() const { return seen_; }
  // Whether there were backward operators since the batch, the optimiser or the step's beginning.
  bool learned() const { return backward_; }
  // The same since the step's beginning alone.
  bool learned_in_step() const { return learned_; }

 private:
  std::uint64_t& sum_of(StepPart part) { return sum_.parts_ns[static_cast<std::uint32_t>(part)]; }
  void spend(StepPart part, std::uint64_t ns);
  void count_in_gap(const OperatorTimes& times, std::uint64_t began, std::uint64_t ended);
  void take_gap(const OperatorTimes& times, std::uint64_t until);
  void resolve(StepPart part);
  StepPart without_backward() const;

  log::StepFigures sum_;
  std::uint64_t began_, from_;  // the step; what is not given to a part yet
  std::uint64_t operators_ns_;  // in operators: of which part, what follows them tells
  std::uint64_t taken_ns_;      // since from_, by calls that are parts themselves
  std::uint64_t taken_backward_ns_;
  std::uint64_t gap_, gap_ns_;  // the last operator's end, and how much of the time since then has its part
  StepPart part_;               // of the time since from_; Forward stands for all operators
  StepPart last_taken_;         // of took
  std::uint32_t depth_;         // of scopes
  bool batch_;                  // the loader gave one, and there was no backward operator since
  bool loader_;                 // there is one
  bool backward_;               // operators since the batch, the optimiser or the step's beginning
  bool seen_;
  bool learned_;
};

}  // namespace prof::steps
