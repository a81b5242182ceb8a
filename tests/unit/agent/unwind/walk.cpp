// The stack walker against libunwind, frame by frame, on stacks of many shapes.
#define UNW_LOCAL_ONLY
#include <alloca.h>
#include <libunwind.h>
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <memory>
#include <vector>

#include "agent/unwind/objects.hpp"
#include "agent/unwind/walk.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

namespace {

struct Taken {
  std::vector<std::uintptr_t> own, oracle;
  WalkResult result{};
};

StackBounds own_bounds() {
  prepare_objects(false);
  pthread_attr_t attr;
  pthread_getattr_np(pthread_self(), &attr);
  void* low = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attr, &low, &size);
  pthread_attr_destroy(&attr);
  const auto start = reinterpret_cast<std::uintptr_t>(low);
  return {start, start + size};
}

RowCache& shared_rows() {
  static auto few = std::make_unique<RowCache::Few>();
  static auto many = std::make_unique<RowCache::Many>();
  static RowCache rows = [] {
    RowCache made;
    made.begin(*few, *many);
    return made;
  }();
  return rows;
}

Taken take_from(const WalkStart& start, const StackBounds& bounds) {
  RowCache& rows = shared_rows();
  static auto foreign = std::make_unique<ForeignWindow>();
  Taken t;
  t.own.resize(512);
  std::vector<std::uintptr_t> tops(512);
  t.result = walk(start, bounds, rows, *foreign, t.own.data(), tops.data(), 512);
  // Each frame ends where its caller begins; the outermost has no end.
  for (std::uint32_t i = 1; i < t.result.depth; ++i) CHECK(tops[i - 1] < tops[i]);
  CHECK(tops[0] > start.sp);
  t.own.resize(t.result.depth);
  return t;
}

__attribute__((noinline)) Taken take_here(const StackBounds& bounds) {
  const auto* fp = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
  Taken t = take_from({fp[1], reinterpret_cast<std::uintptr_t>(fp + 2), fp[0], false, nullptr}, bounds);
  void* frames[512];
  const int n = unw_backtrace(frames, 512);
  for (int i = 1; i < n; ++i) {  // [0] is in this very function
    const auto pc = reinterpret_cast<std::uintptr_t>(frames[i]);
    if (pc != 0) t.oracle.push_back(pc - 1);
  }
  return t;
}

// Equal but for the innermost frame, whose call of `take_here` each side sees at its own instruction.
void check_equal(const Taken& t) {
  CHECK_FALSE(t.result.broken);
  CHECK_FALSE(t.result.truncated);
  REQUIRE(t.own.size() == t.oracle.size());
  for (std::size_t i = 0; i < t.own.size(); ++i) CHECK(t.own[i] == t.oracle[i]);
}

__attribute__((noinline)) Taken deep(int n, const StackBounds& bounds) {
  volatile char pad[24];
  pad[0] = static_cast<char>(n);
  Taken t = n == 0 ? take_here(bounds) : deep(n - 1, bounds);
  pad[1] = pad[0];
  return t;
}

__attribute__((noinline)) Taken with_alloca(int n, const StackBounds& bounds) {
  auto* room = static_cast<volatile char*>(alloca(static_cast<std::size_t>(16 + n * 7)));
  room[0] = 1;
  Taken t = n == 0 ? take_here(bounds) : with_alloca(n - 1, bounds);
  room[1] = room[0];
  return t;
}

// A re-aligned stack: the CFA is then found through rbp or a saved pointer.
__attribute__((noinline)) Taken realigned(int n, const StackBounds& bounds) {
  alignas(64) volatile char room[64];
  room[0] = static_cast<char>(n);
  Taken t = n == 0 ? take_here(bounds) : realigned(n - 1, bounds);
  room[1] = room[0];
  return t;
}

int compare(const void*, const void*) { return 0; }

}  // namespace

#if defined(__x86_64__)

TEST_CASE("agent: walker agrees with libunwind on ordinary, alloca and re-aligned frames") {
  const StackBounds bounds = own_bounds();
  for (const int n : {0, 1, 5, 60, 200}) check_equal(deep(n, bounds));
  for (const int n : {0, 3, 40}) check_equal(with_alloca(n, bounds));
  for (const int n : {0, 3, 40}) check_equal(realigned(n, bounds));
}

TEST_CASE("agent: walker passes through libc's frames") {
  static Taken taken;
  static StackBounds bounds;
  bounds = own_bounds();
  int numbers[] = {3, 1, 2};
  qsort(numbers, 3, sizeof(int), [](const void* a, const void* b) {
    if (taken.own.empty()) taken = take_here(bounds);
    return compare(a, b);
  });
  check_equal(taken);
}

TEST_CASE("agent: walker starts at an interrupted instruction and crosses signal frames") {
  static Taken inside, interrupted;
  static StackBounds bounds;
  bounds = own_bounds();
  struct sigaction action {
  }, old{};
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = [](int, siginfo_t*, void* context) {
    inside = take_here(bounds);
    const auto& g = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    interrupted = take_from({static_cast<std::uintptr_t>(g[REG_RIP]), static_cast<std::uintptr_t>(g[REG_RSP]),
                             static_cast<std::uintptr_t>(g[REG_RBP]), true, static_cast<ucontext_t*>(context)},
                            bounds);
  };
  sigaction(SIGUSR1, &action, &old);
  raise(SIGUSR1);
  sigaction(SIGUSR1, &old, nullptr);
  CHECK_FALSE(inside.result.broken);
  CHECK_FALSE(interrupted.result.broken);
  // The stack from inside the handler ends with the whole of the interrupted one.
  REQUIRE(inside.own.size() > interrupted.own.size());
  CHECK(std::equal(interrupted.own.rbegin(), interrupted.own.rend(), inside.own.rbegin()));
  // libunwind looks at the interrupted frame itself one byte too early, as at a caller: the others must agree.
  REQUIRE(inside.own.size() == inside.oracle.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i < inside.own.size(); ++i) different += inside.own[i] != inside.oracle[i];
  CHECK(different <= 1);
}

TEST_CASE("agent: walker reads other stacks through copies and comes back to the thread's own") {
  static Taken taken;
  static ucontext_t main_context, other_context;
  static const StackBounds bounds = own_bounds();
  std::vector<char> stack(64 << 10);
  getcontext(&other_context);
  other_context.uc_stack.ss_sp = stack.data();
  other_context.uc_stack.ss_size = stack.size();
  other_context.uc_link = &main_context;
  makecontext(
      &other_context, [] { taken = deep(30, bounds); }, 0);
  swapcontext(&main_context, &other_context);
  CHECK(taken.own.size() >= 32);
  REQUIRE(taken.oracle.size() >= 32);
  for (std::size_t i = 0; i < 31; ++i) CHECK(taken.own[i] == taken.oracle[i]);
}

TEST_CASE("agent: walker survives damaged stacks and limits its depth") {
  const StackBounds bounds = own_bounds();
  RowCache& rows = shared_rows();
  static auto foreign = std::make_unique<ForeignWindow>();
  std::uintptr_t frames[16], tops[16];
  // A stack of garbage: every word a wild pointer.
  std::vector<std::uintptr_t> garbage(1024);
  std::uint64_t state = 88172645463325252ULL;
  for (auto& word : garbage) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    word = state;
  }
  for (std::size_t i = 0; i + 8 < garbage.size(); ++i) {
    const auto sp = reinterpret_cast<std::uintptr_t>(&garbage[i]);
    const WalkResult r =
        walk({garbage[i], sp, garbage[i + 1], (i & 1) != 0, nullptr}, bounds, rows, *foreign, frames, tops, 16);
    CHECK(r.depth <= 16);
  }
  const auto* fp = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
  const WalkResult r = walk({fp[1], reinterpret_cast<std::uintptr_t>(fp + 2), fp[0], false, nullptr}, bounds, rows,
                            *foreign, frames, tops, 2);
  CHECK(r.depth == 2);
  CHECK(r.truncated);
}

#endif
