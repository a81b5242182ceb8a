#include "agent/python/self_description.hpp"

#include <cstring>

namespace prof::python {
namespace {

// The description is groups of 64-bit words, each of which begins with the size of what it describes. Where the groups
// begin differs by minor version, what stands in them only at their ends.
struct Form {
  unsigned minor;
  unsigned thread_state, frame, code, object, bytes, text;
};
constexpr Form kForms[] = {{13, 152 / 8, 224 / 8, 272 / 8, 352 / 8, 512 / 8, 536 / 8},
                           {14, 176 / 8, 248 / 8, 312 / 8, 400 / 8, 592 / 8, 616 / 8},
                           {15, 176 / 8, 312 / 8, 376 / 8, 464 / 8, 688 / 8, 712 / 8}};

constexpr unsigned kPointerAlign = 8, kIntAlign = 4;
constexpr std::uint16_t kUtf8Bytes = 16;  // what a str that is not ASCII has more than an ASCII one: length, pointer
// The flags stand so far before the file's name in all versions; the description does not name them.
constexpr std::uint16_t kFlagsBeforeFile = 64;

class Group {
 public:
  explicit Group(const std::uint64_t* words) : words_(words) {}
  // Of the field that is described by the word at `index`.
  bool take(unsigned index, unsigned align, std::uint16_t& to) const {
    const std::uint64_t at = words_[index];
    if (words_[0] > 1U << 15 || at >= words_[0] || at % align != 0) return false;
    to = static_cast<std::uint16_t>(at);
    return true;
  }

 private:
  const std::uint64_t* words_;
};

const Form* form_of(unsigned minor) {
  for (const Form& form : kForms) {
    if (form.minor == minor) return &form;
  }
  return nullptr;
}

bool take_frames(const std::uint64_t* words, const Form& f, Offsets& o) {
  const Group thread(words + f.thread_state);  // size prev next interp current_frame ...
  const Group frame(words + f.frame);  // size previous executable instr_ptr localsplus owner stackpointer tlbc_index
  const Group code(words + f.code);    // size filename name qualname linetable firstlineno argcount localsplusnames
                                       // localspluskinds co_code_adaptive co_tlbc
  o.chain = Chain::Direct;
  if (!thread.take(4, kPointerAlign, o.current) || !frame.take(1, kPointerAlign, o.previous) ||
      !frame.take(2, kPointerAlign, o.code) || !frame.take(3, kPointerAlign, o.place) || !frame.take(5, 1, o.owner) ||
      !code.take(1, kPointerAlign, o.file) || !code.take(2, kPointerAlign, o.name) ||
      !code.take(3, kPointerAlign, o.qualname) || !code.take(4, kPointerAlign, o.line_table) ||
      !code.take(5, kIntAlign, o.first_line) || !code.take(9, 2, o.instructions) || o.file < kFlagsBeforeFile)
    return false;
  o.flags = static_cast<std::uint16_t>(o.file - kFlagsBeforeFile);
  if (!o.free_threaded || f.minor < 14) return true;
  o.places = Place::Copied;
  return frame.take(7, kIntAlign, o.copy) && code.take(10, kPointerAlign, o.copies);
}

bool take_objects(const std::uint64_t* words, const Form& f, Offsets& o) {
  const Group object(words + f.object);  // size ob_type
  const Group bytes(words + f.bytes);    // size ob_size ob_sval
  const std::uint64_t* text = words + f.text;
  const Group str(text);  // size state length asciiobject_size
  if (!object.take(1, kPointerAlign, o.type) || !bytes.take(1, kPointerAlign, o.var_size) ||
      !bytes.take(2, 1, o.bytes_data) || !str.take(1, kIntAlign, o.text_state) ||
      !str.take(2, kPointerAlign, o.text_length) || text[3] > text[0] || text[3] % kPointerAlign != 0 || o.type < 8)
    return false;
  o.text_ascii = static_cast<std::uint16_t>(text[3]);
  o.text_other = static_cast<std::uint16_t>(o.text_ascii + kUtf8Bytes);
  // There other threads may change whether a str is interned, which has a byte of its own (unicodeobject.h).
  o.text_state_shift = o.free_threaded && f.minor >= 14 ? 6 : 0;
  return true;
}

}  // namespace

bool self_described(unsigned minor, std::uint32_t hex_version, std::uintptr_t runtime, Offsets& o, const char*& why) {
  const Form* form = form_of(minor);
  if (form == nullptr) {
    why = "this version of Python is newer than this libprof";
    return false;
  }
  const auto* words = reinterpret_cast<const std::uint64_t*>(runtime);
  if (runtime == 0 || std::memcmp(words, "xdebugpy", 8) != 0 || words[1] >> 16 != hex_version >> 16 || words[2] > 1) {
    why = "the interpreter does not describe its structures as its version should";
    return false;
  }
  o.free_threaded = words[2] != 0;
  if (take_frames(words, *form, o) && take_objects(words, *form, o)) return true;
  why = "the interpreter's description of its structures makes no sense";
  return false;
}

}  // namespace prof::python
