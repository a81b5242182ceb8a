#include "agent/python/frames.hpp"

namespace prof::python {
namespace {

using Address = std::uintptr_t;

class FrameReader {
 public:
  FrameReader(const Interpreter& of, Memory& memory, CodeCache& codes, FrameList& list)
      : of_(of), o_(of.offsets), memory_(memory), codes_(codes), list_(list) {}

  bool run(const Start& start) {
    list_.frames = list_.group_count = 0;
    thread_state_ = start.thread_state;
    list_.complete = false;
    Address frame = 0, cframe = start.cframe;
    if (o_.chain == Chain::CFrames || o_.cframe != kAbsent) {
      if (cframe == 0 && !memory_.load(start.thread_state + o_.cframe, cframe)) return false;
    }
    const Address holder = o_.chain == Chain::CFrames ? cframe : start.thread_state;
    if (!memory_.load(holder + o_.current, frame)) return false;
    return follow(frame, cframe) && identify();
  }

 private:
  bool follow(Address frame, Address cframe) {
    switch (o_.chain) {
      case Chain::Objects:
        return objects(frame, cframe);
      case Chain::CFrames:
        return o_.is_entry != kAbsent ? entries(frame, cframe) : shims(frame);
      case Chain::Direct:
        return shims(frame);
    }
    return false;
  }

  // Code objects lie all over the heap, and a program that computes has pushed them out of the caches since the last
  // stack: they are fetched side by side while the frames are followed, and looked at only now.
  bool identify() {
    for (std::uint32_t i = 0; i < list_.frames; ++i) {
      const std::uint32_t id = code_id(of_, codes_, memory_, list_.entries[i]);
      if (id == kNotACode) return false;
      list_.entries[i] = python_entry(id, list_.places[i]);
    }
    return true;
  }

  // Each frame object is a run of the evaluation loop by itself; 3.10 has a C frame for each.
  bool objects(Address frame, Address cframe) {
    const Address innermost = cframe;
    std::uint32_t count = 0;
    bool paired = true;
    for (; frame != 0 && !full(); frame = previous_, ++count) {
      if (!take(frame)) return false;
      close(cframe);
      if (cframe == 0) continue;
      if (in_thread_state(cframe))
        paired = false;
      else if (!memory_.load(cframe + o_.cframe_previous, cframe))
        return false;
    }
    list_.complete = frame == 0;
    if (cframe == 0 || (paired && frame == 0 && in_thread_state(cframe))) return true;
    return anchor(innermost, frame, count);
  }

  // 3.10 links and unlinks the two chains one after the other, so one may be longer by one at its inner end: they are
  // followed down to where both end. `frame` is the first one that found no room.
  bool anchor(Address cframe, Address frame, std::uint32_t frames) {
    std::uint32_t cframes = 0;
    for (; frame != 0; ++frames) {
      if (++steps_ > kMostSteps || !memory_.load(frame + o_.previous, frame)) return false;
    }
    for (Address at = cframe; !in_thread_state(at); ++cframes) {
      if (++steps_ > kMostSteps || !memory_.load(at + o_.cframe_previous, at)) return false;
    }
    if (cframes > frames + 1 || frames > cframes + 1) return false;
    if (cframes > frames && !memory_.load(cframe + o_.cframe_previous, cframe)) return false;
    if (frames > cframes && list_.group_count > 0) list_.groups[0].anchor = 0;
    for (std::uint32_t i = frames > cframes ? 1 : 0; i < list_.group_count; ++i) {
      list_.groups[i].anchor = cframe;
      if (!memory_.load(cframe + o_.cframe_previous, cframe)) return false;
    }
    return true;
  }
  // The chain ends with an object inside the thread state, whose own link is not initialised.
  bool in_thread_state(Address at) const { return at >= thread_state_ && at < thread_state_ + kThreadStateBytes; }

  // 3.11: the frame with which a run of the loop began says so.
  bool entries(Address frame, Address cframe) {
    for (; frame != 0; frame = previous_) {
      if (full()) return true;
      if (!take(frame)) return false;
      if (!is_entry_) continue;
      close(cframe);
      if (!memory_.load(cframe + o_.cframe_previous, cframe)) return false;
    }
    return ended();
  }

  // From 3.12 on a run of the loop begins with a frame on the C stack that runs no code.
  bool shims(Address frame) {
    for (; frame != 0; frame = previous_) {
      if (!memory_.object(frame, kFrameBytes)) return false;
      if (field<std::uint8_t>(frame, o_.owner) >= kOwnedByCStack) {
        if (list_.frames > open_) close(frame);
        previous_ = field<Address>(frame, o_.previous);
        if (++steps_ > kMostSteps) return false;
        continue;
      }
      if (full()) return true;
      if (!take(frame)) return false;
    }
    return ended();
  }

  bool take(Address frame) {
    if (++steps_ > kMostSteps || !memory_.object(frame, kFrameBytes)) return false;
    const Address code = field<Address>(frame, o_.code) & ~Address{3};  // 3.14 keeps a tag there
    if (!place_of(frame, code, list_.places[list_.frames])) return false;
    __builtin_prefetch(reinterpret_cast<const void*>(code + 64));
    __builtin_prefetch(reinterpret_cast<const void*>(code + 128));
    previous_ = field<Address>(frame, o_.previous);
    is_entry_ = o_.is_entry != kAbsent && field<std::uint8_t>(frame, o_.is_entry) != 0;
    list_.entries[list_.frames++] = code;
    return true;
  }

  bool place_of(Address frame, Address code, std::uint32_t& place) {
    if (o_.chain == Chain::Objects) {
      const auto last = field<std::int32_t>(frame, o_.place);
      place = last < 0 ? log::kNotStarted : static_cast<std::uint32_t>(last) * o_.place_unit;
      return place < kMostCode || last < 0;
    }
    const auto at = field<Address>(frame, o_.place);
    const Address begin = code + o_.instructions;
    place = at < begin ? log::kNotStarted : static_cast<std::uint32_t>(at - begin);
    return at + 2 >= begin && at - begin + 2 < kMostCode;  // one unit before: nothing was executed yet
  }

  void close(Address anchor) {
    list_.groups[list_.group_count++] = {anchor, open_, list_.frames - open_};
    open_ = list_.frames;
  }
  // The frames whose beginning is out of sight are a group as well.
  bool ended() {
    if (list_.frames > open_) close(0);
    list_.complete = true;
    return true;
  }
  bool full() {
    if (list_.frames < list_.room && list_.group_count + 1 < list_.room) return false;
    if (list_.frames > open_) close(0);
    return true;
  }

  static constexpr std::uint32_t kFrameBytes = 112;  // of a frame: all that is read in any version
  static constexpr std::uint32_t kMostSteps = 1U << 20;
  static constexpr Address kThreadStateBytes = 280;  // 3.10
  static constexpr std::uint32_t kMostCode = 1U << 28;
  const Interpreter& of_;
  const Offsets& o_;
  Memory& memory_;
  CodeCache& codes_;
  FrameList& list_;
  Address thread_state_ = 0, previous_ = 0;
  bool is_entry_ = false;
  std::uint32_t open_ = 0;  // first frame of the group that is being made
  std::uint32_t steps_ = 0;
};

}  // namespace

bool read_frames(const Interpreter& of, const Start& start, Memory& memory, CodeCache& codes, FrameList& list) {
  return FrameReader(of, memory, codes, list).run(start);
}

}  // namespace prof::python
