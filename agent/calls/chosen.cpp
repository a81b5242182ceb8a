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
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const Offsets& o = interpreter()->offsets;
  const auto at = reinterpret_cast<std::uintptr_t>(code);
  Seen& seen = seen_[at * 0x9e3779b97f4a7c15ULL >> (64 - kBits)];
  const void* is[] = {field<const void*>(code, o.name), field<const void*>(code, o.file),
                      field<const void*>(code, o.line_table)};
  std::uint32_t version = seen.version.load(std::memory_order_acquire);
  bool chosen = seen.chosen.load(kRelaxed);
  const bool known = seen.code.load(kRelaxed) == code && seen.is[0].load(kRelaxed) == is[0] &&
                     seen.is[1].load(kRelaxed) == is[1] && seen.is[2].load(kRelaxed) == is[2];
  std::atomic_thread_fence(std::memory_order_acquire);
  if (known && version % 2 == 0 && seen.version.load(kRelaxed) == version) return chosen;
  chosen = decide(code);
  // One writer at a time; who comes second has its answer all the same.
  version -= version % 2;
  if (!seen.version.compare_exchange_strong(version, version + 1, std::memory_order_acquire)) return chosen;
  seen.chosen.store(chosen, std::memory_order_release);
  seen.code.store(code, std::memory_order_release);
  for (unsigned i = 0; i < 3; ++i) seen.is[i].store(is[i], std::memory_order_release);
  seen.version.store(version + 2, std::memory_order_release);
  return chosen;
}

}  // namespace prof::python::calls
