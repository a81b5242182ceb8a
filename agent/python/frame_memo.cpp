#include "agent/python/frame_memo.hpp"

#include "agent/core/pages.hpp"
#include "agent/python/code_copies.hpp"
#include "agent/python/frame_reader.hpp"
#include "agent/python/loop_code.hpp"
#include "agent/python/stack_switchers.hpp"

namespace prof::python {

std::size_t FrameMemo::bytes(std::uint32_t room) {
  return sizeof(FrameMemo) + alignof(Known) + room * (2 * sizeof(Known) + sizeof(std::uint16_t));
}

FrameMemo* FrameMemo::make(std::uint32_t room) {
  auto* made = static_cast<FrameMemo*>(pages::map(bytes(room), pages::InChild::Zeroed));
  if (made == nullptr) return nullptr;
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(made + 1);
  made->room_ = room;
  made->known_ = reinterpret_cast<Known*>((end + alignof(Known) - 1) & ~(alignof(Known) - 1));
  made->fresh_ = made->known_ + room;
  made->begins_ = reinterpret_cast<std::uint16_t*>(made->fresh_ + room);
  return made;
}

void FrameMemo::unmake(FrameMemo* memo) { pages::unmap(memo, bytes(memo->room_)); }

namespace {

// What tells the place in a frame's code: a pointer, or a number from the code's beginning.
std::uintptr_t instruction_of(const Offsets& o, std::uintptr_t frame) {
  if (o.chain != Chain::Objects) return field<std::uintptr_t>(frame, o.place);
  return static_cast<std::uintptr_t>(std::intptr_t{field<std::int32_t>(frame, o.place)});
}

// Of a copy's instruction: the pointer to the same one in the code object; 0: it cannot be told.
[[gnu::noinline]] std::uintptr_t copied_instruction_of(const Offsets& o, Memory& memory, std::uintptr_t frame,
                                                       std::uintptr_t code) {
  std::uintptr_t begin = 0;
  if (!begin_of_copy(o, memory, frame, code, begin)) return 0;
  return field<std::uintptr_t>(frame, o.place) - begin + code + o.instructions;
}

}  // namespace

std::uint32_t FrameMemo::place_in(const Known& k) const {
  const Offsets& o = *offsets_;
  if (o.chain == Chain::Objects) {
    const auto last = static_cast<std::intptr_t>(k.instruction);
    return last < 0 ? log::kNotStarted : static_cast<std::uint32_t>(last) * o.place_unit;
  }
  const std::uintptr_t begin = k.code + o.instructions;
  return k.instruction < begin ? log::kNotStarted : static_cast<std::uint32_t>(k.instruction - begin);
}

class FrameMemo::Sink {
 public:
  Sink(FrameMemo& memo, const Interpreter& of, Memory& memory, CodeCache& codes, std::uintptr_t thread_state)
      : m_(memo), of_(of), memory_(memory), codes_(codes), thread_state_(thread_state) {}

  bool full() const { return fresh_ + 1 >= m_.room_; }
  bool open() const { return open_; }
  bool frame(std::uintptr_t frame, std::uintptr_t code, std::uint32_t) {
    if (!settle()) return false;
    now_.frame = frame;
    now_.code = code;
    const Offsets& o = of_.offsets;
    now_.instruction =
        o.places == Place::Copied ? copied_instruction_of(o, memory_, frame, code) : instruction_of(o, frame);
    now_.anchor = 0;
    return open_ = pending_ = true;
  }
  void close(std::uintptr_t anchor) {
    now_.anchor = anchor;
    open_ = false;
  }

  // Most of the stack is as it was: from a frame on that is known, the others are compared one by one with what stood
  // there, and not told at all when they hold to the end.
  bool rest_known(std::uintptr_t frame, std::uintptr_t cframe) {
    if (!settle()) return false;  // the next frame will say so
    const std::uint32_t at = expected(frame);
    if (at >= tried_) return false;
    const Offsets& o = of_.offsets;
    if (o.chain == Chain::Objects || o.is_entry != kAbsent)
      tried_ = first_change_by_cframes(at, cframe);
    else
      tried_ = o.places == Place::Copied ? first_change_in_copies(at) : first_change_in_shims<false>(at);
    if (tried_ != kNone) return false;
    failed_ = !add_known(at);
    low_ = 0;
    return !failed_;
  }

  // The chain is at its end. False: no room.
  bool finish(std::uint32_t& kept, std::uint32_t& fresh) {
    if (!settle()) return false;
    if (top_ != kNone && low_ != 0 && !give_up_run()) return false;
    kept = top_ == kNone ? 0 : top_ + 1;
    fresh = fresh_;
    return true;
  }

 private:
  // Nothing more is said about the frame that came last: is it known?
  bool settle() {
    if (!pending_ || failed_) return !failed_;
    pending_ = false;
    failed_ = !make_out();
    return !failed_;
  }

  bool make_out() {
    const std::uint32_t at = expected(now_.frame);
    const bool same_frame = at != kNone;
    if (same_frame && m_.known_[at].anchor == now_.anchor && same(m_.known_[at], now_.code, now_.instruction)) {
      return add_known(at);
    }
    hint_ = same_frame ? at - 1 : kNone;
    return give_up_run() && add_new();
  }

  bool add_known(std::uint32_t at) {
    if (top_ != kNone && at != low_ - 1 && !give_up_run()) return false;
    if (top_ == kNone) top_ = at;
    low_ = at;
    return true;
  }

  // Where the frame stood last time; kNone: nowhere.
  std::uint32_t expected(std::uintptr_t frame) const {
    std::uint32_t at = top_ != kNone ? low_ - 1 : hint_;
    if (at >= m_.count_ || m_.known_[at].frame != frame) at = m_.where(frame);
    return at < m_.count_ && m_.known_[at].frame == frame ? at : kNone;
  }

  bool same(const Known& k, std::uintptr_t code, std::uintptr_t instruction) const {
    const Offsets& o = of_.offsets;
    const std::uint64_t differs = (k.code ^ code) | (k.instruction ^ instruction);
    if (differs != 0) return false;
    return ((k.name ^ field<std::uintptr_t>(code, o.name)) | (k.file ^ field<std::uintptr_t>(code, o.file)) |
            (k.line_table ^ field<std::uintptr_t>(code, o.line_table)) |
            static_cast<std::uint64_t>(k.first_line ^ field<std::int32_t>(code, o.first_line))) == 0;
  }
  // The words of the frame at `k.frame` itself, which the chain has led to.
  template <bool copied = false>
  [[gnu::always_inline]] bool same(const Known& k) const {
    const Offsets& o = of_.offsets;
    const std::uintptr_t code = field<std::uintptr_t>(k.frame, o.code) & ~std::uintptr_t{3};
    if constexpr (copied) return code == k.code && same(k, code, copied_instruction_of(o, memory_, k.frame, code));
    return same(k, code, instruction_of(o, k.frame));
  }

  // From the frame at `at` outwards, the first one that is not as it was; kNone: all are, and the chain ends with them.
  std::uint32_t first_change_by_cframes(std::uint32_t at, std::uintptr_t cframe) const {
    const Offsets& o = of_.offsets;
    const bool objects = o.chain == Chain::Objects;
    for (;; --at) {
      const Known& k = m_.known_[at];
      const bool entry = objects || field<std::uint8_t>(k.frame, o.is_entry) != 0;
      if (!same(k) || entry != (k.anchor != 0)) return at;
      if (entry && (cframe != k.anchor || !memory_.load(cframe + o.cframe_previous, cframe))) return at;
      const std::uintptr_t outer = at > 0 ? m_.known_[at - 1].frame : 0;
      if (field<std::uintptr_t>(k.frame, o.previous) != outer) return at;
      if (at > 0) continue;
      return objects && !FrameReader<Sink>::in_thread_state(thread_state_, cframe) ? at : kNone;
    }
  }
  template <bool copied>
  [[gnu::always_inline]] std::uint32_t first_change_in_shims(std::uint32_t at) const {
    const Offsets& o = of_.offsets;
    for (;; --at) {
      const Known& k = m_.known_[at];
      if (!same<copied>(k)) return at;
      std::uintptr_t outer = field<std::uintptr_t>(k.frame, o.previous);
      if (k.anchor != 0) {
        if (outer != k.anchor || (o.cframe == kAbsent && !memory_.agrees(outer)) ||
            field<std::uint8_t>(outer, o.owner) < kOwnedByCStack)
          return at;
        outer = field<std::uintptr_t>(outer, o.previous);
      }
      if (outer != (at > 0 ? m_.known_[at - 1].frame : 0)) return at;
      if (at == 0) return kNone;
    }
  }

  // Apart, so that it is in nobody's way.
  [[gnu::noinline]] std::uint32_t first_change_in_copies(std::uint32_t at) const {
    return first_change_in_shims<true>(at);
  }

  bool add_new() {
    if (fresh_ >= m_.room_) return false;
    now_.id = code_id(of_, codes_, memory_, now_.code);
    if (now_.id == kNotACode || now_.id == 0) return false;
    const Offsets& o = of_.offsets;
    now_.name = field<std::uintptr_t>(now_.code, o.name);
    now_.file = field<std::uintptr_t>(now_.code, o.file);
    now_.line_table = field<std::uintptr_t>(now_.code, o.line_table);
    now_.first_line = field<std::int32_t>(now_.code, o.first_line);
    m_.fresh_[fresh_++] = now_;
    return true;
  }

  // Known frames inside one that is not: they will stand elsewhere.
  bool give_up_run() {
    if (top_ == kNone) return true;
    if (fresh_ + (top_ - low_ + 1) > m_.room_) return false;
    for (std::uint32_t i = top_ + 1; i-- > low_;) m_.fresh_[fresh_++] = m_.known_[i];
    top_ = kNone;
    return true;
  }

  FrameMemo& m_;
  const Interpreter& of_;
  Memory& memory_;
  CodeCache& codes_;
  const std::uintptr_t thread_state_;
  Known now_{};
  bool pending_ = false, open_ = false, failed_ = false;
  std::uint32_t fresh_ = 0;
  std::uint32_t top_ = kNone, low_ = 0;  // known frames that follow one another, so far
  std::uint32_t hint_ = kNone;           // where the next frame stood
  std::uint32_t tried_ = kNone;          // the rest is not known from here inwards
};

// The anchor of the run that the frame belongs to.
std::uintptr_t FrameMemo::anchor_around(std::uint32_t i) const {
  while (i > 0 && known_[i].anchor == 0) --i;
  return known_[i].anchor;
}

void FrameMemo::keep(const Interpreter& of, Memory& memory, std::uint32_t kept, std::uint32_t fresh) {
  changed_ = 0;
  if (kept == count_ && fresh == 0) return;
  if (kept < count_) changed_ = anchor_around(kept);
  const bool named = work_may_be_named();  // before, there are zeros
  for (std::uint32_t i = 0; i < fresh; ++i) {
    const std::uint32_t at = kept + i;
    known_[at] = fresh_[fresh - 1 - i];
    where(known_[at].frame) = static_cast<std::uint16_t>(at);
    if (named)
      begins_[at] = begins_task(of, memory, at) ? static_cast<std::uint16_t>(at + 1) : at > 0 ? begins_[at - 1] : 0;
  }
  count_ = kept + fresh;
  if (fresh == 0) return;
  const std::uintptr_t now = anchor_around(kept);
  if (now > changed_) changed_ = now;
}

bool FrameMemo::take(const Guard& guard, const Interpreter& of, std::uintptr_t thread_state, const StackBounds& stack,
                     Memory& memory, CodeCache& codes) {
  offsets_ = &of.offsets;
  Sink sink(*this, of, memory, codes, thread_state);
  bool complete = false;
  std::uint32_t kept = 0, fresh = 0;
  if (!FrameReader<Sink>(of.offsets, memory, sink).run(thread_state, 0, complete) || !complete ||
      !sink.finish(kept, fresh) || kept + fresh > room_) {
    forget();
    return false;
  }
  keep(of, memory, kept, fresh);
  if (count_ == 0 || known_[0].anchor != 0) {
    renew_task(guard, of, stack, memory);
    return true;
  }
  forget();
  return false;
}

}  // namespace prof::python
