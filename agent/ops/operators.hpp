// PyTorch's operators as they run: each call of one, of a backward function, of a function of TorchScript and of the
// program's own record_function scopes is counted and timed exactly, by the operators around it, in every thread. The
// program's own scopes are ranges as well (range/ranges.hpp, domain "record_function"), so that all metrics can be told
// by them.
//
// PyTorch itself tells of them, by callbacks that are registered when its library has been loaded; nothing else of it
// is touched. The program's own use of torch.profiler goes on beside it: that has callbacks of its own.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/ops/record_function.hpp"
#include "agent/thread/guard.hpp"

namespace prof::ops {

// Looks for PyTorch among the loaded libraries and registers with it, once; again is harmless. To be called when its
// library has been loaded, its constructors included, and before other threads run operators: at the end of the import
// of torch._C. Says in the log why it does not register, where PyTorch is there. Ordinary code.
void attach();

// The import of this module has ended. Ordinary code.
inline void imported(std::string_view module) {
  if (module == "torch._C") attach();
}

// What the callbacks ask; before the first of them is called.
void use(const Torch& torch);

// The callback for one scope.
Callback callback_for(Scope scope);

enum class Memory : std::uint8_t { Host, Device };
// A framework allocated (bytes > 0) or freed (bytes < 0) memory of a tensor: booked on the innermost operator of the
// calling thread, if it is in one. Hook contexts.
void allocated(const Guard& guard, Memory memory, std::int64_t bytes);

// The node of the operator that the thread is in, the innermost one; 0: none that is recorded. The calling thread's own
// state. Any context.
std::uint32_t current_node(const ThreadState& t);

// Whether the thread is in an operator, and not only in scopes of the program's own. The calling thread's own state.
// Any context.
bool in_operator(const ThreadState& t);

// Once at start.
void prepare_operators();

}  // namespace prof::ops
