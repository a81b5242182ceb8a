#include "agent/unwind/step.hpp"

#include <cstddef>

#include "agent/unwind/made_code.hpp"
#include "agent/unwind/objects.hpp"

namespace prof {
namespace {

// x86-64: DWARF register numbers in the order of ucontext's gregs (System V ABI, figure 3.36; <sys/ucontext.h>).
constexpr int kGregOfDwarf[16] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                                  REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
constexpr std::uint8_t kRbp = 6, kRsp = 7;

std::uintptr_t plus(std::uintptr_t base, std::int32_t offset) {
  return base + static_cast<std::uintptr_t>(static_cast<std::intptr_t>(offset));
}

Step out_of_handler(Frame& f, StackMemory& memory) {
  const std::uintptr_t gregs = f.sp + offsetof(ucontext_t, uc_mcontext.gregs);
  Frame interrupted{0, 0, 0, true, true, nullptr};
  if (!memory.word(gregs + REG_RIP * 8, interrupted.pc) || !memory.word(gregs + REG_RSP * 8, interrupted.sp) ||
      !memory.word(gregs + REG_RBP * 8, interrupted.bp) || !is_user_code(interrupted.pc)) {
    return Step::Broken;
  }
  f = interrupted;
  memory.enter(f.sp);
  return Step::Caller;
}

// The canonical frame address: the caller's stack pointer after the return. `at`: where it was read; 0: nowhere.
bool frame_address(const Frame& f, const Row& row, StackMemory& memory, std::uintptr_t& cfa, std::uintptr_t& at) {
  std::uintptr_t base = f.sp;
  if (row.base == kRbp) {
    if (!f.bp_known) return false;
    base = f.bp;
  } else if (row.base != kRsp) {
    if (f.registers == nullptr) return false;
    base = static_cast<std::uintptr_t>(f.registers->uc_mcontext.gregs[kGregOfDwarf[row.base]]);
  }
  cfa = plus(base, row.offset);
  if (row.kind == Row::CfaRegister) return true;
  at = cfa;
  if (!memory.word(at, cfa)) return false;
  if (row.kind == Row::CfaSaved) cfa += 8;
  return true;
}

// Frames only ever grow towards older ones; anything else would let a damaged stack walk in circles.
bool grows(const Frame& f, std::uintptr_t cfa, const StackMemory& memory) {
  return cfa > f.sp && (!memory.in_own(f.sp) || cfa <= memory.own_end());
}

constexpr unsigned kMostHops = 512;
constexpr unsigned kLookedAt = 4;  // each look at code is a system call

// Whether frame pointers lead from this one to a return address into a module, the first of them by return addresses
// behind calls: functions that a JIT made call each other, and keep frame pointers or do not. Where one does not, rbp
// may hold any number, which hardly ever leads so far.
bool leads_to_a_module(std::uintptr_t bp, StackMemory& memory) {
  for (unsigned hop = 0; hop < kMostHops; ++hop) {
    std::uintptr_t caller = 0, next = 0;
    Object object{};
    if (!memory.word(bp + 8, caller) || !memory.word(bp, next) || !is_user_code(caller)) return false;
    if (object_at(caller - 1, object)) return true;
    if (next <= bp || (hop < kLookedAt && !after_call(caller))) return false;
    bp = next;
  }
  return false;
}

// A frame with a frame pointer, if it looks like one: its return address leads into a module, or further frame pointers
// lead there.
Step by_frame_pointer(Frame& f, WalkTools& tools) {
  tools.trail = {Trail::Bp::Used, f.bp, 0, 0, false};
  const std::uintptr_t cfa = f.bp + 16;
  std::uintptr_t caller = 0, bp = 0;
  Object object{};
  if (!f.bp_known || f.bp < f.sp || !grows(f, cfa, tools.memory) || !tools.memory.word(cfa - 8, caller) ||
      !tools.memory.word(f.bp, bp)) {
    return Step::Unknown;
  }
  if (!object_at(caller - 1, object)) {
    if (f.bp != tools.chain_bp && !leads_to_a_module(f.bp, tools.memory)) return Step::Unknown;
    tools.chain_bp = bp;
  }
  f = {caller, cfa, bp, false, true, nullptr};
  return Step::Caller;
}

// Whether code of the program's is known there: in a module, or made at run time.
bool is_known_code(std::uintptr_t return_address) {
  Object object{};
  made_code::Code made{};
  return is_user_code(return_address) &&
         (object_at(return_address - 1, object) || made_code::find(return_address - 1, made));
}

// A frame on a part of the stack that its caller lent it, as the interpreter of a Java VM has where arguments became
// its own variables: what the caller's stack pointer was before that stands below the frame pointer.
Step to_lender(Frame& f, WalkTools& tools) {
  constexpr std::uintptr_t kMostLent = 2 << 20;
  // Where a method handle took its own argument off the stack, the caller lent that much less than nothing.
  constexpr std::uintptr_t kMostTaken = 16;
  StackMemory& memory = tools.memory;
  std::uintptr_t caller = 0, bp = 0, sp = 0;
  if (!f.bp_known || f.bp < f.sp || !grows(f, f.bp + 16, memory) || !memory.word(f.bp + 8, caller) ||
      !memory.word(f.bp, bp) || !memory.word(f.bp - 8, sp) || (sp & 7) != 0 ||
      sp + kMostTaken - (f.bp + 16) > kMostLent || !grows(f, sp, memory) || !is_known_code(caller))
    return Step::Unknown;
  tools.trail = {Trail::Bp::Used, f.bp, f.bp - 8, 0, true};
  tools.lent_bp = f.bp;
  f = {caller, sp, bp, false, true, nullptr};
  return Step::Caller;
}

// Where a guarded row leads nowhere.
Step otherwise(Frame& f, const Row& row, WalkTools& tools) {
  return row.guarded == Row::kOrByFramePointer ? by_frame_pointer(f, tools) : Step::Unknown;
}

// Code of a regular frame that has pushed some words more, as where HotSpot compares and searches strings: further up
// stands the address of known code, from which a walk leads on.
Step behind_pushed(Frame& f, const Row& row, std::uintptr_t cfa, WalkTools& tools) {
  constexpr int kMostPushed = 5;
  StackMemory& memory = tools.memory;
  if (!f.exact || row.base != kRsp || row.bp == Row::kBpAtBp || row.bp == Row::kBpUnknown) return Step::Unknown;
  for (int i = 0; i < kMostPushed; ++i) {
    cfa += 8;
    Frame outer{0, cfa, f.bp, false, f.bp_known, nullptr};
    if (!grows(f, cfa, memory) || !memory.word(cfa - 8, outer.pc)) return Step::Unknown;
    if (row.bp != Row::kBpKept) {
      if (!memory.word(cfa - 8 * std::uintptr_t{row.bp}, outer.bp)) return Step::Unknown;
      outer.bp_known = true;
    }
    if (!is_known_code(outer.pc) || !may_be_caller(outer, tools)) continue;
    f = outer;
    return Step::Caller;
  }
  return Step::Unknown;
}

}  // namespace

Step step(Frame& f, WalkTools& tools) {
  const Row row = tools.rows.find(f.lookup(), tools.generation);
  StackMemory& memory = tools.memory;
  switch (row.kind) {
    case Row::Outermost:
      tools.trail = {};
      return Step::Outermost;
    case Row::Signal:
      return out_of_handler(f, memory);
    case Row::Borrowing:
      return to_lender(f, tools);
    case Row::Guess:
      return by_frame_pointer(f, tools);
    case Row::None:
      return Step::Broken;
    case Row::CfaRegister:
    case Row::CfaDeref:
    case Row::CfaSaved:
      break;
  }
  Trail& trail = tools.trail;
  const bool by_bp = row.base == kRbp || row.bp == Row::kBpAtBp;
  trail.bp = by_bp ? Trail::Bp::Used : row.bp == Row::kBpKept ? Trail::Bp::Kept : Trail::Bp::Ignored;
  trail.bp_at = trail.end_at = trail.cfa_at = 0;
  // What is remembered of a word is that it is the frame's end.
  trail.fleeting = row.guarded == Row::kKnownCaller || row.kind == Row::CfaSaved;
  std::uintptr_t cfa = 0, caller = 0, bp = f.bp;
  if (!frame_address(f, row, memory, cfa, trail.cfa_at) || !grows(f, cfa, memory) || !memory.word(cfa - 8, caller))
    return row.guarded != 0 ? otherwise(f, row, tools) : Step::Broken;
  bool bp_known = f.bp_known;
  if (row.bp == Row::kBpAtBp) {
    trail.bp_at = f.bp;
    if (!memory.word(f.bp, bp)) return Step::Broken;
  } else if (row.bp == Row::kBpUnknown) {
    bp_known = false;
  } else if (row.bp != Row::kBpKept) {
    trail.bp_at = cfa - 8 * std::uintptr_t{row.bp};
    if (!memory.word(trail.bp_at, bp)) return Step::Broken;
    bp_known = true;
  }
  if (caller == 0 && row.guarded == 0) {
    trail.end_at = cfa - 8;
    return Step::Outermost;
  }
  if (row.guarded == 0 && !is_user_code(caller)) return Step::Broken;
  const Frame outer{caller, cfa, bp, false, bp_known, nullptr};
  if (row.guarded == Row::kKnownCaller && !is_known_code(caller)) return behind_pushed(f, row, cfa, tools);
  if (row.guarded != 0 && row.guarded != Row::kKnownCaller && !may_be_caller(outer, tools))
    return otherwise(f, row, tools);
  f = outer;
  return Step::Caller;
}

}  // namespace prof
