// The inputs of an operator that begins: read from PyTorch when somebody asks for them, and given back at the end.
#pragma once

#include "agent/core/text.hpp"
#include "agent/ops/local.hpp"
#include "agent/ops/record_function.hpp"
#include "agent/ops/tensors.hpp"
#include "agent/thread/guard.hpp"

namespace prof::ops {

using ShapesText = Text<800>;

// Ordinary code, inside a guard: PyTorch allocates for the answer. PyTorch may also throw: of a nested tensor nobody
// knows the sizes. It catches that itself, and says so on stderr, but the guard that was entered is not left then:
// `left` does it. Operators of that name are not asked again.
class Inputs {
 public:
  // Both as long as this; `torch` has a function for sizes if any are asked for.
  Inputs(Thread& mine, const Torch& torch, const RecordFunction* function)
      : mine_(mine), torch_(torch), function_(function) {}
  ~Inputs() {
    if (was_read_) give_back();
  }
  Inputs(const Inputs&) = delete;
  Inputs& operator=(const Inputs&) = delete;

  // One for each input: of a tensor its sizes, of anything else none.
  const Sizes& sizes() {
    if (!was_read_) read();
    return sizes_;
  }
  // The same one by one, `take(begin, end)`; false: they have to be asked for, and what was taken means nothing.
  template <class Take>
  bool each(const Take& take) {
    if (was_read_ || !Tensors::readable()) return false;
    ask();
    const RealCall nested;
    const bool all = Tensors::read(torch_, function_, take);
    mine_.asked = nullptr;
    return all;
  }
  const RecordFunction* function() const { return function_; }

  // Whether operators of that name are asked no more.
  static bool refused(std::string_view name);

  // The operator ends: where its beginning threw, leaves the guard that it had entered. Outside of any guard.
  static void left(Thread& mine, const Torch& torch, const RecordFunction* function) {
    if (mine.asked == function) [[unlikely]]
      leave(mine, torch);
  }

 private:
  void ask() {
    mine_.asked = function_;
    mine_.asked_busy = tls.busy;
    mine_.asked_suppressed = tls.suppressed;
  }
  void read();
  void give_back();
  static void leave(Thread& mine, const Torch& torch);

  Thread& mine_;
  const Torch& torch_;
  const RecordFunction* function_;
  Sizes sizes_{};
  bool was_read_ = false;
};

// Writes shapes as PyTorch's profiler does, "[[8, 3], [4], []]"; what does not fit is cut and ends in "...".
void write_shapes(const Sizes& sizes, ShapesText& text);

}  // namespace prof::ops
