#include "agent/sample/tick_signal.hpp"

#include <signal.h>

#include <bit>
#include <cstdint>
#include <cstring>

#include "agent/contract/format.hpp"
#include "agent/core/raw.hpp"
#include "agent/sample/ticks.hpp"

namespace prof::ticks {
namespace {

// The kernel's own layouts: libc's hide the thread id and go through functions that we interpose.
struct KernelAction {
  void (*handler)(int, siginfo_t*, void*);
  unsigned long flags;
  void (*restorer)();
  std::uint64_t mask;
};
constexpr unsigned long kRestorer = 0x04000000;

extern "C" void prof_restore_rt();
// A signal frame's return trampoline. Unwinders know one by its bytes, which are those of every libc, or by its call
// frame information ('S'), which says where in the frame the registers of the interrupted code stand: all of it, since
// some refuse a frame that does not say where its caller's ends. rsp points at the ucontext_t; the offsets of
// uc_mcontext.gregs in it are the kernel's (arch/x86/include/uapi/asm/sigcontext.h). DW_CFA_def_cfa_expression (0x0f)
// and DW_CFA_expression (0x10), each of DW_OP_breg7 (0x77) with an offset as SLEB128, and for the first DW_OP_deref.
asm(R"(
.pushsection .text
.hidden prof_restore_rt
.type prof_restore_rt,@function
.cfi_startproc simple
.cfi_signal_frame
.cfi_escape 0x0f, 4, 0x77, 0xa0, 0x01, 0x06
.macro prof_saved register, low, high
.cfi_escape 0x10, \register, 3, 0x77, \low, \high
.endm
prof_saved 0, 0x90, 0x01
prof_saved 1, 0x88, 0x01
prof_saved 2, 0x98, 0x01
prof_saved 3, 0x80, 0x01
prof_saved 4, 0xf0, 0x00
prof_saved 5, 0xe8, 0x00
prof_saved 6, 0xf8, 0x00
prof_saved 7, 0xa0, 0x01
prof_saved 8, 0xa8, 0x00
prof_saved 9, 0xb0, 0x00
prof_saved 10, 0xb8, 0x00
prof_saved 11, 0xc0, 0x00
prof_saved 12, 0xc8, 0x00
prof_saved 13, 0xd0, 0x00
prof_saved 14, 0xd8, 0x00
prof_saved 15, 0xe0, 0x00
prof_saved 16, 0xa8, 0x01
nop
prof_restore_rt:
.byte 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00
syscall
.cfi_endproc
.size prof_restore_rt, .-prof_restore_rt
.popsection
)");

long action_of(int signal, const KernelAction* set, KernelAction* old) {
  return raw::call(SYS_rt_sigaction, signal, raw::word(set), raw::word(old), sizeof(std::uint64_t));
}

}  // namespace

bool install(int signal) {
  KernelAction a{};
  a.handler = prof_tick_entry;
  a.flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | kRestorer;
  a.restorer = prof_restore_rt;
  // The host's handlers wait for the few microseconds of ours: they run on the stack that is theirs, and what they
  // allocate is recorded as always. Faults must not be masked: the kernel kills a process that faults with the signal
  // blocked.
  a.mask = ~(raw::bit(SIGSEGV) | raw::bit(SIGBUS) | raw::bit(SIGFPE) | raw::bit(SIGILL));
  return action_of(signal, &a, nullptr) == 0;
}

bool is_default(int signal) {
  KernelAction now{};
  return action_of(signal, nullptr, &now) == 0 && now.handler == nullptr;
}

int free_signal(std::uint64_t except) {
  for (int s = log::kTickSignal; s >= 36; --s) {
    if ((except & raw::bit(s)) == 0 && is_default(s)) return s;
  }
  return 0;
}

// A tick that was sent, and not taken yet, would meet what the host wants the signal to do, or the default, which
// kills: a perf event's stays when the event is gone, and before Linux 6.13 a timer's does. To ignore a signal throws
// it away, in all threads.
void discard_pending(int signal) {
  KernelAction ignore{};
  ignore.handler = std::bit_cast<decltype(ignore.handler)>(SIG_IGN);
  action_of(signal, &ignore, nullptr);
  const KernelAction as_it_was{};  // the default: what the host is told that it finds
  action_of(signal, &as_it_was, nullptr);
}

void die_of(int signal) {
  const KernelAction alone{};
  action_of(signal, &alone, nullptr);
  raw::call(SYS_tgkill, raw::pid(), raw::tid(), signal);
}

void pass_on(int signal, siginfo_t& info, ucontext_t& interrupted) {
  std::uint64_t mask = 0;
  std::memcpy(&mask, &interrupted.uc_sigmask, sizeof(mask));
  mask |= raw::bit(signal);
  std::memcpy(&interrupted.uc_sigmask, &mask, sizeof(mask));
  if (info.si_code == SI_TKILL) {
    raw::call(SYS_rt_tgsigqueueinfo, raw::pid(), raw::tid(), signal, raw::word(&info));
    return;
  }
  if (raw::call(SYS_rt_sigqueueinfo, raw::pid(), signal, raw::word(&info)) == 0) return;
  // Only a process's first thread may say that kill() sent it. This keeps the sender's id.
  info.si_code = SI_QUEUE;
  info.si_value = {};
  raw::call(SYS_rt_sigqueueinfo, raw::pid(), signal, raw::word(&info));
}

}  // namespace prof::ticks
