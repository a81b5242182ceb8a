// Follows the chain of Python frames of a thread: one reader for all who want to know of them.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/python/code_copies.hpp"
#include "agent/python/memory.hpp"
#include "agent/python/offsets.hpp"

namespace prof::python {

// A `Sink` is told of the frames, innermost first:
//   bool full()                                  nothing more is wanted
//   bool frame(frame, code, place)               false: what was read does not hold together
//   void close(anchor)                           that frame was the first of its run of the evaluation loop
//   bool open()                                  frames came since the last close
//   bool rest_known(frame, cframe)               this frame and all outside it need not be told
template <class Sink>
class FrameReader {
 public:
  using Address = std::uintptr_t;
  FrameReader(const Offsets& offsets, Memory& memory, Sink& sink) : o_(offsets), memory_(memory), sink_(sink) {}

  // The frames of a thread, in interpreters where runs of the evaluation loop have anchors. `cframe`: where to start;
  // 0: at the thread state's own. False: what was read does not hold together. `complete`: down to the thread's first
  // frame.
  bool run(Address thread_state, Address cframe, bool& complete) {
    Address frame = 0;
    if (o_.cframe != kAbsent && cframe == 0 &&
        (!memory_.load(thread_state + o_.cframe, cframe) || !memory_.agrees(cframe)))
      return false;
    if (!memory_.load((o_.chain == Chain::CFrames ? cframe : thread_state) + o_.current, frame)) return false;
    if (o_.chain == Chain::Objects) return pairs(thread_state, frame, cframe, complete);
    return o_.is_entry != kAbsent ? entries(frame, cframe, complete) : shims(frame, complete);
  }

  // One frame of any version.
  bool take(Address frame) {
    if (!step(frame) || !memory_.object(frame, kFrameBytes)) return false;
    const Address code = field<Address>(frame, o_.code) & ~Address{3};  // from 3.14 on there is a tag
    std::uint32_t place = 0;
    if (!place_of(frame, code, place)) return false;
    previous_ = field<Address>(frame, o_.previous);
    is_entry_ = o_.is_entry != kAbsent && field<std::uint8_t>(frame, o_.is_entry) != 0;
    return sink_.frame(frame, code, place);
  }
  Address previous() const { return previous_; }
  // The chain of 3.10 ends with an object inside the thread state, whose own link is not initialised.
  static bool in_thread_state(Address thread_state, Address at) {
    return at >= thread_state && at < thread_state + kThreadStateBytes;
  }
  // Counts a step of any kind, to `at`, where no step of this reader has led before; false: one has, or there were too
  // many. A switch of stacks may leave a chain that leads back into itself: held against the place of a step whose
  // number doubles each time, a circle is found before it was gone round three times.
  bool step(Address at) {
    if (at == mark_ || ++steps_ > kMostSteps) return false;
    if ((steps_ & (steps_ - 1)) == 0) mark_ = at;
    return true;
  }

 private:
  // 3.10: each frame object is a run of the loop by itself and has a C frame, but for the moment in which the one is
  // linked and the other not: that does not hold together here.
  bool pairs(Address thread_state, Address frame, Address cframe, bool& complete) {
    for (; frame != 0; frame = previous_) {
      if (in_thread_state(thread_state, cframe)) return false;
      if (sink_.rest_known(frame, cframe)) return complete = true;
      if (sink_.full()) return true;
      if (!take(frame)) return false;
      sink_.close(cframe);
      if (!memory_.load(cframe + o_.cframe_previous, cframe)) return false;
    }
    return complete = in_thread_state(thread_state, cframe);
  }

  // 3.11: the frame with which a run of the loop began says so.
  bool entries(Address frame, Address cframe, bool& complete) {
    for (; frame != 0; frame = previous_) {
      if (sink_.rest_known(frame, cframe)) return complete = true;
      if (sink_.full()) return true;
      if (!take(frame)) return false;
      if (!is_entry_) continue;
      sink_.close(cframe);
      if (!memory_.load(cframe + o_.cframe_previous, cframe)) return false;
    }
    return complete = true;
  }

  // From 3.12 on a run of the loop begins with a frame on the C stack that runs no code.
  bool shims(Address frame, bool& complete) {
    for (; frame != 0; frame = previous_) {
      if ((o_.cframe == kAbsent && !memory_.agrees(frame)) || !memory_.object(frame, kFrameBytes)) return false;
      if (field<std::uint8_t>(frame, o_.owner) >= kOwnedByCStack) {
        if (sink_.open()) sink_.close(frame);
        previous_ = field<Address>(frame, o_.previous);
        if (!step(frame)) return false;
        continue;
      }
      if (sink_.rest_known(frame, 0)) return complete = true;
      if (sink_.full()) return true;
      if (!take(frame)) return false;
    }
    return complete = true;
  }

  bool place_of(Address frame, Address code, std::uint32_t& place) {
    Address begin = code + o_.instructions;
    if (o_.places != Place::Pointer) {
      if (o_.places == Place::Number) return numbered(frame, place);
      if (!begin_of_copy(o_, memory_, frame, code, begin)) return false;
    }
    const auto at = field<Address>(frame, o_.place);
    place = at < begin ? log::kNotStarted : static_cast<std::uint32_t>(at - begin);
    return at + 2 >= begin && at - begin + 2 < kMostCode;  // one unit before: nothing was executed yet
  }

  bool numbered(Address frame, std::uint32_t& place) {
    const auto last = field<std::int32_t>(frame, o_.place);
    place = last < 0 ? log::kNotStarted : static_cast<std::uint32_t>(last) * o_.place_unit;
    return place < kMostCode || last < 0;
  }

  static constexpr Address kThreadStateBytes = 280;  // 3.10
  static constexpr std::uint32_t kFrameBytes = 112;  // of a frame: all that is read in any version
  // One budget for all chains of a stack, some times the frames of the deepest path that readers take.
  static constexpr std::uint32_t kMostSteps = 1U << 14;
  static constexpr std::uint32_t kMostCode = 1U << 28;
  const Offsets& o_;
  Memory& memory_;
  Sink& sink_;
  Address previous_ = 0, mark_ = 0;
  bool is_entry_ = false;
  std::uint32_t steps_ = 0;
};

}  // namespace prof::python
