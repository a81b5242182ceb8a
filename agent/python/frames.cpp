#include "agent/python/frames.hpp"

#include "agent/python/frame_reader.hpp"
#include "agent/python/stack_switchers.hpp"

namespace prof::python {
namespace {

using Address = std::uintptr_t;

class ListSink {
 public:
  explicit ListSink(FrameList& list) : list_(list), addresses_(list.has_addresses) {}

  // Code objects lie all over the heap, and a program that computes has pushed them out of the caches since the last
  // stack: they are fetched side by side while the frames are followed, and looked at only afterwards.
  bool frame(Address frame, Address code, std::uint32_t place) {
    __builtin_prefetch(reinterpret_cast<const void*>(code + 64));
    __builtin_prefetch(reinterpret_cast<const void*>(code + 128));
    list_.places[list_.frames] = place;
    if (addresses_) list_.addresses[list_.frames] = frame;
    list_.entries[list_.frames++] = code;
    return true;
  }
  void close(Address anchor) {
    list_.groups[list_.group_count++] = {anchor, open_, list_.frames - open_};
    open_ = list_.frames;
  }
  bool open() const { return list_.frames > open_; }
  bool rest_known(Address, Address) const { return false; }
  bool full() const { return list_.frames >= list_.room || list_.group_count + 1 >= list_.room; }

 private:
  FrameList& list_;
  const bool addresses_;
  std::uint32_t open_ = 0;  // first frame of the group that is being made
};

// The chains of 3.8 to 3.10. Each frame object is a run of the evaluation loop by itself; 3.10 has a C frame for each.
class ObjectReader {
 public:
  ObjectReader(const Offsets& o, Memory& memory, FrameList& list, ListSink& sink)
      : o_(o), memory_(memory), list_(list), sink_(sink), reader_(o, memory, sink) {}

  bool run(Address thread_state, Address cframe, bool& complete) {
    Address frame = 0;
    thread_state_ = thread_state;
    if (o_.cframe != kAbsent && cframe == 0 &&
        (!memory_.load(thread_state + o_.cframe, cframe) || !memory_.agrees(cframe)))
      return false;
    if (!memory_.load(thread_state + o_.current, frame)) return false;
    const Address innermost = cframe;
    std::uint32_t count = 0;
    bool paired = true;
    for (; frame != 0 && !sink_.full(); frame = reader_.previous(), ++count) {
      if (!reader_.take(frame)) return false;
      sink_.close(cframe);
      if (cframe == 0) continue;
      if (in_thread_state(cframe))
        paired = false;
      else if (!memory_.load(cframe + o_.cframe_previous, cframe))
        return false;
    }
    complete = frame == 0;
    if (cframe == 0 || (paired && frame == 0 && in_thread_state(cframe))) return true;
    return anchor(innermost, frame, count);
  }

 private:
  // 3.10 links and unlinks the two chains one after the other, so one may be longer by one at its inner end: they are
  // followed down to where both end. `frame` is the first one that found no room.
  bool anchor(Address cframe, Address frame, std::uint32_t frames) {
    std::uint32_t cframes = 0;
    for (; frame != 0; ++frames) {
      if (!reader_.step(frame) || !memory_.load(frame + o_.previous, frame)) return false;
    }
    for (Address at = cframe; !in_thread_state(at); ++cframes) {
      if (!reader_.step(at) || !memory_.load(at + o_.cframe_previous, at)) return false;
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
  bool in_thread_state(Address at) const { return FrameReader<ListSink>::in_thread_state(thread_state_, at); }

  const Offsets& o_;
  Memory& memory_;
  FrameList& list_;
  ListSink& sink_;
  FrameReader<ListSink> reader_;
  Address thread_state_ = 0;
};

bool identify(const Interpreter& of, Memory& memory, CodeCache& codes, FrameList& list) {
  for (std::uint32_t i = 0; i < list.frames; ++i) {
    const std::uint32_t id = code_id(of, codes, memory, list.entries[i]);
    if (id == kNotACode) return false;
    list.entries[i] = python_entry(id, list.places[i]);
  }
  return true;
}

bool read_once(const Interpreter& of, const Start& start, Memory& memory, CodeCache& codes, FrameList& list) {
  list.frames = list.group_count = 0;
  list.complete = false;
  list.has_addresses = work_may_be_named();
  ListSink sink(list);
  const bool read =
      of.offsets.chain == Chain::Objects
          ? ObjectReader(of.offsets, memory, list, sink).run(start.thread_state, start.cframe, list.complete)
          : FrameReader<ListSink>(of.offsets, memory, sink).run(start.thread_state, start.cframe, list.complete);
  if (!read) return false;
  if (sink.open()) sink.close(0);  // their beginning is out of sight
  return identify(of, memory, codes, list);
}

}  // namespace

bool read_frames(const Interpreter& of, const Start& start, Memory& memory, CodeCache& codes, FrameList& list) {
  if (!read_once(of, start, memory, codes, list)) return false;
  // The first event loop of the process: it may be in this stack for long.
  if (list.has_addresses == work_may_be_named()) [[likely]]
    return true;
  return read_once(of, start, memory, codes, list);
}

}  // namespace prof::python
