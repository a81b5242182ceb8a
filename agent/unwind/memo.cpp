#include "agent/unwind/memo.hpp"

#include "agent/unwind/objects.hpp"

namespace prof {
namespace {

std::uintptr_t word_at(std::uintptr_t at) { return *reinterpret_cast<const std::uintptr_t*>(at); }

// Where a walk stands: in registers, which a Frame, whose address is taken, would not be.
struct At {
  std::uintptr_t pc, sp, bp;
  bool bp_known;
};

// The step that nearly all frames take, of a frame on the thread's own stack. False, and nothing done: it is for step()
// to say.
[[gnu::always_inline]] inline bool plain_step(At& f, const Row& row, std::uintptr_t high, Trail::Bp& use,
                                              std::uintptr_t& bp_at) {
  constexpr std::uint8_t kRbp = 6, kRsp = 7;  // DWARF numbers
  if (row.kind != Row::CfaRegister || row.bp >= Row::kBpUnknown || !f.bp_known) return false;
  if ((row.base != kRsp && row.base != kRbp) || row.guarded != 0) return false;
  const std::uintptr_t base = row.base == kRsp ? f.sp : f.bp;
  const std::uintptr_t cfa = base + static_cast<std::uintptr_t>(static_cast<std::intptr_t>(row.offset));
  if ((cfa & 7) != 0 || cfa <= f.sp || cfa > high) return false;
  const std::uintptr_t caller = word_at(cfa - 8);
  const std::uintptr_t at = cfa - 8 * std::uintptr_t{row.bp};
  if (!is_user_code(caller) || at < f.sp) return false;
  use = row.base == kRbp ? Trail::Bp::Used : row.bp == Row::kBpKept ? Trail::Bp::Kept : Trail::Bp::Ignored;
  bp_at = 0;
  if (row.bp != Row::kBpKept) {
    f.bp = word_at(at);
    bp_at = at;
  }
  f.pc = caller;
  f.sp = cfa;
  return true;
}

}  // namespace

std::size_t StackMemo::bytes(std::uint32_t depth) {
  return sizeof(StackMemo) + room_for(depth) * (sizeof(FrameKey) + sizeof(Rest) + sizeof(Fresh));
}

StackMemo* StackMemo::make(std::uint32_t depth, void* memory) {
  auto* made = static_cast<StackMemo*>(memory);
  made->depth_ = depth;
  made->room_ = room_for(depth);
  made->keys_ = reinterpret_cast<FrameKey*>(made + 1);
  made->rests_ = reinterpret_cast<Rest*>(made->keys_ + made->room_);
  made->fresh_ = reinterpret_cast<Fresh*>(made->rests_ + made->room_);
  return made;
}

void StackMemo::forget(std::uint32_t generation, const StackBounds& own) {
  count_ = kept_ = 0;
  generation_ = generation;
  own_ = own;
}

bool StackMemo::more_words_hold(std::uint32_t i, std::uintptr_t live) const {
  const Rest& r = rests_[i];
  const auto holds = [&](std::uintptr_t at, std::uintptr_t value) {
    return at == 0 || (at >= live && at <= own_.high - 8 && word_at(at) == value);
  };
  return holds(r.cfa_at, sp(i)) && ((keys_[i].sp & kNeedsBp) == 0 || holds(r.bp_at, r.bp));
}

// How many of the first `count` frames, counted from the outermost one, were reached by words that still stand there.
// Nothing below `live` is looked at. Return addresses differ most: four at a time.
std::uint32_t StackMemo::verified(std::uint32_t count, std::uintptr_t live) const {
  std::uint32_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const FrameKey* p = keys_ + i;
    const auto differs = [](const FrameKey& key) { return word_at((key.sp & ~kFlags) - 8) ^ key.pc; };
    if ((differs(p[0]) | differs(p[1]) | differs(p[2]) | differs(p[3])) != 0) break;
    if (((p[0].sp | p[1].sp | p[2].sp | p[3].sp) & kMoreWords) == 0) continue;
    for (std::uint32_t k = i; k < i + 4; ++k) {
      if ((keys_[k].sp & kMoreWords) != 0 && !more_words_hold(k, live)) return k;
    }
  }
  for (; i < count; ++i) {
    if (word_at(sp(i) - 8) != keys_[i].pc) return i;
    if ((keys_[i].sp & kMoreWords) != 0 && !more_words_hold(i, live)) return i;
  }
  return i;
}

bool StackMemo::is_at(std::uint32_t i, std::uintptr_t pc, std::uintptr_t sp_there, bool bp_known,
                      std::uintptr_t bp) const {
  return sp(i) == sp_there && keys_[i].pc == pc && ((keys_[i].sp & kNeedsBp) == 0 || (bp_known && rests_[i].bp == bp));
}

bool StackMemo::take(const WalkStart& start, const StackBounds& own, RowCache& rows, ForeignWindow& foreign) {
  const std::uint32_t generation = module_generation();
  if (generation != generation_ || own.low != own_.low || own.high != own_.high) forget(generation, own);
  if ((start.sp & 7) != 0 || start.sp < own.low + 8 || start.sp >= own.high || start.interrupted) return false;
  std::uint32_t old = count_;
  while (old > 0 && sp(old - 1) < start.sp) --old;  // frames that have returned
  const std::uint32_t whole = verified(old, start.sp);
  StackMemory memory(own, foreign, start.sp, true);
  WalkTools tools{memory, rows, generation, {}};
  At f{start.pc, start.sp, start.bp, true};
  std::uintptr_t bp_at = 0, cfa_at = 0;  // where this frame's registers were read
  std::uint32_t fresh = 0, base = 0;
  std::uint32_t left = old <= whole ? old : whole + 1;  // frames that the walk may still come to
  std::uintptr_t next = left > 0 ? sp(left - 1) : UINTPTR_MAX;
  for (Fresh* now = fresh_;; ++now) {
    if (f.sp >= next) {
      while (left > 0 && sp(left - 1) < f.sp) --left;
      if (left > 0 && is_at(left - 1, f.pc, f.sp, f.bp_known, f.bp)) {
        base = left;
        break;
      }
      next = left == 0 ? UINTPTR_MAX : sp(left - 1) > f.sp ? sp(left - 1) : f.sp + 1;
    }
    if (fresh == room_) return false;
    *now = {f.pc, f.sp, f.bp, bp_at, cfa_at, Trail::Bp::Ignored, is_own_code(f.pc - 1)};
    ++fresh;
    cfa_at = 0;
    if (plain_step(f, rows.find(f.pc - 1, generation), own.high, now->use, bp_at)) continue;
    Frame frame{f.pc, f.sp, f.bp, false, f.bp_known, nullptr};
    const Step s = step(frame, tools);
    now->use = tools.trail.bp;
    if (s == Step::Outermost) break;
    if (s != Step::Caller || frame.exact || tools.trail.fleeting) return false;
    f = {frame.pc, frame.sp, frame.bp, frame.bp_known};
    bp_at = tools.trail.bp_at;
    cfa_at = tools.trail.cfa_at;
  }
  if (memory.left_own()) return false;
  if (base > 0) {
    // It may have been reached by another way than last time.
    FrameKey& p = keys_[base - 1];
    Rest& r = rests_[base - 1];
    const bool whole_stack = put(base, fresh);
    r.bp_at = bp_at;
    r.cfa_at = cfa_at;
    const bool more = r.cfa_at != 0 || ((p.sp & kNeedsBp) != 0 && r.bp_at != 0);
    p.sp = (p.sp & ~kMoreWords) | (more ? kMoreWords : 0);
    kept_ = base;
    return whole_stack;
  }
  // The zero that ended the walk stands where a return address would: a frame without code.
  const std::uintptr_t end = tools.trail.end_at;
  if (fresh + (end != 0 ? 1 : 0) > room_) return false;
  if (end != 0) {
    if ((end & 7) != 0 || end < start.sp || end > own.high - 8) return false;
    keys_[0] = {0, (end + 8) | kHidden};
    rests_[0] = {0, 0, tools.trail.cfa_at, 0};
    if (tools.trail.cfa_at != 0) keys_[0].sp |= kMoreWords;
    base = 1;
  }
  kept_ = 0;
  if (put(base, fresh)) return true;
  count_ = 0;
  return false;
}

// Appends the fresh frames, which stand innermost first, to the first `base` ones. False: no room, and these are all
// that is left.
bool StackMemo::put(std::uint32_t base, std::uint32_t fresh) {
  const std::uint32_t count = base + fresh;
  count_ = base;
  if (count > room_) return false;
  std::uint32_t shown = base > 0 ? rests_[base - 1].shown : 0;
  bool outer_needs = base > 0 && (keys_[base - 1].sp & kNeedsBp) != 0;
  const Fresh* f = fresh_ + fresh;
  for (std::uint32_t i = base; i < count; ++i) {
    --f;
    const bool needs = f->use == Trail::Bp::Used || (f->use == Trail::Bp::Kept && outer_needs);
    const bool more = f->cfa_at != 0 || (needs && f->bp_at != 0);
    shown += f->hidden ? 0 : 1;
    rests_[i] = {f->bp, f->bp_at, f->cfa_at, shown};
    keys_[i] = {f->pc, f->sp | (needs ? kNeedsBp : 0) | (more ? kMoreWords : 0) | (f->hidden ? kHidden : 0)};
    outer_needs = needs;
  }
  if (shown > depth_) return false;
  count_ = count;
  return true;
}

}  // namespace prof
