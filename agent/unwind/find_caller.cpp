#include <sys/uio.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "agent/core/raw.hpp"
#include "agent/core/readable.hpp"
#include "agent/unwind/made_code.hpp"
#include "agent/unwind/objects.hpp"
#include "agent/unwind/step.hpp"

namespace prof {
namespace {

constexpr std::uintptr_t kPage = 4096;
constexpr std::uintptr_t kScanBytes = 8192;  // oneDNN's kernels keep up to some KiB of scratch on the stack
// OpenBLAS's up to 24 KiB, which begin at a page. What it has not written yet are old stacks: the search goes on where
// a register points that calls preserve, as such code keeps the stack pointer that it had in one.
constexpr std::uintptr_t kFarthest = 40960;
constexpr std::uintptr_t kWordsAtRegister = 32;
// A helper of a compiler's has hardly a frame, and is called by code that is in one piece with it, mostly.
constexpr std::uintptr_t kWordsOfHelper = 8, kMadeTogether = 16 << 20;
constexpr unsigned kMostLookedAt = 2;  // by the kernel, which copies the bytes
constexpr unsigned kProbeSteps = 64;   // from a candidate on; a stack that holds for so long is believed

// Whether the instruction that ends at `end`, before a return address, is an indirect call through a register or a
// computed address: the only way to enter code that no linker knew. (Calls through the global offset table, ff 15, are
// direct ones in disguise.) Intel 64 manual, volume 2: CALL r/m64 is ff /2, with an optional REX prefix.
bool is_indirect_call(const unsigned char* end) {
  const auto is_call = [&](int bytes, unsigned mode) {
    return end[-bytes] == 0xff && (end[1 - bytes] >> 3 & 7) == 2 && end[1 - bytes] >> 6 == mode;
  };
  const auto low_bits = [&](int bytes) { return end[1 - bytes] & 7; };
  return is_call(2, 3) ||                                            // call *%reg
         (is_call(2, 0) && low_bits(2) != 4 && low_bits(2) != 5) ||  // call *(%reg)
         (is_call(3, 1) && low_bits(3) != 4) || is_call(4, 1) ||     // call *disp8(...)
         (is_call(3, 0) && low_bits(3) == 4) ||                      // call *(%reg,%reg)
         (is_call(6, 2) && low_bits(6) != 4) || is_call(7, 2);       // call *disp32(...)
}

bool after_indirect_call(std::uintptr_t return_address, const Object& object) {
  return return_address >= object.start + 8 && is_indirect_call(reinterpret_cast<const unsigned char*>(return_address));
}

// CALL rel32 is e8 with four bytes, CALL r/m64 through the global offset table ff 15 with four.
bool is_direct_call(const unsigned char* end) { return end[-5] == 0xe8 || (end[-6] == 0xff && end[-5] == 0x15); }

bool reaches_outermost(Frame f, WalkTools& tools) {
  for (unsigned i = 0; i < kProbeSteps; ++i) {
    switch (step(f, tools)) {
      case Step::Outermost:
        return true;
      case Step::Caller:
        break;
      case Step::Unknown:
        return f.bp_known && f.bp == 0;  // as walk() takes it
      default:
        return false;
    }
  }
  return true;
}

}  // namespace

bool after_call(std::uintptr_t return_address) {
  // Any thread may unmap what no module holds, at any time: the kernel copies it without a fault, or not.
  unsigned char bytes[8];
  iovec to{bytes, sizeof bytes}, from{reinterpret_cast<void*>(return_address - sizeof bytes), sizeof bytes};
  if (return_address < 65536 ||
      raw::call(SYS_process_vm_readv, raw::pid(), raw::word(&to), 1, raw::word(&from), 1, 0) != sizeof bytes)
    return false;
  const unsigned char* const end = bytes + sizeof bytes;
  return is_direct_call(end) || is_indirect_call(end);
}

bool may_be_caller(const Frame& frame, WalkTools& tools) {
  if (frame.pc < 65536 || !is_user_code(frame.pc) || is_own_code(frame.pc - 1)) return false;
  Object object{};
  made_code::Code made{};
  if (object_at(frame.pc - 1, object)) {
    if (!readable(frame.pc - 8) ||
        !(is_direct_call(reinterpret_cast<const unsigned char*>(frame.pc)) || after_indirect_call(frame.pc, object)))
      return false;
  } else if (!made_code::find(frame.pc - 1, made)) {
    return false;
  }
  if (tools.probing) return true;
  const Trail trail = tools.trail;
  const std::uintptr_t lent_bp = tools.lent_bp;
  tools.probing = true;
  const bool leads_on = reaches_outermost(frame, tools);
  tools.probing = false;
  tools.trail = trail;
  tools.lent_bp = lent_bp;
  return leads_on;
}

namespace {

// Looks for the caller in the words from `at` to `end` of the stack.
bool find_between(std::uintptr_t at, std::uintptr_t end, Frame& f, WalkTools& tools) {
  for (; at + 8 <= end; at += 8) {
    // Further out a program may have set a page of its stack apart that nobody may read.
    if (at % kPage == 0 && !readable(at)) return false;
    std::uintptr_t word = 0;
    if (!tools.memory.word(at, word)) return false;
    Object object{};
    if (word < 65536 || !object_at(word - 1, object)) continue;
    // An object's range has holes that nobody can read: between segments that are aligned to more than a page.
    const Row row = tools.rows.find(word - 1, tools.generation);
    if (row.kind != Row::CfaRegister && row.kind != Row::CfaDeref && row.kind != Row::CfaSaved) continue;
    if (!readable(word - 8) || !after_indirect_call(word, object)) continue;
    // Generated code saves rbp right below its return address, if at all, and often in second place.
    for (const std::uintptr_t saved : {at - 8, at - 16, std::uintptr_t{0}}) {
      Frame caller{word, at + 8, 0, false, false, nullptr};
      if (saved != 0) {
        if (saved < f.sp || !tools.memory.word(saved, caller.bp)) continue;
        caller.bp_known = true;
      }
      if (!reaches_outermost(caller, tools)) continue;
      f = caller;
      return true;
    }
  }
  return false;
}

// The code made beside it that called a helper which called a module.
bool find_made_caller(std::uintptr_t at, Frame& f, WalkTools& tools) {
  Object of{};
  if (f.exact || object_at(f.lookup(), of)) return false;
  unsigned looked_at = 0;
  for (const std::uintptr_t end = at + 8 * kWordsOfHelper; at < end && looked_at < kMostLookedAt; at += 8) {
    std::uintptr_t word = 0;
    if ((at % kPage == 0 && !readable(at)) || !tools.memory.word(at, word)) return false;
    if (word - f.pc + kMadeTogether > 2 * kMadeTogether || object_at(word - 1, of)) continue;
    ++looked_at;
    if (!after_call(word)) continue;
    f = {word, at + 8, 0, false, false, nullptr};
    return true;
  }
  return false;
}

}  // namespace

bool find_caller(Frame& f, WalkTools& tools) {
  const std::uintptr_t at = (f.sp + 7) & ~std::uintptr_t{7};
  const std::uintptr_t limit = tools.memory.in_own(f.sp) ? tools.memory.own_end() : UINTPTR_MAX;
  if (find_made_caller(at, f, tools)) return true;
  const std::uintptr_t near = std::min(at + kScanBytes, limit);
  if (find_between(at, near, f, tools)) return true;
  if (f.registers == nullptr) return false;
  for (const int preserved : {REG_RBX, REG_RBP, REG_R12, REG_R13, REG_R14, REG_R15}) {
    const auto from = static_cast<std::uintptr_t>(f.registers->uc_mcontext.gregs[preserved]);
    if (from % 8 != 0 || from < near || from >= std::min(at + kFarthest, limit)) continue;
    // Between the two there may be a page that nobody may read.
    bool whole = true;
    for (std::uintptr_t page = near / kPage * kPage; page <= from; page += kPage) whole &= readable(page);
    if (whole && find_between(from, std::min(from + 8 * kWordsAtRegister, limit), f, tools)) return true;
  }
  return false;
}

}  // namespace prof
