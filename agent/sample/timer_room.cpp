#include "agent/sample/timer_room.hpp"

#include <sys/resource.h>

#include <atomic>
#include <cstdint>
#include <string_view>

#include "agent/core/clock.hpp"
#include "agent/core/helper_thread.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/text.hpp"

namespace prof::ticks {
namespace {

constexpr std::int64_t kUnseenPart = 256;  // of the limit: what is taken without a look
constexpr std::int64_t kMostUnseen = 64;
constexpr std::int64_t kMostAtOnce = 512;
constexpr std::int64_t kEventsRoom = 8192;
constexpr std::uint64_t kRetryNs = 100'000'000;  // after a look that found no room
constexpr std::int64_t kUnlimited = INT64_MAX;

std::atomic<std::uint32_t> g_looks{0};
std::atomic<std::int64_t> g_left{0};  // may be taken without another look
std::atomic<std::int64_t> g_taken{0};
std::atomic<std::uint64_t> g_retry_at{0};
enum class Events : std::uint32_t { Unknown, Allowed, Forbidden };
std::atomic<Events> g_events{Events::Unknown};

std::int64_t limit_of(std::uint64_t most) { return most > INT64_MAX ? kUnlimited : static_cast<std::int64_t>(most); }

std::int64_t limit() {
  rlimit l{};
  if (raw::call(SYS_prlimit64, 0, RLIMIT_SIGPENDING, 0, raw::word(&l)) != 0) return 0;
  return limit_of(l.rlim_cur);
}

// The user's pending signals, timers among them; our own where the system does not tell.
std::int64_t in_use() {
  char text[2048];
  const std::size_t n = helper_thread::slurp("/proc/thread-self/status", text, sizeof(text));
  const std::string_view status(text, n), name = "\nSigQ:\t";
  const std::size_t at = status.find(name);
  if (at == std::string_view::npos) return g_taken.load(std::memory_order_relaxed);
  std::int64_t used = 0;
  for (const char c : from(status, at + name.size())) {
    if (c < '0' || c > '9') break;
    used = used * 10 + (c - '0');
  }
  return used;
}

bool take() {
  if (g_left.fetch_sub(1, std::memory_order_relaxed) > 0) return true;
  g_left.fetch_add(1, std::memory_order_relaxed);
  return false;
}

// Adds to what may be taken. False: there is no room.
bool look() {
  // Of two threads that look at the same time, one adds: the other has seen what is not so any more.
  std::uint32_t looks = g_looks.load(std::memory_order_acquire);
  const std::uint64_t now = clock::monotonic();
  if (now < g_retry_at.load(std::memory_order_relaxed)) return false;
  const std::int64_t most = limit();
  std::int64_t more = 0;
  if (looks == 0) {
    const std::int64_t unseen = most / kUnseenPart;
    more = unseen < kMostUnseen ? unseen : kMostUnseen;
  } else {
    const std::int64_t room = most - most / 4 - in_use();
    if (room <= 0) {
      g_retry_at.store(now + kRetryNs, std::memory_order_relaxed);
      return false;
    }
    // Others of the user may be at it, too.
    const std::int64_t share = (room + 1) / 2;
    more = share < kMostAtOnce ? share : kMostAtOnce;
  }
  if (g_looks.compare_exchange_strong(looks, looks + 1, std::memory_order_acq_rel))
    g_left.fetch_add(more, std::memory_order_relaxed);
  return true;
}

}  // namespace

bool take_timer_room() {
  constexpr int kTries = 8;
  bool taken = take();
  for (int i = 0; i < kTries && !taken && look(); ++i) taken = take();
  if (taken) g_taken.fetch_add(1, std::memory_order_relaxed);
  return taken;
}

void give_timer_room_back() {
  g_taken.fetch_sub(1, std::memory_order_relaxed);
  if (g_left.load(std::memory_order_relaxed) < kMostAtOnce) g_left.fetch_add(1, std::memory_order_relaxed);
}

bool room_for_events() {
  Events known = g_events.load(std::memory_order_relaxed);
  if (known == Events::Unknown) {
    known = limit() - in_use() >= kEventsRoom ? Events::Allowed : Events::Forbidden;
    g_events.store(known, std::memory_order_relaxed);
  }
  return known == Events::Allowed;
}

bool room_for_events_under(std::uint64_t limit) {
  const bool room = limit_of(limit) - in_use() >= kEventsRoom;
  if (!room) g_events.store(Events::Forbidden, std::memory_order_relaxed);
  return room;
}

void renew_timer_room() {
  g_looks.store(0, std::memory_order_relaxed);
  g_left.store(0, std::memory_order_relaxed);
  g_taken.store(0, std::memory_order_relaxed);
  g_retry_at.store(0, std::memory_order_relaxed);
}

}  // namespace prof::ticks
