// Which operator made a backward function: PyTorch numbers the functions that the operators of a thread make, one after
// the other, and tells the number and the thread when it calls one.
//
// The number is no exported function's to tell. Where it stands is one of two places (layout.hpp), and which of them it
// is shows itself: when an operator begins, the number that it has is the one that its thread would give next.
#pragma once

#include <cstdint>

#include "agent/ops/record_function.hpp"
#include "agent/thread/guard.hpp"

namespace prof::ops {

class Numbers {
 public:
  // The number that the calling thread would give next; 0 where PyTorch does not tell.
  static std::uint64_t next(const Torch& torch) { return torch.next_number != nullptr ? torch.next_number() : 0; }

  // An operator begins: looks where its number stands, until that is known. Ordinary code.
  static void learn(const Torch& torch, const RecordFunction* function);

  // The number that a call has: of an operator that its thread would give next when it began, of a backward function
  // its own. False: it has none, or it is not known where it stands.
  static bool of(const Torch& torch, const RecordFunction* function, std::uint64_t& number);

  // The calling thread has given the numbers from `from` to `to`, without it, in an operator that hangs below the node
  // `frames`. Of many numbers the last ones are remembered.
  static void made(const Guard& guard, const Torch& torch, std::uint64_t from, std::uint64_t to, std::uint32_t frames);

  // The node that the maker of a backward function hangs below; 0: it is not known. `any` becomes false when no
  // operator makes such a function.
  static std::uint32_t maker(const Torch& torch, const RecordFunction* function, bool& any);
};

// Once at start.
void prepare_links();

}  // namespace prof::ops
