#include "agent/python/thread_scratch.hpp"

#include <algorithm>

#include "agent/core/pages.hpp"
#include "agent/process/process.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::python {

// Nested imports and recursion make many Python frames of few native ones.
std::uint32_t most_frames() {
  constexpr std::uint32_t kDeepestPath = 2046;  // that readers take
  const std::uint32_t native = process().options.depth;
  return std::min(4 * native, kDeepestPath - native);
}

Scratch* scratch_of(const Guard& guard) {
  Scratch*& mine = guard.thread().scratch(guard.kind()).python;
  if (mine != nullptr) return mine;
  const std::uint32_t native = process().options.depth, depth = most_frames();
  const std::size_t entries = depth * sizeof(std::uint64_t), groups = depth * sizeof(Group);
  const std::size_t places = depth * sizeof(std::uint32_t), merged = (depth + native) * sizeof(std::uintptr_t);
  auto* made =
      static_cast<Scratch*>(pages::map(sizeof(Scratch) + entries + groups + merged + places, pages::InChild::Zeroed));
  if (made == nullptr) return nullptr;
  auto* room = reinterpret_cast<char*>(made + 1);
  made->list.room = depth;
  made->list.entries = reinterpret_cast<std::uint64_t*>(room);
  made->list.groups = reinterpret_cast<Group*>(room + entries);
  made->merged = reinterpret_cast<std::uintptr_t*>(room + entries + groups);
  made->merged_room = depth + native;
  made->list.places = reinterpret_cast<std::uint32_t*>(room + entries + groups + merged);
  return mine = made;
}

}  // namespace prof::python
