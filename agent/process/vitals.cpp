#include "agent/process/vitals.hpp"

#include <atomic>
#include <string_view>

#include "agent/core/apart.hpp"
#include "agent/core/clock.hpp"
#include "agent/log/file.hpp"
#include "agent/memory/pass.hpp"
#include "agent/wait/use.hpp"

namespace prof {
namespace {

constexpr std::uint64_t kMemoryEveryNs = 1'000'000'000;
std::atomic<std::uint64_t> g_memory_due{0};

// VmHWM of /proc/self/status in bytes. getrusage's ru_maxrss would carry the previous image's over an exec.
std::uint64_t peak_rss() {
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

}  // namespace

void note_life(const Guard& guard, std::uint64_t now) {
  log::Header* h = log::header();
  if (h == nullptr) return;
  h->last_monotonic_ns = now;
  note_cpu(*h);
  std::uint64_t due = g_memory_due.load(std::memory_order_relaxed);
  if (now >= due && g_memory_due.compare_exchange_strong(due, now + kMemoryEveryNs)) {
    const wait::Asker asker;
    apart::start([=] {
      note_memory(*h);
      wait::pass_uses(asker, now);
    });
  }
  memory::pass(guard, now);
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
