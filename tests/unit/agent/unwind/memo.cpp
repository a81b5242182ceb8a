// The memo of the last stack against the plain walk, which starts anew each time: the same frames on every call,
// whatever happened in between.
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

#include <cstring>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

#include "agent/unwind/memo.hpp"
#include "agent/unwind/objects.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

#if defined(__x86_64__)
namespace {

constexpr std::uint32_t kDepth = 200;

StackBounds bounds_here() {
  pthread_attr_t attr;
  pthread_getattr_np(pthread_self(), &attr);
  void* low = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attr, &low, &size);
  pthread_attr_destroy(&attr);
  const auto start = reinterpret_cast<std::uintptr_t>(low);
  return {start, start + size};
}

struct Rows {
  std::unique_ptr<RowCache::Few> few = std::make_unique<RowCache::Few>();
  std::unique_ptr<RowCache::Many> many = std::make_unique<RowCache::Many>();
  RowCache cache;
  Rows() { cache.begin(*few, *many); }
};

struct Bench {
  std::vector<std::uint64_t> memory = std::vector<std::uint64_t>(StackMemo::bytes(kDepth) / 8 + 1);
  StackMemo* memo = StackMemo::make(kDepth, memory.data());
  Rows rows;
  std::unique_ptr<ForeignWindow> foreign = std::make_unique<ForeignWindow>();
  StackBounds bounds;
  std::vector<std::uintptr_t> frames = std::vector<std::uintptr_t>(kDepth), tops = frames;
  std::vector<std::uintptr_t> last;
  std::uint64_t takes = 0, refused = 0, frames_kept = 0, frames_seen = 0, differences = 0;

  void compare(const WalkStart& start) {
    ++takes;
    const WalkResult r = walk(start, bounds, rows.cache, *foreign, frames.data(), tops.data(), kDepth);
    const std::uint32_t before = memo->count();
    if (!memo->take(start, bounds, rows.cache, *foreign)) {
      ++refused;
      differences += memo->count() != before && memo->count() != 0;
      return;
    }
    // A stack that the plain walk could not end must not be remembered.
    std::vector<std::uintptr_t> own;
    for (std::uint32_t i = memo->count(); i-- > 0;) {
      if (memo->visible(i)) own.push_back(memo->address(i));
    }
    const bool whole = !r.truncated && !r.broken && !r.guessed && !r.in_handler;
    if (!whole || own.size() != r.depth || std::memcmp(own.data(), frames.data(), own.size() * 8) != 0) ++differences;
    // What is said to be kept is what it was.
    std::vector<std::uintptr_t> outermost_first;
    for (std::uint32_t i = 0; i < memo->count(); ++i) outermost_first.push_back(memo->address(i) ^ memo->sp(i));
    for (std::uint32_t i = 0; i < memo->kept(); ++i) {
      if (i >= last.size() || last[i] != outermost_first[i]) ++differences;
    }
    frames_kept += memo->kept();
    frames_seen += memo->count();
    last = outermost_first;
  }
};
thread_local Bench* bench = nullptr;

__attribute__((noinline)) void look() {
  const auto* fp = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
  bench->compare({fp[1], reinterpret_cast<std::uintptr_t>(fp + 2), fp[0], false, nullptr});
}

struct Begun {
  Bench mine;
  Begun() {
    prepare_objects(false);
    mine.bounds = bounds_here();
    bench = &mine;
  }
};

std::mt19937 random_numbers(7);
unsigned chance(unsigned of) { return static_cast<unsigned>(random_numbers()) % of; }

#define KEEP(x) asm volatile("" : "+r"(x)::"memory")

jmp_buf way_out;

// Shapes that call each other at random, and look from anywhere.
void any(int left);

__attribute__((noinline)) void plain(int left) {
  KEEP(left);
  any(left);
  if (chance(2) == 0) look();
  KEEP(left);
}
__attribute__((noinline, optimize("no-omit-frame-pointer"))) void framed(int left) {
  KEEP(left);
  any(left);
  look();
  KEEP(left);
}
// rbp holds a loop's counter, as any register may at -O2.
__attribute__((noinline, optimize("omit-frame-pointer"))) void counting(int left) {
  std::uintptr_t a = static_cast<std::uintptr_t>(left), b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5;
  for (int i = 0; i < 2; ++i) {
    asm volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f));
    any(left);
    a += b ^ static_cast<unsigned>(i), b += c, c += d, d += e, e += f, f += a;
    if (chance(2) == 0) look();
  }
  asm volatile("" ::"r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f));
}
__attribute__((noinline)) void with_alloca(int left) {
  auto* room = static_cast<volatile char*>(alloca(16 + chance(200)));
  room[0] = 1;
  any(left);
  if (chance(2) == 0) look();
  room[1] = room[0];
}
__attribute__((noinline)) void realigned(int left) {
  alignas(64) volatile char room[64];
  room[0] = static_cast<char>(left);
  any(left);
  look();
  room[1] = room[0];
}
// A re-aligned stack of variable size: the end of the frame is found through memory.
__attribute__((noinline)) void realigned_alloca(int left) {
  alignas(32) volatile char room[32];
  auto* more = static_cast<volatile char*>(alloca(16 + chance(100)));
  room[0] = static_cast<char>(left);
  more[0] = room[0];
  any(left);
  look();
  more[1] = room[0];
}
__attribute__((noinline)) void catching(int left) {
  try {
    any(left);
    look();
  } catch (const std::runtime_error&) {
    look();
  }
}
__attribute__((noinline)) void throwing(int left) {
  any(left);
  if (chance(4) == 0) throw std::runtime_error("out");
  look();
}
__attribute__((noinline)) void jumping(int left) {
  any(left);
  if (chance(50) == 0) longjmp(way_out, 1);
  look();
}
int order(const void* a, const void* b) {
  if (chance(4) == 0) look();
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}
__attribute__((noinline)) void through_libc(int left) {
  int numbers[] = {3, 1, 2, 5};
  qsort(numbers, 4, sizeof(int), order);
  any(left);
}
// The same call, now straight to `look`, now through somebody else: same return address, same stack pointer.
__attribute__((noinline)) void one_place(void (*callee)()) {
  for (int i = 0; i < 2; ++i) callee();
  asm volatile("");
}
__attribute__((noinline)) void between() {
  volatile char pad[40];
  pad[0] = 1;
  look();
  pad[1] = pad[0];
}
__attribute__((noinline)) void either(int left) {
  one_place(chance(2) == 0 ? look : between);
  any(left);
}

void any(int left) {
  if (left == 0) return look();
  switch (chance(11)) {
    case 0:
      return plain(left - 1);
    case 1:
      return framed(left - 1);
    case 2:
      return counting(left - 1);
    case 3:
      return with_alloca(left - 1);
    case 4:
      return realigned(left - 1);
    case 5:
      return realigned_alloca(left - 1);
    case 6:
      return catching(left - 1);
    case 7:
      return throwing(left - 1);
    case 8:
      return jumping(left - 1);
    case 9:
      return through_libc(left - 1);
    default:
      return either(left - 1);
  }
}

__attribute__((noinline)) void once(int left) {
  if (setjmp(way_out) != 0) return look();
  try {
    any(left);
  } catch (const std::runtime_error&) {
    look();
  }
}

// A frame found through rbp, whose callee always begins at `low`: only rbp tells where the frame itself lies, and what
// an earlier, lower one left on the stack still stands there.
__attribute__((noinline)) void moved(std::uintptr_t low, void (*callee)()) {
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  auto* room = static_cast<char*>(alloca(frame - low));
  KEEP(room);
  callee();
  KEEP(room);
}
__attribute__((noinline)) void from_left(std::uintptr_t low, void (*callee)()) {
  auto* room = static_cast<char*>(alloca(512));
  KEEP(room);
  moved(low, callee);
  KEEP(room);
}
__attribute__((noinline)) void from_right(std::uintptr_t low, void (*callee)()) {
  auto* room = static_cast<char*>(alloca(128));
  KEEP(room);
  moved(low, callee);
  KEEP(room);
}
// Callees that keep rbp, save it right below the return address, and save it further down.
__attribute__((noinline, optimize("omit-frame-pointer"))) void keeps_rbp() {
  look();
  asm volatile("");
}
__attribute__((noinline, optimize("no-omit-frame-pointer"))) void saves_rbp() {
  look();
  asm volatile("");
}
__attribute__((noinline)) void saves_rbp_late() {
  asm volatile("" ::: "rbx", "r12", "r13", "r14", "r15");
  std::uintptr_t a = 1;
  asm volatile("" : "+r"(a));
  look();
  asm volatile("" ::"r"(a) : "rbx", "r12", "r13", "r14", "r15");
}

// Keeps this frame's word alive around the call: no tail call.
__attribute__((noinline)) void deep(int n) {
  KEEP(n);
  if (n == 0)
    look();
  else
    deep(n - 1);
  KEEP(n);
}

}  // namespace

TEST_CASE("agent: the memo of the last stack gives the frames of a whole walk, always") {
  Begun begun;
  for (int round = 0; round < 4000; ++round) once(static_cast<int>(chance(12)));
  CHECK(begun.mine.differences == 0);
  CHECK(begun.mine.refused == 0);
  CHECK(begun.mine.takes > 20'000);
  // It is of use: most frames are not walked again.
  CHECK(begun.mine.frames_kept * 10 > begun.mine.frames_seen * 6);
}

TEST_CASE("agent: the memo looks at rbp where a frame is found through it, and at the word it was saved in") {
  Begun begun;
  void (*const callees[])() = {look, keeps_rbp, saves_rbp, saves_rbp_late};
  const std::uintptr_t low =
      (reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) - 4096) & ~std::uintptr_t{15};
  for (int round = 0; round < 4000; ++round) {
    void (*const callee)() = callees[chance(4)];
    void (*const way)(std::uintptr_t, void (*)()) = chance(2) == 0 ? from_left : from_right;
    way(low, callee);  // one place: its return address says nothing
  }
  CHECK(begun.mine.differences == 0);
  CHECK(begun.mine.refused == 0);
  CHECK(begun.mine.frames_kept > 0);
}

TEST_CASE("agent: the memo keeps the same stack whole") {
  Begun begun;
  for (int i = 0; i < 100; ++i) {
    begun.mine.frames_kept = begun.mine.frames_seen = 0;
    deep(60);
    CHECK(begun.mine.frames_seen > 60);
    if (i > 0) CHECK(begun.mine.frames_kept == begun.mine.frames_seen);
  }
  CHECK(begun.mine.differences == 0);
}

TEST_CASE("agent: the memo refuses what is deeper than its limit and recovers") {
  Begun begun;
  deep(60);
  deep(400);
  CHECK(begun.mine.refused == 1);
  deep(60);
  deep(20);
  CHECK(begun.mine.refused == 1);
  CHECK(begun.mine.differences == 0);
}

TEST_CASE("agent: the memo refuses stacks of signal handlers and of coroutines, and stays sound") {
  static Begun begun;
  bench = &begun.mine;
  struct sigaction action {
  }, old{};
  action.sa_handler = [](int) { deep(10); };
  sigaction(SIGUSR1, &action, &old);
  for (int i = 0; i < 3; ++i) {
    deep(30);
    raise(SIGUSR1);
    deep(31);
  }
  sigaction(SIGUSR1, &old, nullptr);
  CHECK(begun.mine.refused == 3);
  static ucontext_t main_context, other_context;
  std::vector<char> stack(64 << 10);
  for (int i = 0; i < 3; ++i) {
    getcontext(&other_context);
    other_context.uc_stack.ss_sp = stack.data();
    other_context.uc_stack.ss_size = stack.size();
    other_context.uc_link = &main_context;
    makecontext(
        &other_context, [] { deep(10); }, 0);
    deep(30);
    swapcontext(&main_context, &other_context);
    deep(31);
  }
  CHECK(begun.mine.refused == 6);
  CHECK(begun.mine.differences == 0);
}

TEST_CASE("agent: a changed word anywhere on the stack is seen") {
  Begun begun;
  // Two ways to the same place: the outer return address differs, all inner frames are alike.
  struct Ways {
    __attribute__((noinline)) static void inner(int n) {
      deep(n);
      asm volatile("");
    }
    __attribute__((noinline)) static void left() {
      inner(20);
      asm volatile("" ::"r"(1));
    }
    __attribute__((noinline)) static void right() {
      inner(20);
      asm volatile("" ::"r"(2));
    }
  };
  for (int i = 0; i < 50; ++i) chance(2) == 0 ? Ways::left() : Ways::right();
  CHECK(begun.mine.differences == 0);
  CHECK(begun.mine.refused == 0);
}

TEST_CASE("agent: unloaded modules empty the memo") {
  Begun begun;
  for (int i = 0; i < 5; ++i) {
    deep(10);
    modules_changed();
    deep(10);
    CHECK(begun.mine.memo->kept() == 0);
  }
  CHECK(begun.mine.differences == 0);
}

TEST_CASE("agent: each thread's memo ends at its own first frame") {
  for (int i = 0; i < 4; ++i) {
    std::thread([] {
      const auto begun = std::make_unique<Begun>();
      for (int n = 0; n < 40; ++n) deep(n % 9);
      // Nothing of another thread's Catch state is touched here: the counts are looked at by themselves.
      if (begun->mine.differences != 0 || begun->mine.refused != 0) std::abort();
    }).join();
  }
  SUCCEED();
}
#endif
