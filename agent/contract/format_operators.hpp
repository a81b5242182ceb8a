// Operators of frameworks: PyTorch's. Part of the contract in format.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::log {

// Calls of operators, exact, by the operators around them: SpecialFrame::Operators > Named(Operator) > Named(Operator)
// ..., by thread. The group of a name tells what it is: "forward", "backward", "script" (a function of TorchScript),
// "scope" (the program's own, record_function), and behind a blank the shapes of its inputs where they are recorded.
// Below a node of an operator that calls itself there is another node of it: a reader adds up the outermost ones for
// the total.
// What devices did for an operator stands once more below its node, as Named(Kernel or Copy) with DeviceWords; and
// calls of libraries that ask for floating point operations, as Named(Api) with ApiWords: of the operator that was
// innermost when the program made the call. Where they are asked for, Python frames stand between: below the root or a
// scope those that called the operator, all of them, and above a backward function those of the operator that made it.
// The frames of an operator are those nearest above it, other operators left out.
struct OperatorWords {
  std::uint64_t calls;      // those that ended
  std::uint64_t total_ns;   // wall time
  std::uint64_t nested_ns;  // of it, in operators inside; of one that ended on another thread all of it
  std::uint64_t min_ns;     // meaningful when calls > 0, like max_ns
  std::uint64_t max_ns;
  // Tensor memory: bytes allocated minus bytes freed while it was the innermost operator, in two's complement.
  std::uint64_t host_bytes;    // where that is asked for
  std::uint64_t device_bytes;  // of the caching allocators for devices
  std::uint64_t flops;         // by PyTorch's own formulas, where that is asked for
  std::uint64_t unlinked;      // calls of a backward function whose maker was not known, where frames are asked for
};
inline constexpr std::uint32_t kOperatorWordCount = sizeof(OperatorWords) / 8;

}  // namespace prof::log
