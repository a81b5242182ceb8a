#include "agent/python/check.hpp"

#include <cstring>

#include "agent/python/code_copies.hpp"
#include "agent/python/memory.hpp"
#include "agent/python/text_object.hpp"

namespace prof::python {
namespace {

constexpr std::uint32_t kMostFrames = 16;  // compared; all that matters differs in the first one already

class Comparison {
 public:
  // What is not believed yet may lead anywhere.
  explicit Comparison(const Interpreter& of) : of_(of), o_(of.offsets), memory_(Memory::Access::Probed, {}) {}

  Check run(const char*& why) {
    const Api& a = api();
    PyThreadState* thread = a.PyGILState_GetThisThreadState();
    if (thread == nullptr || a.PyErr_Occurred() != nullptr) return Check::NothingToCompare;
    PyObject* innermost = nullptr;
    if (a.PyThreadState_GetFrame != nullptr) {
      innermost = a.PyThreadState_GetFrame(thread);
    } else {
      innermost = a.PyEval_GetFrame();
      if (innermost != nullptr) a.Py_IncRef(innermost);
    }
    if (innermost == nullptr) return Check::NothingToCompare;
    std::uintptr_t frame = 0;
    if (!first_frame(reinterpret_cast<std::uintptr_t>(thread), frame)) {
      a.Py_DecRef(innermost);
      why = "its innermost frame is not where this version keeps it";
      return Check::Differs;
    }
    const bool same = all_same(innermost, frame, why);
    if (a.PyErr_Occurred() != nullptr) a.PyErr_Clear();
    return same ? Check::Agrees : Check::Differs;
  }

 private:
  bool first_frame(std::uintptr_t thread, std::uintptr_t& frame) {
    std::uintptr_t holder = thread;
    if (o_.chain == Chain::CFrames && !memory_.load(thread + o_.cframe, holder)) return false;
    return memory_.load(holder + o_.current, frame) && skip_shims(frame);
  }

  bool skip_shims(std::uintptr_t& frame) {
    for (unsigned steps = 0; frame != 0 && steps < 64; ++steps) {
      std::uint8_t owner = 0;
      if (o_.chain == Chain::Objects || o_.is_entry != kAbsent) return true;
      if (!memory_.load(frame + o_.owner, owner)) return false;
      if (owner < kOwnedByCStack) return true;
      if (!memory_.load(frame + o_.previous, frame)) return false;
    }
    return frame == 0;
  }

  // Takes over the reference to `theirs`.
  bool all_same(PyObject* theirs, std::uintptr_t ours, const char*& why) {
    for (std::uint32_t i = 0; i < kMostFrames; ++i) {
      const Reference held(theirs);
      if (!is_frame(theirs)) {
        if (ours == 0) return true;
        why = "it has more frames than its own API says";
        return false;
      }
      if (ours == 0) {
        why = "it has fewer frames than its own API says";
        return false;
      }
      if (!same_frame(theirs, ours, why)) return false;
      if (!memory_.load(ours + o_.previous, ours) || !skip_shims(ours)) {
        why = "its frames do not hang together as in this version";
        return false;
      }
      theirs = api().PyObject_GetAttrString(theirs, "f_back");
    }
    api().Py_DecRef(theirs);
    return true;
  }

  // The outermost frame's f_back is None.
  bool is_frame(PyObject* object) {
    std::uintptr_t type = 0;
    return object != nullptr && memory_.load(address(object) + o_.type, type) && type == address(api().PyFrame_Type);
  }

  // A new reference. Before 3.9 no function gives it, and asking for the attribute would tell the program's own audit
  // hooks: there the object that we found must do, if it is a code object.
  PyObject* code_of(PyObject* frame, std::uintptr_t ours) {
    if (api().PyFrame_GetCode != nullptr) return api().PyFrame_GetCode(frame);
    std::uintptr_t type = 0;
    if (!memory_.load(ours + o_.type, type) || type != address(api().PyCode_Type)) return nullptr;
    api().Py_IncRef(reinterpret_cast<PyObject*>(ours));
    return reinterpret_cast<PyObject*>(ours);
  }

  bool same_frame(PyObject* theirs, std::uintptr_t ours, const char*& why) {
    std::uintptr_t code = 0;
    why = "a frame's code object is not where this version keeps it";
    if (!memory_.load(ours + o_.code, code)) return false;
    code &= ~std::uintptr_t{3};
    const Reference their_code(code_of(theirs, code));
    if (!their_code || code != address(their_code.get())) return false;
    why = "a frame's place in its code is not where this version keeps it";
    if (!same_place(theirs, ours, code)) return false;
    why = "a code object's fields are not where this version keeps them";
    if (!same_object(their_code.get(), "co_name", code + o_.name) ||
        !same_object(their_code.get(), "co_filename", code + o_.file) ||
        (o_.qualname != kAbsent && !same_object(their_code.get(), "co_qualname", code + o_.qualname)) ||
        !same_object(their_code.get(), api_line_table(), code + o_.line_table) ||
        !same_number(their_code.get(), "co_firstlineno", code + o_.first_line) ||
        !same_number(their_code.get(), "co_flags", code + o_.flags))
      return false;
    why = "its texts are not made as in this version";
    return same_text(code + o_.name) && same_text(code + o_.file) && same_bytes(code + o_.line_table);
  }

  bool same_text(std::uintptr_t field) {
    std::uintptr_t object = 0;
    TextObject text;
    if (!memory_.load(field, object) || !read_text(memory_, o_, object, of_.text_type, text)) return false;
    if (text.unit_bytes != 1 || text.length == kLongestText) return true;  // what says how long a unit is was right
    std::intptr_t bytes = 0;
    const char* theirs = api().PyUnicode_AsUTF8AndSize(reinterpret_cast<PyObject*>(object), &bytes);
    if (theirs == nullptr || static_cast<std::size_t>(bytes) != text.length) return theirs != nullptr;
    return std::memcmp(theirs, text.units, text.length) == 0;
  }

  bool same_bytes(std::uintptr_t field) {
    std::uintptr_t object = 0;
    BytesObject bytes;
    if (!memory_.load(field, object) || !read_bytes(memory_, o_, object, of_.bytes_type, bytes)) return false;
    const Api& a = api();
    if (a.PyBytes_AsString == nullptr || a.PyBytes_Size == nullptr) return true;
    auto* theirs = reinterpret_cast<PyObject*>(object);
    return a.PyBytes_AsString(theirs) == reinterpret_cast<const char*>(bytes.data) &&
           a.PyBytes_Size(theirs) == std::intptr_t{bytes.size};
  }

  const char* api_line_table() const {
    return o_.chain == Chain::Objects && o_.place_unit == 1 ? "co_lnotab" : "co_linetable";
  }

  bool same_place(PyObject* theirs, std::uintptr_t ours, std::uintptr_t code) {
    const Reference last(api().PyObject_GetAttrString(theirs, "f_lasti"));  // in bytes, in all versions
    if (!last) return false;
    const long expected = api().PyLong_AsLong(last.get());
    if (o_.chain == Chain::Objects) {
      std::int32_t value = 0;
      return memory_.load(ours + o_.place, value) && (value < 0 || value * long{o_.place_unit} == expected);
    }
    std::uintptr_t at = 0, begin = code + o_.instructions;
    if (!memory_.load(ours + o_.place, at)) return false;
    if (o_.places == Place::Copied && !begin_of_copy(o_, memory_, ours, code, begin)) return false;
    return static_cast<long>(at - begin) == expected;
  }

  bool same_object(PyObject* owner, const char* attribute, std::uintptr_t field) {
    std::uintptr_t value = 0;
    const Reference theirs(api().PyObject_GetAttrString(owner, attribute));
    return theirs && memory_.load(field, value) && value == address(theirs.get());
  }

  bool same_number(PyObject* owner, const char* attribute, std::uintptr_t field) {
    std::int32_t value = 0;
    const Reference theirs(api().PyObject_GetAttrString(owner, attribute));
    return theirs && memory_.load(field, value) && value == api().PyLong_AsLong(theirs.get());
  }

  static std::uintptr_t address(const void* object) { return reinterpret_cast<std::uintptr_t>(object); }

  const Interpreter& of_;
  const Offsets& o_;
  Memory memory_;
};

}  // namespace

Check compare_with_api(const Interpreter& of, const char*& why) { return Comparison(of).run(why); }

}  // namespace prof::python
