#include "agent/java/method_rows.hpp"

#include <algorithm>
#include <cstring>

namespace prof::java {
namespace {

using Byte = unsigned char;
constexpr std::uint8_t kRbp = 6, kRsp = 7;  // as DWARF numbers registers
constexpr std::uint32_t kHead = 128;        // bytes that may come before the beginning: a check of the receiver's class
constexpr std::uint32_t kMostFrame = 1 << 20;
constexpr std::uint32_t kSmall = 256;  // bytes of code that may do without a frame

Row row(std::uint8_t base, std::int32_t offset, bool rbp_saved) {
  Row r;
  r.kind = Row::CfaRegister;
  r.base = base;
  r.offset = offset;
  r.bp = rbp_saved ? 2 : Row::kBpKept;  // right below the return address
  r.guarded = Row::kKnownCaller;
  return r;
}

struct Code {
  const Byte* bytes;
  std::uint32_t size;

  bool has(std::uint32_t at, std::size_t count) const { return at <= size && count <= size - at; }
  bool is(std::uint32_t at, std::size_t count, const char* text) const {
    return has(at, count) && std::memcmp(bytes + at, text, count) == 0;
  }
  std::int32_t number(std::uint32_t at) const {
    std::int32_t n = 0;
    std::memcpy(&n, bytes + at, sizeof(n));
    return n;
  }
};

// `op` with rsp and a constant: ADD is c4, SUB ec. The length; 0: it is none.
std::uint32_t constant(const Code& c, std::uint32_t at, Byte op, std::uint32_t& value) {
  if (!c.has(at, 4) || c.bytes[at] != 0x48 || c.bytes[at + 2] != op) return 0;
  const bool wide = c.bytes[at + 1] == 0x81;
  if (wide ? !c.has(at, 7) : c.bytes[at + 1] != 0x83 || c.bytes[at + 3] >= 0x80) return 0;  // negative
  const std::int32_t n = wide ? c.number(at + 3) : c.bytes[at + 3];
  if (n <= 0 || n > static_cast<std::int32_t>(kMostFrame) || n % 8 != 0) return 0;
  value = static_cast<std::uint32_t>(n);
  return wide ? 7 : 4;
}

// mov %rbp, n(%rsp). The length; 0: it is none.
std::uint32_t saves_rbp(const Code& c, std::uint32_t at, std::uint32_t& n) {
  if (c.is(at, 4, "\x48\x89\x2c\x24")) return n = 0, 4;
  if (c.is(at, 4, "\x48\x89\x6c\x24") && c.has(at, 5)) return n = c.bytes[at + 4], 5;
  if (c.is(at, 4, "\x48\x89\xac\x24") && c.has(at, 8)) return n = static_cast<std::uint32_t>(c.number(at + 4)), 8;
  return 0;
}

// Where a method begins: offsets behind the instructions that make its frame.
struct Beginning {
  std::uint32_t pushed = 0;    // rbp is saved; 0: it is so behind `whole` alone
  std::uint32_t sub = 0;       // rsp has moved by all of `bytes`
  std::uint32_t whole = 0;     // the frame is complete; 0: there is none here
  std::uint32_t bytes = 0;     // below the saved rbp
  bool frame_pointer = false;  // rbp points at the saved one
};

Beginning beginning_at(const Code& c, std::uint32_t at) {
  Beginning b;
  if (c.is(at, 1, "\x55")) {
    b.pushed = at + 1;
    std::uint32_t next = b.pushed;
    b.frame_pointer = c.is(next, 3, "\x48\x8b\xec") || c.is(next, 3, "\x48\x89\xe5");
    if (b.frame_pointer) next += 3;
    const std::uint32_t sub = constant(c, next, 0xec, b.bytes);
    if (sub != 0 || b.frame_pointer) b.sub = b.whole = next + sub;
    return b;
  }
  std::uint32_t all = 0, saved_at = 0;
  const std::uint32_t sub = constant(c, at, 0xec, all);
  const std::uint32_t save = sub != 0 ? saves_rbp(c, at + sub, saved_at) : 0;
  if (save == 0 || saved_at + 8 != all) return b;
  b.bytes = saved_at;
  b.sub = at + sub;
  b.whole = b.sub + save;
  return b;
}

// mov %eax, -n(%rsp): whether the stack is deep enough is found out at the beginning of nearly all methods.
constexpr std::uint32_t kBangBytes = 7;
bool is_bang(const Code& c, std::uint32_t at) {
  return c.is(at, 3, "\x89\x84\x24") && c.has(at, kBangBytes) && c.number(at + 3) < 0;
}

// The first one; it may stand behind a check of the receiver's class.
Beginning find_beginning(const Code& c) {
  const std::uint32_t end = std::min(c.size, kHead);
  for (std::uint32_t at = 0; at < end; ++at) {
    if (!is_bang(c, at)) continue;
    const Beginning b = beginning_at(c, at + kBangBytes);
    if (b.whole != 0) return b;
  }
  for (std::uint32_t at = 0; at < end; ++at) {
    const Beginning b = beginning_at(c, at);
    if (b.whole != 0) return b;
  }
  return {};
}

class Rows {
 public:
  explicit Rows(const Code& code) : c_(code) {}

  bool read() {
    const Beginning b = find_beginning(c_);
    if (b.whole == 0) return false;
    bytes_ = b.bytes;
    frame_pointer_ = b.frame_pointer;
    add(b, 0);
    for (std::uint32_t at = b.whole; at < c_.size; ++at) {
      const Byte first = c_.bytes[at];  // of what is looked for; most are none
      if (first != 0x48 && first != 0x5d && first != 0x89 && first != 0xc9) continue;
      const std::uint32_t back = way_back(at);
      if (back != 0)
        at = back - 1;
      else if (is_bang(c_, at))
        add_other(at);
    }
    return true;
  }

  std::size_t write(RowAt* to, std::size_t room) {
    std::sort(spans_, spans_ + count_, [](const Span& a, const Span& b) { return a.from < b.from; });
    const Row body = frame_pointer_ ? row(kRbp, 16, true) : row(kRsp, static_cast<std::int32_t>(bytes_) + 16, true);
    std::size_t n = 0;
    std::uint32_t at = 0;
    for (std::size_t i = 0; i < count_ && n + 3 <= room; ++i) {
      const Span& s = spans_[i];
      if (s.from < at || s.to <= s.from) continue;
      if (s.from > at) to[n++] = {at, body};
      to[n++] = {s.from, s.row};
      at = s.to;
    }
    if (at < c_.size && n < room) to[n++] = {at, body};
    return n;
  }

 private:
  struct Span {
    std::uint32_t from, to;
    Row row;
  };

  void add(std::uint32_t from, std::uint32_t to, Row r) {
    if (count_ < std::size(spans_)) spans_[count_++] = {from, to, r};
  }
  void add(const Beginning& b, std::uint32_t from) {
    const std::uint32_t first = b.pushed != 0 ? b.pushed : b.sub;
    add(from, first, row(kRsp, 8, false));
    if (b.pushed == 0)
      add(b.sub, b.whole, row(kRsp, static_cast<std::int32_t>(b.bytes) + 16, false));
    else
      add(b.pushed, b.frame_pointer ? b.pushed + 3 : b.whole, row(kRsp, 16, true));
  }
  // Where a loop that ran in the interpreter goes on in compiled code.
  void add_other(std::uint32_t at) {
    const Beginning b = beginning_at(c_, at + kBangBytes);
    if (b.whole != 0 && b.bytes == bytes_ && b.frame_pointer == frame_pointer_) add(b, at);
  }

  // Takes the frame's way back that begins at `at`; where it ends; 0: there is none.
  std::uint32_t way_back(std::uint32_t at) {
    std::uint32_t bytes = 0, popped = 0;
    if (const std::uint32_t n = constant(c_, at, 0xc4, bytes); n != 0 && bytes == bytes_ && c_.is(at + n, 1, "\x5d")) {
      popped = at + n + 1;
      add(at + n, popped, row(kRsp, 16, true));
    } else if ((frame_pointer_ && c_.is(at, 1, "\xc9")) || (bytes_ == 0 && c_.is(at, 1, "\x5d"))) {  // leave; pop
      popped = at + 1;
      const std::uint32_t native = returns_from_native_at(popped);
      if (native != 0) return add(popped, native, row(kRsp, 8, false)), native;
      if (returns_at(popped) == 0) return 0;
    } else {
      return 0;
    }
    const std::uint32_t end = leaves_at(popped);
    add(popped, end, row(kRsp, 8, false));
    return end;
  }

  // Whether the VM wants to stop is asked on the way back: by a comparison whose jump leads to a stub behind the
  // method, before 16 by a load. Then comes the return. Where it ends; 0: there is none.
  std::uint32_t returns_at(std::uint32_t at) {
    std::uint32_t next = at, stub = 0;
    if (c_.is(at, 3, "\x49\x3b\x67") || c_.is(at, 3, "\x49\x3b\xa7")) {  // cmp n(%r15), %rsp
      next = at + (c_.bytes[at + 2] == 0x67 ? 4 : 7);
      if (c_.is(next, 2, "\x0f\x87") && c_.has(next, 6))  // ja
        stub = next + 6 + static_cast<std::uint32_t>(c_.number(next + 2)), next += 6;
      else if (c_.is(next, 1, "\x77") && c_.has(next, 2))
        stub = next + 2 + static_cast<std::uint32_t>(static_cast<signed char>(c_.bytes[next + 1])), next += 2;
      else
        return 0;
    } else if (c_.is(at, 2, "\x85\x05")) {  // test %eax, n(%rip)
      next = at + 6;
    } else if (c_.is(at, 3, "\x4d\x8b\x97") &&
               c_.is(at + 7, 3, "\x41\x85\x02")) {  // mov n(%r15), %r10; test %eax, (%r10)
      next = at + 10;
    }
    if (!c_.is(next, 1, "\xc3")) return 0;
    if (stub != 0) add_stub(stub);
    return next + 1;
  }

  // What calls a native function asks afterwards whether the VM wants to stop, in newer versions, and whether there is
  // an exception: testb $1, n(%r15); je over a stub; cmpq $0, n(%r15); jne; ret; jmp.
  std::uint32_t returns_from_native_at(std::uint32_t at) const {
    if (c_.is(at, 3, "\x41\xf6\x47") || c_.is(at, 3, "\x41\xf6\x87")) {
      at += c_.bytes[at + 2] == 0x47 ? 5 : 8;
      if (c_.is(at, 1, "\x74") && c_.has(at, 2) && c_.bytes[at + 1] < 0x80)
        at += 2 + c_.bytes[at + 1];
      else if (c_.is(at, 2, "\x0f\x84") && c_.has(at, 6) && c_.number(at + 2) > 0)
        at += 6 + static_cast<std::uint32_t>(c_.number(at + 2));
      else
        return 0;
    }
    if (!c_.is(at, 1, "\x49") || !c_.has(at, 3)) return 0;
    const Byte op = c_.bytes[at + 1], how = c_.bytes[at + 2];
    if ((op != 0x81 && op != 0x83) || (how != 0x7f && how != 0xbf)) return 0;
    std::uint32_t next = at + 3 + (how == 0x7f ? 1 : 4) + (op == 0x83 ? 1 : 4);
    if (c_.is(next, 2, "\x0f\x85"))
      next += 6;
    else if (c_.is(next, 1, "\x75"))
      next += 2;
    else
      return 0;
    if (!c_.is(next, 1, "\xc3")) return 0;
    return c_.is(next + 1, 1, "\xe9") && c_.has(next + 1, 5) ? next + 6 : next + 1;
  }

  // What leaves the method for good: a return, or a jump.
  std::uint32_t leaves_at(std::uint32_t at) {
    constexpr std::uint32_t kMost = 64;
    if (const std::uint32_t end = returns_at(at); end != 0) return end;
    for (std::uint32_t next = at; next < at + kMost && c_.has(next, 5); ++next) {
      if (c_.is(next, 1, "\xe9")) return next + 5;
      if (c_.is(next, 1, "\xc3")) return next + 1;
      if (c_.is(next, 1, "\xff") && (c_.bytes[next + 1] & 0xf8) == 0xe0) return next + 2;
    }
    return at;
  }

  // lea n(%rip), %r10, or mov $n, %r10; mov %r10, n(%r15); jmp: the frame is gone already.
  void add_stub(std::uint32_t at) {
    const std::uint32_t first = c_.is(at, 3, "\x4c\x8d\x15") ? 7 : c_.is(at, 2, "\x49\xba") ? 10 : 0;
    if (first == 0) return;
    const std::uint32_t moves = at + first;
    const std::uint32_t length = c_.is(moves, 3, "\x4d\x89\x97") ? 7 : c_.is(moves, 3, "\x4d\x89\x57") ? 4 : 0;
    if (length != 0 && c_.is(moves + length, 1, "\xe9")) add(at, moves + length + 5, row(kRsp, 8, false));
  }

  const Code& c_;
  std::uint32_t bytes_ = 0;
  bool frame_pointer_ = false;
  std::size_t count_ = 0;
  Span spans_[kMostRows / 2];
};

// Whether it may be code that never moves rsp.
bool has_no_frame(const Code& c) {
  if (c.size > kSmall) return false;
  std::uint32_t bytes = 0;
  for (std::uint32_t at = 0; at < c.size; ++at) {
    if (constant(c, at, 0xec, bytes) != 0 || constant(c, at, 0xc4, bytes) != 0 || c.is(at, 3, "\x48\x8b\xec"))
      return false;
  }
  return true;
}

}  // namespace

Row passing_row() { return row(kRsp, 8, false); }

Row interpreter_row() {
  Row r;
  r.kind = Row::Borrowing;
  return r;
}

std::size_t rows_of_method(const unsigned char* code, std::uint32_t bytes, RowAt* to, std::size_t room) {
  const Code c{code, bytes};
  Rows rows(c);
  if (rows.read()) return rows.write(to, room);
  if (room == 0 || bytes == 0 || !has_no_frame(c)) return 0;
  to[0] = {0, passing_row()};
  return 1;
}

}  // namespace prof::java
