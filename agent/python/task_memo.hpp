// Entries of tasks that a thread met last, by the texts that name them: what a task is called is read anew for each
// stack
// - another one may stand in its place, with another name - but only compared where it is the same.
#pragma once

#include <cstdint>
#include <cstring>

#include "agent/python/text_object.hpp"

namespace prof::python {

// All zeros is empty.
class TaskMemo {
 public:
  // 0: the texts are not known.
  std::uint64_t find(std::uintptr_t task, const TextObject& name, const TextObject& coroutine) const {
    const Known& k = known_[place_of(task)];
    return k.entry != 0 && k.name.is(name) && k.coroutine.is(coroutine) ? k.entry : 0;
  }
  void keep(std::uintptr_t task, const TextObject& name, const TextObject& coroutine, std::uint64_t entry) {
    Known& k = known_[place_of(task)];
    k.entry = 0;
    if (k.name.take(name) && k.coroutine.take(coroutine)) k.entry = entry;
  }

 private:
  static constexpr std::uint32_t kTasks = 16;
  struct Copy {
    bool is(const TextObject& text) const {
      return text.length == length && text.unit_bytes == unit_bytes &&
             (length == 0 || std::memcmp(bytes, text.units, text.byte_count()) == 0);
    }
    bool take(const TextObject& text) {
      if (text.byte_count() > sizeof bytes) return false;
      length = text.length;
      unit_bytes = text.unit_bytes;
      if (length != 0) std::memcpy(bytes, text.units, text.byte_count());
      return true;
    }
    std::uint32_t length;
    std::uint8_t unit_bytes;
    char bytes[123];
  };
  struct Known {
    std::uint64_t entry;
    Copy name, coroutine;
  };
  static std::uint32_t place_of(std::uintptr_t task) {
    return static_cast<std::uint32_t>((task * 0x9e3779b97f4a7c15ULL) >> 60);
  }

  Known known_[kTasks];
};

}  // namespace prof::python
