#include "agent/python/current_thread.hpp"

#include <pthread.h>

#include "agent/python/memory.hpp"

namespace prof::python {
namespace {

// The state that runs now, in this thread (from 3.12 on: thread-local) or in whichever holds the GIL (before). Of a
// library that was loaded late, the first use of a thread-local variable allocates: not in a tick.
PyThreadState* running(const Interpreter& of) {
  const Api& a = api();
  if (of.late && of.version.at_least(12)) return nullptr;
  if (a._PyThreadState_UncheckedGet != nullptr) return a._PyThreadState_UncheckedGet();
  return a.PyThreadState_GetUnchecked != nullptr ? a.PyThreadState_GetUnchecked() : nullptr;
}

}  // namespace

CurrentThread current_thread(const Interpreter& of) {
  // This one is the first that the thread ever had: a sub-interpreter's comes later, and runs instead.
  const auto first = reinterpret_cast<std::uintptr_t>(api().PyGILState_GetThisThreadState());
  if (first == 0) return {0, true};
  const auto now = reinterpret_cast<std::uintptr_t>(running(of));
  if (now == 0 || now == first) return {first, true};
  if (of.offsets.thread_id == kAbsent) return {now, false};
  // Another thread's state may be freed this very moment.
  Memory memory(Memory::Access::Probed, {});
  std::uintptr_t owner = 0;
  const bool ours = memory.load(now + of.offsets.thread_id, owner) && owner == pthread_self();
  return ours ? CurrentThread{now, false} : CurrentThread{first, true};
}

// Before 3.12 the state that runs is the one that has the GIL; later it is the thread's own, and set while it has it.
bool has_gil(const Interpreter& of) {
  if (of.offsets.free_threaded) return false;
  const PyThreadState* const now = running(of);
  return now != nullptr && now == api().PyGILState_GetThisThreadState();
}

}  // namespace prof::python
