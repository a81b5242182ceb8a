// Where an at::RecordFunction keeps what PyTorch has no exported function for.
//
// Its last members have been, from 1.13 to 2.x: the sequence number, the inputs, from 2.x on named inputs, the outputs,
// the forward thread, a handle, and whether it is asynchronous. For the last there is a function, whose code says where
// it is; the others are found from there.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::ops {

struct RecordFunction;  // PyTorch's; opaque
using IsAsync = bool(const RecordFunction*);

// A c10::IValue: what a call is given. A number is itself the payload, a list a pointer to an object.
struct Value {
  std::uint64_t payload;
  std::uint32_t tag;  // of its kind; the numbers differ between versions
};
static_assert(sizeof(Value) == 16);

class Layout {
 public:
  // How far before the end of it all the sequence number stands: without named inputs, and with them.
  static constexpr std::uint32_t kDistances[] = {64, 120};

  // Nothing is known.
  constexpr Layout() = default;
  // `end`: where the asynchronous flag is, in bytes.
  constexpr explicit Layout(std::uint32_t end) : end_(end) {}
  // From the code of the function that returns the flag: nothing is known when it is not the one load that it always
  // was.
  static Layout of(IsAsync* is_async);

  bool known() const { return end_ >= kDistances[1]; }

  // The sequence number that stands `distance` bytes before the end. Only of a layout that is known, like those below.
  std::int64_t number(const RecordFunction* function, std::uint32_t distance) const {
    return static_cast<std::int64_t>(word(function, distance));
  }
  // Of a backward function: the thread that ran the operator which made it, by PyTorch's own count of threads.
  std::uint64_t forward_thread(const RecordFunction* function) const { return word(function, 16); }

  // What stands where the inputs are, and their number, with the sequence number `distance` bytes before the end.
  const Value* inputs_at(const RecordFunction* function, std::uint32_t distance, std::size_t& count) const {
    count = word(function, distance - 16);
    return reinterpret_cast<const Value*>(word(function, distance - 8));
  }
  // The inputs of a call that has `count` of them; null: they are not where they should be.
  const Value* inputs(const RecordFunction* function, std::size_t count) const;

 private:
  std::uint64_t word(const RecordFunction* function, std::uint32_t distance) const {
    return *reinterpret_cast<const std::uint64_t*>(reinterpret_cast<const char*>(function) + end_ - distance);
  }

  std::uint32_t end_ = 0;
};

}  // namespace prof::ops
