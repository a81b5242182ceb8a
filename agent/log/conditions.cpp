#include "agent/log/conditions.hpp"

#include "agent/core/counter.hpp"
#include "agent/core/process.hpp"
#include "agent/log/file.hpp"

namespace prof {

void note_condition(std::uint64_t condition) {
  __atomic_fetch_or(&process().conditions, condition, __ATOMIC_RELAXED);
  if (log::Header* h = log::header()) __atomic_fetch_or(&h->conditions, condition, __ATOMIC_RELAXED);
}

void count_loss(log::Loss reason) {
  if (log::Header* h = log::header()) add_shared(h->loss[static_cast<std::size_t>(reason)], 1);
}

}  // namespace prof
