// Where a tick enters: from whatever stack the kernel put its frame on to the thread's own tick stack.
//
// The program's stacks are its own business. A coroutine's may have little room left, an alternate signal stack may be
// the kernel's minimum, and a stack that overflows must do so where it does alone: so a tick takes of them what the
// kernel's frame takes, and two words. The handler is installed with SA_ONSTACK, as Go's runtime demands of every one;
// the agent itself gives a thread an alternate stack, which moves the program's own handlers to it, only where the
// program makes code of its own (given_stack.hpp).
//
// Nor are the flags what a function may expect: the kernel leaves the check of alignment (AC) on where the program has
// it on, and no library is written for that. The return from the signal brings it back.
//
// Nor is thread-local storage always the thread's: user-level threads with storage of their own set the FS register,
// and emulators for what they run. Where a program may do that without asking the kernel (FSGSBASE), a timer's tick
// compares it with what the thread had, which the timer brings, before it looks at anything there; and is dropped: the
// CPU time is the next one's.
#include <cstddef>

#include "agent/core/tls.hpp"
#include "agent/sample/ticks.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::ticks {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // GCC and clang support it for all that has no virtual bases
static_assert(offsetof(Tls, state) == 0 && offsetof(ThreadState, tick_stack) == 64, "of the assembly below");
#pragma GCC diagnostic pop

extern "C" [[gnu::used]] void prof_on_tick(int signal, siginfo_t* info, void* context) {
  on_tick(signal, info, context);
}

extern "C" {
__attribute__((visibility("hidden"))) constinit bool prof_reads_base = false;
}
static_assert(offsetof(siginfo_t, si_code) == 8 && offsetof(siginfo_t, si_value) == 24 && SI_TIMER == -2,
              "of the assembly below");

// A thread without a state has no such stack: tick_stack is null.
asm(R"(
.pushsection .text
.hidden prof_tick_entry
.globl prof_tick_entry
.type prof_tick_entry,@function
prof_tick_entry:
.cfi_startproc
push %rbp
.cfi_def_cfa_offset 16
.cfi_offset %rbp, -16
mov %rsp, %rbp
.cfi_def_cfa_register %rbp
cmpl $-2, 8(%rsi)
jne 1f
cmpb $0, prof_reads_base(%rip)
je 1f
rdfsbase %rax
cmp 24(%rsi), %rax
jne 2f
1:
mov _ZN4prof3tlsE@gottpoff(%rip), %rax
mov %fs:(%rax), %rax
mov 64(%rax), %rax
test %rax, %rax
cmovnz %rax, %rsp
and $-16, %rsp
pushfq
andl $~0x40000, (%rsp)
popfq
call prof_on_tick
2:
mov %rbp, %rsp
pop %rbp
.cfi_def_cfa %rsp, 8
ret
.cfi_endproc
.size prof_tick_entry, .-prof_tick_entry
.popsection
)");

}  // namespace prof::ticks
