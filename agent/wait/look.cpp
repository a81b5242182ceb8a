// With signs of life, now and then: a look at what the system says of the process and its threads.
#include <atomic>

#include "agent/core/allowance.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/counter.hpp"
#include "agent/core/helper_thread.hpp"
#include "agent/core/process.hpp"
#include "agent/thread/vitals.hpp"
#include "agent/wait/use.hpp"

namespace prof::wait {
namespace {

constexpr std::uint64_t kLookEveryNs = 1'000'000'000;
constexpr Allowance kAllowance{2'000'000, 400};
struct Looks {
  std::atomic<std::uint64_t> due;
  std::uint64_t of;  // the process's start: a forked child begins anew
  std::uint64_t spent_ns;
};
constinit Looks g_looks{};

void look(log::Header& h, std::uint64_t now) {
  const std::uint64_t start = process().start_monotonic_ns;
  if (__atomic_exchange_n(&g_looks.of, start, __ATOMIC_RELAXED) != start)
    __atomic_store_n(&g_looks.spent_ns, 0, __ATOMIC_RELAXED);
  const std::uint64_t spent = __atomic_load_n(&g_looks.spent_ns, __ATOMIC_RELAXED);
  if (now < start || !affordable(kAllowance, spent, now - start, cpu_time_so_far())) return;
  const Asker asker;
  const std::uint64_t began = clock::thread_cpu();
  helper_thread::start([=, &h] {
    note_memory(h);
    pass_uses(asker, now);
    add_shared(g_looks.spent_ns, cost_since(began, asker.tid));
  });
}

}  // namespace

void look_now_and_then(log::Header& h, std::uint64_t now) {
  std::uint64_t due = g_looks.due.load(std::memory_order_relaxed);
  if (now >= due && g_looks.due.compare_exchange_strong(due, now + kLookEveryNs)) look(h, now);
}

}  // namespace prof::wait
