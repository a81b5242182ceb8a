#include "agent/calls/chosen.hpp"

#include "agent/calls/code_key.hpp"
#include "agent/calls/patterns.hpp"
#include "agent/core/raw.hpp"
#include "agent/python/text_object.hpp"

namespace prof::python::calls {
namespace {

std::string_view text_at(std::uintptr_t object, char* room, std::size_t bytes) {
  Memory memory(Memory::Access::Direct, {});
  TextObject text;
  if (!read_text(memory, interpreter()->offsets, object, reinterpret_cast<std::uintptr_t>(api().PyUnicode_Type),
                 text) ||
      text.utf8_bytes() > bytes) {
    return {};
  }
  return {room, static_cast<std::size_t>(text.write_utf8(room) - room)};
}

}  // namespace

void Chosen::set(const char* patterns) {
  patterns_ = patterns;
  const long n = raw::call(SYS_readlinkat, AT_FDCWD, raw::word("/proc/self/cwd"), raw::word(directory_),
                           static_cast<long>(sizeof(directory_) - 1));
  directory_[n > 0 ? n : 0] = '\0';
}

bool Chosen::decide(const void* code) const {
  const Offsets& o = interpreter()->offsets;
  char file_room[2048], name_room[2048];
  const auto file = text_at(field<std::uintptr_t>(code, o.file), file_room, sizeof(file_room));
  const std::uint16_t name_at = o.qualname != kAbsent ? o.qualname : o.name;
  const auto name = text_at(field<std::uintptr_t>(code, name_at), name_room, sizeof(name_room));
  return patterns_ != nullptr && patterns_[0] != '\0' ? matches(patterns_, file, name) : is_own_file(file, directory_);
}

bool Chosen::has(const void* code) {
  const Offsets& o = interpreter()->offsets;
  const auto at = reinterpret_cast<std::uintptr_t>(code);
  Seen& seen = seen_[at * 0x9e3779b97f4a7c15ULL >> (64 - kBits)];
  const void* is[] = {field<const void*>(code, o.name), field<const void*>(code, o.file),
                      field<const void*>(code, o.line_table)};
  if (seen.code != code || seen.is[0] != is[0] || seen.is[1] != is[1] || seen.is[2] != is[2]) {
    seen = {code, {is[0], is[1], is[2]}, decide(code)};
  }
  return seen.chosen;
}

}  // namespace prof::python::calls
