#include "agent/process/process.hpp"

#include <sys/stat.h>

#include "agent/core/counter.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/together.hpp"
#include "agent/log/file.hpp"

namespace prof {

alignas(64) PROF_TOGETHER(2) constinit Process the_process{};

bool own_process() { return raw::pid() == process().pid; }

std::uint64_t root_inode() {
  struct stat st {};
  return raw::call(SYS_stat, raw::word("/"), raw::word(&st)) == 0 ? st.st_ino : 0;
}

void note_condition(std::uint64_t condition) {
  __atomic_fetch_or(&process().conditions, condition, __ATOMIC_RELAXED);
  if (log::Header* h = log::header()) __atomic_fetch_or(&h->conditions, condition, __ATOMIC_RELAXED);
}

void count_loss(log::Loss reason) {
  if (log::Header* h = log::header()) add_shared(h->loss[static_cast<std::size_t>(reason)], 1);
}

}  // namespace prof
