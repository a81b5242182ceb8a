#include "agent/python/thread_scratch.hpp"

#include <algorithm>

#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::python {

// Nested imports and recursion make many Python frames of few native ones.
std::uint32_t most_frames() {
  constexpr std::uint32_t kDeepestPath = 2046;  // that readers take
  const std::uint32_t native = process().options.depth;
  return std::min(4 * native, kDeepestPath - native);
}

namespace {

struct Sizes {
  std::uint32_t native = process().options.depth, depth = most_frames();
  std::size_t entries = depth * sizeof(std::uint64_t), groups = depth * sizeof(Group);
  std::size_t places = depth * sizeof(std::uint32_t), merged = (depth + native) * sizeof(std::uintptr_t);
  std::size_t addresses = depth * sizeof(std::uintptr_t);
  std::size_t all() const { return sizeof(Scratch) + entries + groups + merged + addresses + places; }
};

// Null until the thread has Python frames.
Scratch*& scratch_in(StackScratch& scratch) { return scratch.python.as<Scratch*>(); }

}  // namespace

Scratch* scratch_of(const Guard& guard) {
  Scratch*& mine = scratch_in(guard.thread().scratch(guard.kind()));
  if (mine != nullptr) return mine;
  const Sizes sizes;
  auto* made = static_cast<Scratch*>(pages::map(sizes.all(), pages::InChild::Zeroed));
  if (made == nullptr) return nullptr;
  auto* room = reinterpret_cast<char*>(made + 1);
  made->list.room = sizes.depth;
  made->list.entries = reinterpret_cast<std::uint64_t*>(room);
  made->list.groups = reinterpret_cast<Group*>(room + sizes.entries);
  made->merged = reinterpret_cast<std::uintptr_t*>(room + sizes.entries + sizes.groups);
  made->merged_room = sizes.depth + sizes.native;
  room += sizes.entries + sizes.groups + sizes.merged;
  made->list.addresses = reinterpret_cast<std::uintptr_t*>(room);
  made->list.places = reinterpret_cast<std::uint32_t*>(room + sizes.addresses);
  return mine = made;
}

void give_back(StackScratch& scratch) {
  Scratch*& python = scratch_in(scratch);
  if (python != nullptr) pages::unmap(python, Sizes{}.all());
  python = nullptr;
}

}  // namespace prof::python
