#include "agent/memory/pass.hpp"

#include <atomic>
#include <initializer_list>

#include "agent/core/allowance.hpp"
#include "agent/core/clock.hpp"
#include "agent/core/counter.hpp"
#include "agent/core/helper_thread.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/log/file.hpp"
#include "agent/memory/parts.hpp"
#include "agent/memory/series.hpp"
#include "agent/thread/feature.hpp"
#include "agent/thread/thread_state.hpp"
#include "agent/thread/vitals.hpp"

namespace prof::memory {
namespace {

// Who lives shorter than a second has no series, and who lives shorter than many a coarse one: its log stays small.
constexpr std::uint64_t kFirstNs = 1'000'000'000, kLongNs = 20'000'000'000;
constexpr std::uint64_t kTinyNs = 50'000'000;
constexpr std::uint32_t kEarlyPoints = 16, kFirstPoints = 64;
constexpr std::uint32_t kLeftBehindS = 60;  // a lock that is held for so long was left by a jump out of a handler

constexpr Allowance kAllowance{2'000'000, 200};  // for the series; looks have their own

struct Passes {
  std::uint64_t spent_ns;
  std::atomic<std::uint64_t> holder;  // tid:32 | seconds of CLOCK_MONOTONIC:32; 0: nobody
  std::uint64_t last_ns;
  log::SeriesHeader* series;  // `early`, or in the log
  log::ChunkHeader* chunk;    // its chunk; null: `early`
  alignas(8) char early[series_bytes(kEarlyPoints)];
  Looks looks;
};
PROF_WIPED constinit pages::Wiped<Passes> g_passes{};

// Nobody ever waits for it: who finds it taken leaves the work to the holder. A holder that is this very thread was
// left by a longjmp: no guard lets anybody in twice.
class Turn {
 public:
  Turn(std::uint32_t tid, std::uint64_t now) : mine_(std::uint64_t{tid} << 32 | seconds(now)) {
    std::uint64_t seen = g_passes.value.holder.load(std::memory_order_relaxed);
    const bool free = seen == 0 || seen >> 32 == tid || seconds(now) - static_cast<std::uint32_t>(seen) > kLeftBehindS;
    taken_ = free && g_passes.value.holder.compare_exchange_strong(seen, mine_, std::memory_order_acquire);
  }
  ~Turn() {
    std::uint64_t mine = mine_;
    if (taken_) g_passes.value.holder.compare_exchange_strong(mine, 0, std::memory_order_release);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  explicit operator bool() const { return taken_; }

 private:
  static std::uint32_t seconds(std::uint64_t ns) { return static_cast<std::uint32_t>(ns / 1'000'000'000); }
  std::uint64_t mine_;
  bool taken_ = false;
};

// Resident bytes, by the second and third number of /proc/self/statm; 0: it cannot be read.
struct Resident {
  std::uint64_t all = 0, file = 0;
};
Resident resident() {
  char text[128];
  const std::size_t n = helper_thread::slurp("/proc/self/statm", text, sizeof(text));
  std::size_t i = 0;
  const auto next = [&] {
    while (i < n && text[i] != ' ') ++i;
    std::uint64_t pages = 0;
    for (++i; i < n && text[i] >= '0' && text[i] <= '9'; ++i) {
      pages = pages * 10 + static_cast<std::uint64_t>(text[i] - '0');
    }
    return pages * pages::kPage;
  };
  Resident out;
  out.all = next();
  out.file = next();
  return out;
}

log::SeriesPoint seen_now(const log::Header& h, const Resident& rss) {
  log::SeriesPoint p{};
  p.heap_live = p.heap_high = __atomic_load_n(&h.heap.live, __ATOMIC_RELAXED);
  p.maps_live = __atomic_load_n(&h.maps.live, __ATOMIC_RELAXED);
  p.python_live = __atomic_load_n(&h.python.live, __ATOMIC_RELAXED);
  p.rss = p.rss_high = rss.all;
  p.rss_file = rss.file;
  p.cpu_ns = clock::process_cpu();
  return p;
}

// The series as it should be by now: in a larger room than before, if there is one.
log::SeriesHeader& series_of(Passes& s, std::uint64_t now) {
  const std::uint64_t start = process().start_monotonic_ns;
  if (s.series == nullptr) {
    s.series = reinterpret_cast<log::SeriesHeader*>(s.early);
    begin_series(*s.series, start, kEarlyPoints);
  }
  const std::uint64_t age = now - start;
  const std::uint32_t points = age < kFirstNs ? kEarlyPoints : age < kLongNs ? kFirstPoints : log::kSeriesPoints;
  if (s.series->points >= points) return *s.series;
  log::ChunkHeader* chunk =
      log::take_chunk(log::ChunkType::Series, 0, 0, sizeof(log::ChunkHeader) + series_bytes(points));
  if (chunk == nullptr) return *s.series;
  auto* larger = log::content<log::SeriesHeader>(chunk);
  begin_series(*larger, start, points);
  continue_series(*larger, *s.series);
  if (s.chunk != nullptr) log::give_up_chunk(s.chunk);
  s.series = larger;
  s.chunk = chunk;
  return *larger;
}

void note_series(Passes& s, const log::Header& h, const Resident& rss, std::uint64_t now) {
  log::SeriesPoint p = seen_now(h, rss);
  // A peak between two passes is known to the byte.
  const std::uint64_t peak_ns = __atomic_load_n(&h.heap.peak_ns, __ATOMIC_RELAXED);
  if (peak_ns > s.last_ns && h.heap.peak > p.heap_high) p.heap_high = h.heap.peak;
  add_point(series_of(s, now), p, now);
}

void move_checkpoints(log::Header& h, std::uint64_t now) {
  const std::uint64_t checkpoint = checkpoint_at(now - process().start_monotonic_ns);
  for (log::PeakClock* clock : {&h.heap, &h.maps, &h.python, &h.segments, &h.tensors}) {
    if (__atomic_load_n(&clock->checkpoint, __ATOMIC_RELAXED) != checkpoint) {
      __atomic_store_n(&clock->checkpoint, checkpoint, __ATOMIC_RELEASE);
    }
  }
}

struct Caller {
  std::uint32_t tid;
  std::uint64_t cpu_ns;  // of its CPU clock
};

void take_turn(std::uint64_t now, Occasion occasion, const Caller& caller) {
  const log::Header* h = log::header();
  const Turn turn(raw::tid(), now);
  Passes& s = g_passes.value;
  if (!turn || now < s.last_ns) return;
  const Resident rss = resident();
  note_series(s, *h, rss, now);
  s.last_ns = now;
  add_shared(s.spent_ns, cost_since(caller.cpu_ns, caller.tid));
  look(s.looks, now, rss.all, occasion);
}

// Whether it is the calling thread that passes now: one in a hundred milliseconds.
bool takes_due(std::uint64_t now) {
  std::uint64_t due = __atomic_load_n(pass_due, __ATOMIC_RELAXED);
  return now >= due && __atomic_compare_exchange_n(pass_due, &due, now + log::kSeriesBaseNs, false, __ATOMIC_RELAXED,
                                                   __ATOMIC_RELAXED);
}

}  // namespace

[[gnu::noinline]] std::uint64_t pass(const Guard& guard, std::uint64_t now) {
  const std::uint64_t start = process().start_monotonic_ns;
  log::Header* h = log::header();
  if (h == nullptr || now < start || !takes_due(now)) return 0;
  move_checkpoints(*h, now);
  const std::uint64_t spent = __atomic_load_n(&g_passes.value.spent_ns, __ATOMIC_RELAXED);
  if (!affordable(kAllowance, spent, now - start, cpu_time_so_far())) return 0;
  const Occasion occasion = guard.kind() == log::RegionKind::Ordinary ? Occasion::Hook : Occasion::Tick;
  const Caller caller{raw::tid(), clock::thread_cpu()};
  // Something else is done apart at the moment: whoever comes next tries again.
  if (!helper_thread::start([=] { take_turn(now, occasion, caller); }))
    __atomic_store_n(pass_due, now, __ATOMIC_RELAXED);
  return clock::thread_cpu() - caller.cpu_ns;
}

void last_pass(const Guard&, std::uint64_t now) {
  helper_thread::wait_for_started();
  // Who lived so shortly has no series, and can afford no look at its parts: this would be a good part of its end.
  log::Header* h = log::header();
  if (h == nullptr || now < process().start_monotonic_ns + kTinyNs) return;
  move_checkpoints(*h, now);
  take_turn(now, Occasion::End, {raw::tid(), clock::thread_cpu()});
}

void prepare_passes() { pages::wipe_in_child(g_passes); }

extern constinit const Feature feature{.prepare = prepare_passes, .pass = pass, .last_pass = last_pass};

}  // namespace prof::memory
