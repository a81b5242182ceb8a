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

// In VmHWM's place where a process has computed for less: in so short a time it gave back next to nothing.
constexpr std::uint64_t kBriefNs = 10'000'000;

std::uint64_t number_at(std::string_view text, std::size_t at) {
  std::uint64_t out = 0;
  while (at < text.size() && text[at] == ' ') ++at;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    out = out * 10 + static_cast<std::uint64_t>(text[at] - '0');
  return out;
}

// What is resident now, in bytes: the second number of statm, which takes the kernel half as long as status.
std::uint64_t resident() {
  char text[128];
  const std::string_view statm(text, helper_thread::slurp("/proc/self/statm", text, sizeof(text)));
  const std::size_t first_end = statm.find(' ');
  return first_end == std::string_view::npos ? 0 : number_at(statm, first_end) * pages::kPage;
}

// VmHWM of /proc/self/status in bytes, which takes a file and a thread of its own to read. getrusage's ru_maxrss
// carries the previous image's over an exec, a shell's over that of each command it starts: only what has grown since
// then is surely this one's.
std::uint64_t peak_rss() {
  if (const std::uint64_t most = max_rss(); most > process().start_max_rss) return most;
  if (clock::process_cpu() - process().start_cpu_ns < kBriefNs) return resident();
  char text[1024];  // the line stands within the first few hundred bytes
  const std::string_view status(text, helper_thread::slurp("/proc/self/status", text, sizeof(text)));
  constexpr std::string_view kMost = "VmHWM:\t";
  const std::size_t at = status.find(kMost);
  return at == std::string_view::npos ? 0 : number_at(status, at + kMost.size()) * 1024;
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
