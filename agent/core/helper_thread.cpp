#include "agent/core/helper_thread.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <time.h>

#include <atomic>
#include <cstddef>
#include <new>

#include "agent/core/clock.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/raw.hpp"
#include "agent/core/signals_held.hpp"
#include "agent/core/tls.hpp"

namespace prof::helper_thread {
namespace {

struct State {
  std::atomic<std::uint32_t> others;   // threads besides the first one
  std::atomic<std::uint32_t> started;  // 1: something was started and is not over
  std::uint32_t started_tid;
  std::atomic<std::uint64_t> cpu_ns;  // of all helpers so far
};
PROF_WIPED_AT_START constinit pages::Wiped<State> g_state{};
constinit std::atomic<bool> g_copies{false};  // the kernel knows no other way to a table of one's own

struct Job {
  void* to_unmap;              // by the thread itself, at its end; null: by who waits
  std::size_t bytes_to_unmap;  // both read by the assembly below
  Plain* work;
  void* argument;
  std::uint64_t cpu_ns;
  std::uint32_t tid;  // the kernel's: of the thread, and 0 when it has left this memory
  bool shared;        // begins with the host's table
  bool done;
};
static_assert(offsetof(Job, to_unmap) == 0 && offsetof(Job, bytes_to_unmap) == 8);
constexpr std::size_t kJobBytes = 2048;  // of the stack's upper end, for a job that nobody waits for and its work

constexpr std::size_t kStackBytes = 32 << 10;
// Below a thread pointer lie the thread-local objects of all libraries that came with the program, above it what libc
// keeps of the thread: of that the compiler's and libc's code reads the first words alone.
constexpr std::size_t kControlBytes = 4096;
// A thread of this process in all but its descriptors; no debugger is told of it. It first shares the table, and then
// takes an empty one (Linux 5.9): a copy keeps the host's pipes and locks open that the host closes meanwhile.
constexpr long kFlags = CLONE_VM | CLONE_FS | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_PARENT_SETTID |
                        CLONE_SETTLS | CLONE_UNTRACED;
constexpr long kFirstClosed = 3;  // notices go to the standard ones
constexpr long kCloseRangeUnshare = 2;
constexpr int kPatience = 1000;

void wake(const void* word) { raw::call(SYS_futex, raw::word(word), FUTEX_WAKE, 1); }

extern "C" long prof_clone_helper(long flags, void* stack_top, std::uint32_t* tid, std::uint32_t* cleared,
                                  std::uintptr_t thread_pointer, Job* job);
extern "C" [[gnu::used]] void prof_run_helper(Job* job) {
  if (!job->shared || raw::call(SYS_close_range, kFirstClosed, ~0U, kCloseRangeUnshare) == 0) {
    job->work(job->argument);
    job->cpu_ns = clock::thread_cpu();
    g_state.value.cpu_ns.fetch_add(job->cpu_ns, std::memory_order_relaxed);
    job->done = true;
  } else {
    g_copies.store(true, std::memory_order_relaxed);
  }
  if (job->to_unmap == nullptr) return;
  g_state.value.started.store(0, std::memory_order_release);
  wake(&g_state.value.started);
}
// clone(2): the new thread comes back on a stack on which there is nothing to return to, and may have to give back all
// that it stands on.
asm(R"(
.pushsection .text
.hidden prof_clone_helper
.type prof_clone_helper,@function
prof_clone_helper:
.cfi_startproc
mov %rcx, %r10
mov $56, %eax
syscall
test %rax, %rax
jz 1f
ret
1:
.cfi_undefined rip
xor %ebp, %ebp
mov %r9, %rbx
mov %r9, %rdi
call prof_run_helper
mov (%rbx), %rdi
mov 8(%rbx), %rsi
test %rdi, %rdi
jz 2f
mov $11, %eax
syscall
2:
xor %edi, %edi
mov $60, %eax
syscall
hlt
.cfi_endproc
.size prof_clone_helper, .-prof_clone_helper
.popsection
)");

// Until it is no longer counted among the process's threads, by which hosts tell whether they may fork.
void wait_until_gone(std::uint32_t tid) {
  for (int i = 0; i < kPatience && raw::call(SYS_tgkill, raw::pid(), tid, 0) == 0; ++i) raw::call(SYS_sched_yield);
}

// All that a thread stands on, in one mapping: its stack, and thread-local storage of its own. The caller's would do as
// long as it waits; who does not wait may have ended, and its storage with it.
class Ground {
 public:
  Ground() {
    const std::uintptr_t pointer = thread_pointer();
    below_ = (pointer - reinterpret_cast<std::uintptr_t>(&tls) + pages::kPage) / pages::kPage * pages::kPage;
    start_ = static_cast<char*>(pages::map(bytes(), pages::InChild::Gone));
    if (start_ == nullptr) return;
    // The thread pointer points at itself; the words behind it hold the guards of the compiler's and libc's code.
    auto* control = reinterpret_cast<std::uintptr_t*>(own_pointer());
    std::memcpy(control, reinterpret_cast<const void*>(pointer), kCopiedBytes);
    control[0] = control[2] = own_pointer();
    auto* mine = reinterpret_cast<Tls*>(own_pointer() - (pointer - reinterpret_cast<std::uintptr_t>(&tls)));
    new (mine) Tls{};
    mine->state = &nobody_state;
    mine->phase = ThreadPhase::Ended;  // nothing that it does is recorded
    mine->busy = mine->suppressed = 1;
    mine->exact = tls.exact;
    mine->on_helper = true;
  }
  explicit operator bool() const { return start_ != nullptr; }
  char* start() const { return start_; }
  std::size_t bytes() const { return kStackBytes + below_ + kControlBytes; }
  char* stack_top() const { return start_ + kStackBytes; }
  std::uintptr_t own_pointer() const { return reinterpret_cast<std::uintptr_t>(start_ + kStackBytes + below_); }
  void give_back() { pages::unmap(start_, bytes()); }

 private:
  static constexpr std::size_t kCopiedBytes = 64;
  static std::uintptr_t thread_pointer() {
    std::uintptr_t pointer = 0;
    asm("mov %%fs:0, %0" : "=r"(pointer));
    return pointer;
  }
  std::size_t below_ = 0;
  char* start_ = nullptr;
};

// Whether there was such a thread, whatever it did.
bool lived(Job& job, const Ground& ground) {
  job.shared = !g_copies.load(std::memory_order_relaxed);
  const long flags = kFlags | CLONE_CHILD_CLEARTID | (job.shared ? CLONE_FILES : 0);
  const long tid = prof_clone_helper(flags, ground.stack_top(), &job.tid, &job.tid, ground.own_pointer(), &job);
  if (tid <= 0) return false;
  while (const std::uint32_t seen = __atomic_load_n(&job.tid, __ATOMIC_ACQUIRE))
    raw::call(SYS_futex, raw::word(&job.tid), FUTEX_WAIT, seen, 0);
  wait_until_gone(static_cast<std::uint32_t>(tid));
  return true;
}

bool run_in_thread(Job& job) {
  Ground ground;
  if (!ground) return false;
  {
    const SignalsHeld held;
    // Once more where the kernel could not do it the first way.
    if (lived(job, ground) && !job.done) lived(job, ground);
  }
  ground.give_back();
  return job.done;
}

bool start_thread(Plain* work, const void* argument, std::size_t bytes) {
  Ground ground;
  if (!ground) return false;
  char* room = ground.stack_top() - kJobBytes;
  auto* job = new (room) Job{};
  job->work = work;
  job->argument = std::memcpy(room + 64, argument, bytes);
  job->shared = !g_copies.load(std::memory_order_relaxed);
  job->to_unmap = ground.start();
  job->bytes_to_unmap = ground.bytes();
  const SignalsHeld held;
  const long flags = kFlags | (job->shared ? CLONE_FILES : 0);
  if (prof_clone_helper(flags, room, &g_state.value.started_tid, nullptr, ground.own_pointer(), job) > 0) return true;
  ground.give_back();
  return false;
}

bool has_others() { return g_state.value.others.load(std::memory_order_relaxed) != 0; }

}  // namespace

static_assert(sizeof(Job) <= 64);

void thread_begins() { g_state.value.others.fetch_add(1, std::memory_order_relaxed); }

void thread_ended() {
  std::uint32_t others = g_state.value.others.load(std::memory_order_relaxed);
  while (others > 0 && !g_state.value.others.compare_exchange_weak(others, others - 1, std::memory_order_relaxed)) {
  }
}

std::uint64_t run(Plain* work, void* argument) {
  if (tls.on_helper || !has_others()) {
    work(argument);
    return 0;
  }
  Job job{};
  job.work = work;
  job.argument = argument;
  tls.on_helper = true;
  if (!run_in_thread(job)) work(argument);
  tls.on_helper = false;
  return job.cpu_ns;
}

bool start(Plain* work, const void* argument, std::size_t bytes) {
  std::uint32_t idle = 0;
  if (!g_state.value.started.compare_exchange_strong(idle, 1, std::memory_order_acquire)) return false;
  if (has_others() && start_thread(work, argument, bytes)) return true;
  alignas(16) char copy[1024];
  work(std::memcpy(copy, argument, bytes));
  g_state.value.started.store(0, std::memory_order_release);
  return true;
}

void wait_for_started() {
  constexpr std::uint64_t kLongestNs = 10'000'000;
  const timespec most{0, kLongestNs};
  auto& started = g_state.value.started;
  if (started.load(std::memory_order_acquire) != 0)
    raw::call(SYS_futex, raw::word(&started), FUTEX_WAIT, 1, raw::word(&most));
  if (started.load(std::memory_order_acquire) == 0 && g_state.value.started_tid != 0) {
    wait_until_gone(g_state.value.started_tid);
    g_state.value.started_tid = 0;
  }
}

std::size_t slurp(const char* path, char* to, std::size_t room) {
  std::size_t n = 0;
  run([&] { n = raw::slurp(path, to, room); });
  return n;
}

std::uint64_t cpu_ns() { return g_state.value.cpu_ns.load(std::memory_order_relaxed); }

void prepare() { pages::wipe_in_child(g_state); }

}  // namespace prof::helper_thread
