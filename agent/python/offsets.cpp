#include "agent/python/offsets.hpp"

#include "agent/python/self_description.hpp"

namespace prof::python {
namespace {

Offsets with_frame_objects(unsigned minor) {
  Offsets o;
  o.chain = Chain::Objects;
  o.places = Place::Number;
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
    default:
      if (minor >= 13) return self_described(minor, hex_version, runtime, offsets, why);
      why = "Python before 3.8 is not supported";
      return false;
  }
}

}  // namespace prof::python
