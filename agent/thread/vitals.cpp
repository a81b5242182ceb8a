#include "agent/thread/vitals.hpp"

#include <sys/resource.h>

#include <string_view>

#include "agent/core/clock.hpp"
#include "agent/core/counter.hpp"
#include "agent/core/helper_thread.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/raw.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/feature.hpp"
#include "agent/unwind/objects.hpp"

namespace prof {
namespace {

PROF_WIPED_AT_START constinit pages::Wiped<std::uint64_t> g_pass_due{};

// VmHWM of /proc/self/status in bytes, which takes a file and a thread of its own to read. getrusage's ru_maxrss
// carries the previous image's over an exec: only what has grown since then is surely this one's.
std::uint64_t peak_rss() {
  if (const std::uint64_t most = max_rss(); most > process().start_max_rss) return most;
  char text[1024];  // the line stands within the first few hundred bytes
  const std::size_t n = helper_thread::slurp("/proc/self/status", text, sizeof(text));
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
  h.helper_cpu_ns = helper_thread::cpu_ns();  // first: it is part of the other
  h.cpu_ns = clock::process_cpu();
}

}  // namespace

constinit std::uint64_t* const pass_due = &g_pass_due.value;

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
  for (const Feature* f : features()) {
    if (f->sign_of_life != nullptr) f->sign_of_life(*h, now);
  }
  pass(guard, now);
}

std::uint64_t pass_now(const Guard& guard, std::uint64_t now) {
  std::uint64_t spent = 0;
  refresh_objects();
  for (const Feature* f : features()) {
    if (f->pass != nullptr) spent += f->pass(guard, now);
  }
  return spent;
}

void note_memory(log::Header& h) {
  const std::uint64_t bytes = peak_rss();
  if (bytes > h.peak_rss_bytes) h.peak_rss_bytes = bytes;
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
  for (const Feature* f : features()) {
    if (f->last_pass != nullptr) f->last_pass(guard, now);
  }
}

void prepare_vitals() { pages::wipe_in_child(g_pass_due); }

}  // namespace prof
