#include "agent/unwind/walk.hpp"

#include "agent/unwind/eh_frame.hpp"
#include "agent/unwind/lent_frames.hpp"
#include "agent/unwind/made_code.hpp"
#include "agent/unwind/made_inlines.hpp"
#include "agent/unwind/objects.hpp"
#include "agent/unwind/step.hpp"

namespace prof {

namespace {

// A return address that no call put there: it is the first instruction of a function, which makecontext and its like
// have a stack of their making end with.
bool begins_function(const Frame& frame) {
  Object object{};
  eh::Description d{};
  return !frame.exact && object_at(frame.pc, object) &&
         eh::find_description(object, frame.pc, d) == eh::Search::Found && d.begin == frame.pc;
}

}  // namespace

WalkStart start_outside_agent(const std::uintptr_t* fp) {
  while (is_own_code(fp[1] - 1)) {
    const auto* next = reinterpret_cast<const std::uintptr_t*>(fp[0]);
    // No frame of ours is larger: the walk finds the way from here.
    constexpr std::ptrdiff_t kLargest = 8192;
    if (next <= fp || next - fp > kLargest) break;
    fp = next;
  }
  return {fp[1], reinterpret_cast<std::uintptr_t>(fp + 2), fp[0], false, nullptr};
}

WalkResult walk(const WalkStart& start, const StackBounds& own, RowCache& rows, ForeignWindow& foreign,
                std::uintptr_t* frames, std::uintptr_t* tops, std::uint32_t room) {
  StackMemory memory(own, foreign, start.sp, !start.interrupted);
  WalkTools tools{memory, rows, module_generation()};
  Frame frame{start.pc, start.sp, start.bp, start.interrupted, true, start.registers};
  WalkResult result{0, false, false, false, false};
  for (;;) {
    const std::uintptr_t address = frame.lookup();
    const bool visible = !is_own_code(address);
    const std::uint32_t first = result.depth;  // of what stands at this place of the stack
    if (visible) {
      if (made_inlines::any()) {
        result.depth += made_code::inlined_at(address, frames + result.depth, room - result.depth);
        for (std::uint32_t i = first; i < result.depth; ++i) tops[i] = UINTPTR_MAX;
      }
      if (result.depth == room) {
        result.truncated = true;
        return result;
      }
      tops[result.depth] = UINTPTR_MAX;
      frames[result.depth++] = address;
    }
    std::uintptr_t lent_bp = 0;
    tools.lent_bp = 0;
    switch (step(frame, tools)) {
      case Step::Caller:
        lent_bp = tools.lent_bp;
        break;
      case Step::Outermost:
        return result;
      case Step::Broken:
        result.broken = true;
        return result;
      case Step::Unknown:
        if (begins_function(frame)) return result;
        if (!find_caller(frame, tools)) {
          // The ABI's mark of the outermost frame, if the code keeps to it.
          result.broken = !frame.bp_known || frame.bp != 0;
          return result;
        }
        result.guessed = true;
        break;
    }
    if (frame.exact) result.in_handler = true;
    if (!visible) continue;
    if (lent_bp != 0 && lent_frames::code() != 0) frames[result.depth - 1] = lent_frames::marked(lent_bp);
    for (std::uint32_t i = first; i < result.depth; ++i) tops[i] = frame.sp;
  }
}

}  // namespace prof
