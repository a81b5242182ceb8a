#include "agent/python/greenlets.hpp"

#include <string_view>

#include "agent/python/tasks.hpp"
#include "agent/python/text_object.hpp"

namespace prof::python {
namespace {

// Files of those who call in a greenlet what they were given.
constexpr std::string_view kHandOn[] = {"/eventlet/greenthread.py", "/gevent/greenlet.py"};

// What stands at `offset` in the code of the frame; empty: it cannot be told.
std::string_view text_of(const Interpreter& of, Memory& memory, std::uintptr_t frame, std::uintptr_t offset) {
  std::uintptr_t code = 0, type = 0, object = 0;
  TextObject text;
  if (!memory.load(frame + of.offsets.code, code)) return {};
  code &= ~std::uintptr_t{3};
  if (code == 0 || !memory.load(code + of.offsets.type, type) || type != of.code_type ||
      !memory.load(code + offset, object) || !read_text(memory, of.offsets, object, of.text_type, text) ||
      text.unit_bytes != 1)
    return {};
  return {static_cast<const char*>(text.units), text.length};
}

bool hands_on(const Interpreter& of, Memory& memory, std::uintptr_t frame) {
  const std::string_view path = text_of(of, memory, frame, of.offsets.file);
  for (const std::string_view end : kHandOn) {
    if (path.ends_with(end)) return true;
  }
  return false;
}

}  // namespace

std::uint64_t greenlet_of(const Guard& guard, const Interpreter& of, Memory& memory, std::uintptr_t frame,
                          std::uintptr_t next) {
  // No greenlet begins with a module's own code: a switch is half done.
  if (text_of(of, memory, frame, of.offsets.name) == "<module>") return 0;
  return entry_of_function(guard, of, memory, next != 0 && hands_on(of, memory, frame) ? next : frame);
}

}  // namespace prof::python
