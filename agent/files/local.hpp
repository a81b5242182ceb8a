// What one thread keeps of the files that it uses. Part of ThreadState; what is large stands in the thread's block: all
// zeros there is a thread that has used none.
#pragma once

#include <cstdint>

#include "agent/contract/format_wait.hpp"

#include "agent/thread/thread_state.hpp"

namespace prof::files {

struct alignas(16) Known {
  std::uint32_t file;  // 0: nothing of this is set
  log::FileWords* words;
};
inline constexpr std::uint32_t kKnown = 128;

struct Room {
  Known known[kKnown];          // of file n at n % kKnown
  char path[4096], base[4096];  // for the making of a name
};

struct Tables;

struct Local {
  Tables* tables;           // the process's; null: not asked for yet, or there are none
  std::uint32_t slot;       // of the thread for which the words were found, plus 1; 0: none were
  std::uint64_t next_look;  // CLOCK_MONOTONIC ns: when short calls have their descriptor looked at again
  Room* room;               // null in a state not in use
};

inline Local& local(ThreadState& t) { return t.files.as<Local>(); }
inline const Local& local(const ThreadState& t) { return t.files.as<Local>(); }

}  // namespace prof::files
