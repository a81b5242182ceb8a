#include "agent/python/code_copies.hpp"

namespace prof::python {
namespace {

constexpr std::uint32_t kMostCopies = 1U << 20;

bool copy_in(Memory& memory, std::uintptr_t copies, std::uint32_t index, std::uintptr_t& begin) {
  std::int64_t count = 0;
  return memory.load(copies, count) && index < count && memory.load(copies + 8 + 8 * std::uintptr_t{index}, begin);
}

}  // namespace

// Another thread may put a longer list in the place of this one at any time, and free this one later. A copy itself
// stays while its thread lives. So what was read is right if the list was still in its place afterwards.
bool begin_of_copy(const Offsets& o, Memory& memory, std::uintptr_t frame, std::uintptr_t code, std::uintptr_t& begin) {
  const auto index = field<std::uint32_t>(frame, o.copy);
  if (index == 0) {  // the code object's own instructions
    begin = code + o.instructions;
    return true;
  }
  if (index >= kMostCopies) return false;
  constexpr unsigned kTries = 4;
  for (unsigned tries = 0; tries < kTries; ++tries) {
    std::uintptr_t copies = 0, still = 0;
    if (!memory.load(code + o.copies, copies)) return false;
    const bool found = copy_in(memory, copies, index, begin);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (!memory.load(code + o.copies, still)) return false;
    if (still == copies) return found && begin != 0;
  }
  return false;
}

}  // namespace prof::python
