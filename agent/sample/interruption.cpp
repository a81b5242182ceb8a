#include "agent/sample/interruption.hpp"

#include <cerrno>
#include <cstdint>

#include "agent/core/raw.hpp"
#include "agent/core/tls.hpp"

namespace prof::ticks {
namespace {

// The kernel's own layout.
struct KernelAction {
  std::uintptr_t handler;
  unsigned long flags;
  std::uintptr_t restorer;
  std::uint64_t mask;
};

// `at` and the byte behind it lie on one page, which can be read.
bool is_call(std::uintptr_t at) {
  const auto* code = reinterpret_cast<const unsigned char*>(at);
  return code[0] == 0x0f && code[1] == 0x05;
}

// Whether a signal waits, blocked by our handler alone, that has a handler of the host's: one without SA_RESTART, if
// `ending`.
bool host_is_next(const ucontext_t& context, bool ending) {
  std::uint64_t waiting = 0;
  if (raw::call(SYS_rt_sigpending, raw::word(&waiting), sizeof(waiting)) != 0) return false;
  std::uint64_t blocked = 0;
  __builtin_memcpy(&blocked, &context.uc_sigmask, sizeof(blocked));
  for (waiting &= ~blocked; waiting != 0; waiting &= waiting - 1) {
    KernelAction action{};
    const int signal = __builtin_ctzll(waiting) + 1;
    if (raw::call(SYS_rt_sigaction, signal, 0, raw::word(&action), sizeof(std::uint64_t)) != 0) continue;
    constexpr std::uintptr_t kIgnored = 1;
    if (action.handler > kIgnored && !(ending && (action.flags & SA_RESTART) != 0)) return true;
  }
  return false;
}

// Calls that a handler without SA_RESTART ends.
bool can_be_ended(long number) {
  switch (number) {
    case SYS_read:
    case SYS_readv:
    case SYS_write:
    case SYS_writev:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_accept:
    case SYS_accept4:
    case SYS_connect:
    case SYS_open:
    case SYS_openat:
    case SYS_flock:
    case SYS_fcntl:
    case SYS_wait4:
    case SYS_waitid:
    case SYS_mq_timedsend:
    case SYS_mq_timedreceive:
    case SYS_futex:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool in_system_call(const ucontext_t& context) {
  const auto rip = static_cast<std::uintptr_t>(context.uc_mcontext.gregs[REG_RIP]);
  return (rip & 4095) >= 2 && is_call(rip - 2);  // never look into the page before
}

void settle_system_call(ucontext_t& context, bool may_ask) {
  auto& registers = context.uc_mcontext.gregs;
  if (registers[REG_RAX] == -EINTR && in_system_call(context)) {
    if (!may_ask || !host_is_next(context, false)) ++tls.interrupted;
    return;
  }
  // About to be begun again: the instruction left its own end in rcx.
  const auto rip = static_cast<std::uintptr_t>(registers[REG_RIP]);
  if (static_cast<std::uintptr_t>(registers[REG_RCX]) != rip + 2 || (rip & 4095) == 4095 || !is_call(rip)) return;
  if (!may_ask || !can_be_ended(static_cast<long>(registers[REG_RAX])) || !host_is_next(context, true)) return;
  registers[REG_RAX] = -EINTR;
  registers[REG_RIP] = static_cast<greg_t>(rip) + 2;
}

}  // namespace prof::ticks
