#include "agent/process/vitals.hpp"

#include <sys/resource.h>

#include <atomic>
#include <string_view>

#include "agent/core/apart.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/counter.hpp"
#include "agent/core/raw.hpp"
#include "agent/log/file.hpp"
#include "agent/memory/pass.hpp"
#include "agent/process/allowance.hpp"
#include "agent/wait/use.hpp"

namespace prof {
namespace {

// A look at what the system says of the process and its threads.
constexpr std::uint64_t kLookEveryNs = 1'000'000'000;
constexpr Allowance kAllowance{2'000'000, 400};
struct Looks {
  std::atomic<std::uint64_t> due;
  std::uint64_t of;  // the process's start: a forked child begins anew
  std::uint64_t spent_ns;
};
constinit Looks g_looks{};

// VmHWM of /proc/self/status in bytes, which takes a file and a thread of its own to read. getrusage's ru_maxrss
// carries the previous image's over an exec: only what has grown since then is surely this one's.
std::uint64_t peak_rss() {
  if (const std::uint64_t most = max_rss(); most > process().start_max_rss) return most;
  char text[1024];  // the line stands within the first few hundred bytes
  const std::size_t n = apart::slurp("/proc/self/status", text, sizeof(text));
  const std::string_view status(text, n);
  const std::size_t at = status.find("VmHWM:");
  if (at == std::string_view::npos) return 0;
  std::uint64_t kib = 0;
  for (std::size_t i = at + 6; i < n && text[i] != '\n'; ++i) {
    if (text[i] >= '0' && text[i] <= '9') kib = kib * 10 + static_cast<std::uint64_t>(text[i] - '0');
  }
  return kib * 1024;
}

void note_cpu(log::Header& h) {
  h.helper_cpu_ns = apart::cpu_ns();  // first: it is part of the other
  h.cpu_ns = clock::process_cpu();
}

void note_memory(log::Header& h) {
  const std::uint64_t bytes = peak_rss();
  if (bytes > h.peak_rss_bytes) h.peak_rss_bytes = bytes;
}

void look(log::Header& h, std::uint64_t now) {
  const std::uint64_t start = process().start_monotonic_ns;
  if (__atomic_exchange_n(&g_looks.of, start, __ATOMIC_RELAXED) != start)
    __atomic_store_n(&g_looks.spent_ns, 0, __ATOMIC_RELAXED);
  const std::uint64_t spent = __atomic_load_n(&g_looks.spent_ns, __ATOMIC_RELAXED);
  if (now < start || !affordable(kAllowance, spent, now - start, cpu_time_so_far())) return;
  const wait::Asker asker;
  const std::uint64_t began = clock::thread_cpu();
  apart::start([=, &h] {
    note_memory(h);
    wait::pass_uses(asker, now);
    add_shared(g_looks.spent_ns, cost_since(began, asker.tid));
  });
}

}  // namespace

std::uint64_t max_rss() {
  rusage usage{};
  raw::call(SYS_getrusage, RUSAGE_SELF, raw::word(&usage));
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

void note_life(const Guard& guard, std::uint64_t now) {
  log::Header* h = log::header();
  if (h == nullptr) return;
  // The kernel adds up the clocks of all threads to say what the process used: with thousands of them this is not to be
  // asked at each tick of each.
  constexpr std::uint64_t kPerThreadNs = 10'000;
  if (now >= h->last_monotonic_ns + kPerThreadNs * __atomic_load_n(&h->threads, __ATOMIC_RELAXED)) note_cpu(*h);
  h->last_monotonic_ns = now;
  std::uint64_t due = g_looks.due.load(std::memory_order_relaxed);
  if (now >= due && g_looks.due.compare_exchange_strong(due, now + kLookEveryNs)) look(*h, now);
  memory::pass(guard, now);
}

std::uint64_t cpu_time_so_far() {
  const log::Header* h = log::header();
  if (h == nullptr || h->ticks == log::Ticks::Off) return clock::process_cpu() - process().start_cpu_ns;
  return h->cpu_ns - h->start_cpu_ns;
}

std::uint64_t cost_since(std::uint64_t began, std::uint32_t caller) {
  constexpr std::uint64_t kThreadNs = 50'000;
  const std::uint64_t now = clock::thread_cpu();
  return raw::tid() == caller ? now - began : now + kThreadNs;
}

std::uint64_t cpu_time_of(std::uint64_t elapsed) {
  const log::Header* header = log::header();
  if (header == nullptr || header->ticks == log::Ticks::Off) return elapsed;
  const std::uint64_t since_look = 2 * header->sample_period_ns;
  const std::uint64_t used = header->cpu_ns - header->start_cpu_ns + since_look;
  return used < elapsed ? used : elapsed;
}

void note_vitals(const Guard& guard) {
  log::Header* h = log::header();
  if (h == nullptr) return;
  const std::uint64_t now = clock::monotonic();
  h->last_monotonic_ns = now;
  note_cpu(*h);
  note_memory(*h);
  memory::last_pass(guard, now);
}

}  // namespace prof
