#include "agent/python/offsets.hpp"

#include <cstring>

namespace prof::python {
namespace {

Offsets with_frame_objects(unsigned minor) {
  Offsets o;
  o.chain = Chain::Objects;
  o.thread_id = 176;
  o.current = 24;
  o.previous = 24;
  o.code = 32;
  o.place = minor == 10 ? 96 : 104;
  o.place_unit = minor == 10 ? 2 : 1;
  if (minor == 10) {
    o.cframe = 48;
    o.cframe_previous = 8;
  }
  o.file = 104;
  o.name = 112;
  o.first_line = 40;
  o.flags = 36;
  o.line_table = 120;
  o.text_ascii = 48;
  o.text_other = 72;
  return o;
}

Offsets with_c_frames(unsigned minor) {
  Offsets o;
  o.chain = Chain::CFrames;
  if (minor == 11) o.thread_id = 152;
  o.cframe = 56;
  o.current = minor == 11 ? 8 : 0;
  o.cframe_previous = minor == 11 ? 16 : 8;
  o.previous = minor == 11 ? 48 : 8;
  o.code = minor == 11 ? 32 : 0;
  o.place = 56;
  o.owner = minor == 11 ? 69 : 70;
  if (minor == 11) o.is_entry = 68;
  o.file = 112;
  o.name = 120;
  o.qualname = 128;
  o.first_line = minor == 11 ? 72 : 68;
  o.flags = 48;
  o.line_table = 136;
  o.instructions = minor == 11 ? 184 : 192;
  o.text_ascii = minor == 11 ? 48 : 40;
  o.text_other = minor == 11 ? 72 : 56;
  return o;
}

// The self-description's own layout differs by minor version: indices of its 64-bit words.
struct Description {
  unsigned thread_state, frame, code;
};
constexpr Description kDescription13 = {152 / 8, 224 / 8, 272 / 8};
constexpr Description kDescription14 = {176 / 8, 248 / 8, 312 / 8};

bool self_described(unsigned minor, std::uint32_t hex_version, std::uintptr_t runtime, Offsets& o, const char*& why) {
  const auto* words = reinterpret_cast<const std::uint64_t*>(runtime);
  if (runtime == 0 || std::memcmp(words, "xdebugpy", 8) != 0 || words[1] >> 16 != hex_version >> 16) {
    why = "the interpreter does not describe its structures as its version should";
    return false;
  }
  if (words[2] != 0) {
    why = "free-threaded builds are not supported";
    return false;
  }
  const Description& d = minor == 13 ? kDescription13 : kDescription14;
  const std::uint64_t* thread = words + d.thread_state;  // size prev next interp current_frame ...
  const std::uint64_t* frame = words + d.frame;          // size previous executable instr_ptr localsplus owner ...
  const std::uint64_t* code = words + d.code;  // size filename name qualname linetable firstlineno argcount ...
  const auto take = [](const std::uint64_t* group, unsigned index, unsigned align, std::uint16_t& to) {
    const std::uint64_t v = group[index];
    if (group[0] > 1U << 15 || v >= group[0] || v % align != 0) return false;
    to = static_cast<std::uint16_t>(v);
    return true;
  };
  o.chain = Chain::Direct;
  const bool sound = take(thread, 4, 8, o.current) && take(frame, 1, 8, o.previous) && take(frame, 2, 8, o.code) &&
                     take(frame, 3, 8, o.place) && take(frame, 5, 1, o.owner) && take(code, 1, 8, o.file) &&
                     take(code, 2, 8, o.name) && take(code, 3, 8, o.qualname) && take(code, 4, 8, o.line_table) &&
                     take(code, 5, 4, o.first_line) && take(code, 9, 2, o.instructions);
  if (!sound) {
    why = "the interpreter's description of its structures makes no sense";
    return false;
  }
  o.flags = 48;
  o.text_ascii = 40;
  o.text_other = 56;
  return true;
}

}  // namespace

bool find_offsets(unsigned minor, std::uint32_t hex_version, std::uintptr_t runtime, Offsets& offsets,
                  const char*& why) {
  switch (minor) {
    case 8:
    case 9:
    case 10:
      offsets = with_frame_objects(minor);
      return true;
    case 11:
    case 12:
      offsets = with_c_frames(minor);
      return true;
    case 13:
    case 14:
      return self_described(minor, hex_version, runtime, offsets, why);
    default:
      why = minor < 8 ? "Python before 3.8 is not supported" : "this version of Python is newer than this libprof";
      return false;
  }
}

}  // namespace prof::python
