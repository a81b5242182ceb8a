// What a step is made of: the step's own thread tells what it goes into and comes out of, and each moment is given to
// one part. Times are CLOCK_MONOTONIC ns. One caller at a time; backward operators alone may be told of by any thread.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/contract/format.hpp"

namespace prof::steps {

using log::StepPart;

// Where backward operators ran since the step's thread looked, on whatever thread.
struct Backward {
  std::atomic<std::uint64_t> began;  // 0: none did
  std::atomic<std::uint64_t> ended;  // of the last one that ended
};

enum class Scope : std::uint8_t { Data, Optimizer, ZeroGrad };

// All zeros is a thread that has told nothing.
class Parts {
 public:
  // A step begins: what the thread is in goes on, and counts from now on.
  void begin(Backward& backward, std::uint64_t now);
  // The step ends: its figures. The parts add up to its time.
  const log::StepFigures& end(Backward& backward, std::uint64_t now);

  // The figures of the step so far; it goes on.
  log::StepFigures so_far(Backward& backward, std::uint64_t now);

  // The thread enters the loader or the optimiser, and leaves it. What happens in a scope inside of another one is part
  // of the outer one.
  void enter(Scope scope, Backward& backward, std::uint64_t now);
  void leave(Scope scope, Backward& backward, std::uint64_t now);

  // An operator that is in no other one begins, and is no backward one. Returns whether the next of them is news.
  bool operator_begins(bool collective, Backward& backward, std::uint64_t now);

  // Of the time that passes, this was spent in copies or in communication: a call that ends about now. In the loader
  // it is part of that.
  void took(StepPart part, const Backward& backward, std::uint64_t began, std::uint64_t ended);

  // The thread was blocked between two operators, by something else than they: no part of them, until there are
  // backward ones.
  void waited_outside(const Backward& backward, std::uint64_t began, std::uint64_t ended);

  // The thread was blocked for so long.
  void waited(log::WaitClass what, std::uint64_t ns);

  bool in_scope() const { return depth_ > 0; }
  // Whether there was anything but loading since the step began: an operator, or a scope.
  bool seen() const { return seen_; }
  // Whether there were backward operators since the batch, the optimiser or the step's beginning.
  bool learned() const { return backward_; }

 private:
  std::uint64_t& sum_of(StepPart part) { return sum_.parts_ns[static_cast<std::uint32_t>(part)]; }
  void spend(StepPart part, std::uint64_t ns);
  void settle(Backward& backward, std::uint64_t now);
  void resolve(StepPart part);
  StepPart without_backward() const;

  log::StepFigures sum_;
  std::uint64_t began_, from_;  // the step; what is not given to a part yet
  std::uint64_t operators_ns_;  // in operators: of which part, what follows them tells
  std::uint64_t taken_ns_;      // since from_, by calls that are parts themselves
  std::uint64_t taken_backward_ns_;
  StepPart part_;        // of the time since from_; Forward stands for all operators
  StepPart last_taken_;  // of took
  std::uint32_t depth_;  // of scopes
  bool batch_;           // the loader gave one, and there was no backward operator since
  bool loader_;          // there is one
  bool backward_;        // operators since the batch, the optimiser or the step's beginning
  bool seen_;
};

}  // namespace prof::steps
