#include "agent/capture/window.hpp"

#include <signal.h>

#include "agent/core/clock.hpp"
#include "agent/core/hot_data.hpp"
#include "agent/core/notice.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/text.hpp"
#include "agent/core/variables.hpp"
#include "agent/log/file.hpp"
#include "agent/log/info.hpp"
#include "agent/thread/feature.hpp"

namespace prof::capture {
namespace {

constexpr std::uint64_t kNever = UINT64_MAX;
constexpr std::uint32_t kWindows = 64;
constexpr std::uint32_t kMostNotes = 32;
constexpr std::uint32_t kDescribed = 8;
constexpr std::string_view kNvtx = "nvtx:";

struct Window {
  std::atomic<std::uint64_t> began, ended;  // kNever: it is open
};

// A forked child inherits all this: its parent's window is its own.
struct Plan {
  bool by_range;               // PROF_CAPTURE_RANGE
  std::uint64_t from;          // not before this instant
  std::uint64_t duration;      // of the first window, which is then the last one; kNever: as long as it is asked for
  std::atomic<bool> finished;  // no window opens any more
  std::atomic<std::int32_t> asked;  // ranges that are open
  std::atomic<std::uint32_t> windows;
  std::atomic<std::uint32_t> notes;
  Window last[kWindows];  // window n at n % kWindows
  bool scheduled;         // PROF_SCHEDULE
  std::atomic<std::uint32_t> detailed_times;
  Window detailed[kWindows];  // likewise
};
constinit Plan g_plan{};

Window& window(std::uint32_t n) { return g_plan.last[n % kWindows]; }

void note_traced() {
  if (process().options.trace_bytes != 0)
    state.traced.store(state.open.load(std::memory_order_relaxed) && with_details(), std::memory_order_relaxed);
}

// Whether `ns` lies in one of the last `count` windows of `ring`.
bool lies_in(const Window (&ring)[kWindows], std::uint32_t count, std::uint64_t ns) {
  for (std::uint32_t n = count; n > 0 && count - n < kWindows; --n) {
    const Window& w = ring[(n - 1) % kWindows];
    if (ns >= w.began.load(std::memory_order_relaxed)) return ns < w.ended.load(std::memory_order_relaxed);
  }
  return false;
}

void note(std::string_view what, std::uint64_t ns) {
  if (g_plan.notes.fetch_add(1, std::memory_order_relaxed) >= kMostNotes) return;
  Text<64> text;
  text << what << '=' << ns;
  log::append_info(log::InfoKey::Window, text.view());
}

void begin(std::uint64_t ns) {
  bool closed = false;
  if (!state.open.compare_exchange_strong(closed, true)) return;
  const std::uint32_t n = g_plan.windows.load(std::memory_order_relaxed);
  window(n).began.store(ns, std::memory_order_relaxed);
  window(n).ended.store(kNever, std::memory_order_relaxed);
  g_plan.windows.store(n + 1, std::memory_order_release);
  if (g_plan.duration != kNever) state.due.store(ns + g_plan.duration, std::memory_order_relaxed);
  note_traced();
  note("open", ns);
}

// Somebody still takes records of what was done in the window, and ends the program after that.
PROF_WIPED constinit pages::Wiped<std::atomic<bool>> g_records_to_come{};
constinit std::atomic<bool> g_end_due{false};

void end_program() {
  static std::atomic<bool> done{false};
  if (done.exchange(true)) return;
  notice("recording has ended, and with it the program (SIGTERM), as PROF_STOP_ON_EXIT asks");
  if (log::Header* h = log::header()) {  // the signal may leave no time for more
    h->last_monotonic_ns = clock::monotonic();
    h->cpu_ns = clock::process_cpu();
  }
  raw::call(SYS_kill, static_cast<long>(raw::pid()), SIGTERM);
}

void end(std::uint64_t ns) {
  bool open = true;
  if (!state.open.compare_exchange_strong(open, false)) return;
  window(g_plan.windows.load(std::memory_order_acquire) - 1).ended.store(ns, std::memory_order_release);
  note_traced();
  note("close", ns);
  if (!process().options.stop_on_exit) return;
  if (g_records_to_come.value.load(std::memory_order_relaxed))
    g_end_due.store(true, std::memory_order_release);
  else
    end_program();
}

bool wanted() {
  return !g_plan.finished.load(std::memory_order_relaxed) &&
         (!g_plan.by_range || g_plan.asked.load(std::memory_order_relaxed) > 0);
}

void change_asked(std::int32_t by, std::uint64_t now) {
  g_plan.asked.fetch_add(by, std::memory_order_relaxed);
  if (!is_open(now) && now >= g_plan.from && wanted())
    begin(now);
  else if (!wanted())
    end(now);
}

bool by_profiler() { return g_plan.by_range && std::string_view(process().options.capture_range) == "cudaProfilerApi"; }

// Child programs measure from the same instant.
std::uint64_t start_of_run() {
  const Process& p = process();
  if (p.options.window_from != 0) return p.options.window_from;
  static char entry[64];
  TextBuilder text(entry, sizeof(entry));
  text << "PROF_WINDOW_FROM=" << p.start_monotonic_ns;
  add_variable(entry);
  return p.start_monotonic_ns;
}

}  // namespace

PROF_HOT_DATA(1) constinit State state{kNever, true, true, false, false};

void records_come(bool later) { g_records_to_come.value.store(later, std::memory_order_relaxed); }

bool end_is_due() { return g_end_due.load(std::memory_order_acquire); }

void end_if_due() {
  if (end_is_due()) end_program();
}

// Whoever takes `due` away does what was due.
void pass(std::uint64_t now) {
  std::uint64_t due = state.due.load(std::memory_order_relaxed);
  while (now >= due) {
    if (!state.due.compare_exchange_strong(due, kNever)) continue;
    if (state.open.load(std::memory_order_relaxed)) {
      g_plan.finished.store(true, std::memory_order_relaxed);
      end(due);
    } else if (wanted()) {
      begin(g_plan.by_range ? now : due);
    }
    due = state.due.load(std::memory_order_relaxed);
  }
}

bool covers(std::uint64_t ns) {
  if (!state.narrowed) return true;
  is_open(clock::monotonic());
  return lies_in(g_plan.last, g_plan.windows.load(std::memory_order_acquire), ns);
}

void want_details(bool wanted, std::uint64_t now) {
  const std::uint32_t n = g_plan.detailed_times.load(std::memory_order_relaxed);
  if (state.detailed.exchange(wanted) == wanted) return;
  if (wanted) {
    g_plan.detailed[n % kWindows].began.store(now, std::memory_order_relaxed);
    g_plan.detailed[n % kWindows].ended.store(kNever, std::memory_order_relaxed);
    g_plan.detailed_times.store(n + 1, std::memory_order_release);
  } else if (n > 0) {
    g_plan.detailed[(n - 1) % kWindows].ended.store(now, std::memory_order_release);
  }
  note_traced();
}

bool was_detailed(std::uint64_t ns) {
  return !g_plan.scheduled || lies_in(g_plan.detailed, g_plan.detailed_times.load(std::memory_order_acquire), ns);
}

std::uint64_t since(std::uint64_t began) {
  if (!state.narrowed) return began;
  const std::uint32_t count = g_plan.windows.load(std::memory_order_acquire);
  if (count == 0) return began;
  const std::uint64_t opened = window(count - 1).began.load(std::memory_order_relaxed);
  return began > opened ? began : opened;
}

std::uint64_t within_windows(std::uint64_t began, std::uint64_t ended) {
  is_open(ended);
  std::uint64_t sum = 0;
  const std::uint32_t count = g_plan.windows.load(std::memory_order_acquire);
  for (std::uint32_t n = count; n > 0 && count - n < kWindows; --n) {
    const Window& w = window(n - 1);
    const std::uint64_t opened = w.began.load(std::memory_order_relaxed);
    const std::uint64_t closed = w.ended.load(std::memory_order_acquire);
    if (closed <= began) break;
    const std::uint64_t from = began > opened ? began : opened, to = ended < closed ? ended : closed;
    if (to > from) sum += to - from;
  }
  return sum;
}

void profiler_started() {
  // Once is enough, as with the real one.
  if (by_profiler() && g_plan.asked.load(std::memory_order_relaxed) == 0) change_asked(+1, clock::monotonic());
}

void profiler_stopped() {
  if (by_profiler() && g_plan.asked.load(std::memory_order_relaxed) > 0) change_asked(-1, clock::monotonic());
}

bool names(std::string_view text, std::string_view domain) {
  if (!g_plan.by_range) return false;
  const std::string_view asked = process().options.capture_range;
  if (!asked.starts_with(kNvtx)) return false;
  const std::string_view name = from(asked, kNvtx.size());
  if (name == text) return true;
  return !domain.empty() && name.size() == text.size() + 1 + domain.size() && name.starts_with(text) &&
         name[text.size()] == '@' && name.ends_with(domain);
}

void range_began(std::uint64_t now) { change_asked(+1, now); }

void range_ended(std::uint64_t now) { change_asked(-1, now); }

void describe_window(TextBuilder& text) {
  if (!state.narrowed) return;
  const std::uint32_t count = g_plan.windows.load(std::memory_order_acquire);
  const std::uint32_t from = count > kDescribed ? count - kDescribed : 0;
  for (std::uint32_t n = from; n < count; ++n) {
    const std::uint64_t ended = window(n).ended.load(std::memory_order_acquire);
    text << (n == from ? "open=" : "\nopen=") << window(n).began.load(std::memory_order_relaxed);
    if (ended != kNever) text << "\nclose=" << ended;
  }
}

static void plan_windows() {
  pages::wipe_in_child(g_records_to_come);
  const Options& o = process().options;
  g_plan.scheduled = o.schedule.active != 0;
  if (g_plan.scheduled) state.detailed.store(false, std::memory_order_relaxed);
  g_plan.by_range = o.capture_range[0] != '\0';
  state.narrowed = g_plan.by_range || o.delay_ms != 0 || o.duration_ms != 0;
  if (!state.narrowed) return;
  const bool timed = o.delay_ms != 0 || o.duration_ms != 0;
  g_plan.from = (timed ? start_of_run() : process().start_monotonic_ns) + o.delay_ms * 1'000'000;
  g_plan.duration = o.duration_ms != 0 ? o.duration_ms * 1'000'000 : kNever;
  state.open.store(false, std::memory_order_relaxed);
  if (g_plan.by_range && o.delay_ms == 0) return;  // it waits for the range alone
  state.due.store(g_plan.from, std::memory_order_relaxed);
}

void prepare_window() {
  plan_windows();
  note_traced();
}

extern constinit const Feature feature{.prepare = prepare_window,
                                       .description = {log::InfoKey::Window, describe_window}};

}  // namespace prof::capture
