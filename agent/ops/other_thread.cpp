#include "agent/ops/other_thread.hpp"

#include "agent/core/lock.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/log/conditions.hpp"

namespace prof::ops {
namespace {

constexpr std::uint32_t kMost = 64;

struct End {
  const RecordFunction* function;  // null: taken
  std::uint64_t ended;
};
struct EndsOnOtherThreads {
  Lock lock;
  std::uint32_t next;
  End ends[kMost];
};
PROF_WIPED constinit pages::Wiped<EndsOnOtherThreads> g_ends{};

}  // namespace

void note_end_on_other_thread(const RecordFunction* function, std::uint64_t ended) {
  EndsOnOtherThreads& all = g_ends.value;
  const HeldLock locked(all.lock);
  if (!locked) return count_loss(log::Loss::Contended);
  End& end = all.ends[all.next++ % kMost];
  if (end.function != nullptr) count_loss(log::Loss::OperatorUnbalanced);
  end = {function, ended};
  common.other_ends.fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t take_end_on_other_thread(const RecordFunction* function, std::uint64_t started) {
  EndsOnOtherThreads& all = g_ends.value;
  const HeldLock locked(all.lock);
  if (!locked) {
    count_loss(log::Loss::Contended);
    return 0;
  }
  for (End& end : all.ends) {
    if (end.function != function || end.ended < started) continue;
    end.function = nullptr;
    return end.ended;
  }
  return 0;
}

void prepare_other_threads() { pages::wipe_in_child(g_ends); }

}  // namespace prof::ops
