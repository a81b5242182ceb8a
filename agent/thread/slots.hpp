// Slots of the log's thread table. The first few hundred threads of a process each get their own; after that the slots
// of threads that ended are handed on, so that a process with a million short threads costs no more than the most that
// ever lived at once.
#pragma once

#include <cstdint>

#include "agent/thread/thread_state.hpp"

namespace prof {

inline constexpr std::uint32_t kNoSlot = UINT32_MAX;
inline constexpr std::uint32_t kOwnSlots = 256;

// Sets the slot and the record of `t`, which keeps those that it has; if it has a slot alone, that one's record. False
// when the log has no room for another thread. Ordinary code.
bool take_slot(ThreadState& t);
// The thread of `t` has ended: its slot may be handed on (together with `t`), or stays as that thread's for ever.
void release_slot(ThreadState& t);
// The slot's record in the log; null when it has no room. Any context.
log::ThreadRecord* record_of_slot(std::uint32_t slot);

void prepare_slots();

}  // namespace prof
