#include "agent/memory/thread_stacks.hpp"

#include <algorithm>

#include "agent/core/pages.hpp"
#include "agent/thread/threads.hpp"

namespace prof::memory {
namespace {

template <class Visit>
void for_each_stack(Visit visit) {
  threads::for_each([&](ThreadState& t) {
    // The thread may be ending meanwhile.
    const log::ThreadRecord* const record = __atomic_load_n(&t.record, __ATOMIC_ACQUIRE);
    if (record == nullptr || (record->flags & log::kThreadMain) != 0) return;
    const heap::AddressRange stack{t.bounds.low, t.bounds.high};
    if (stack.start < stack.end) visit(stack);
  });
}

}  // namespace

ThreadStacks::ThreadStacks() {
  for_each_stack([&](const heap::AddressRange&) { ++room_; });
  if (room_ == 0) return;
  stacks_ = static_cast<heap::AddressRange*>(pages::map(room_ * sizeof(*stacks_), pages::InChild::Gone));
  if (stacks_ == nullptr) return;
  for_each_stack([&](const heap::AddressRange& stack) {
    if (count_ < room_) stacks_[count_++] = stack;
  });
  // A heap sort: no more of the stack than its frame, and never quadratic.
  const auto before = [](const heap::AddressRange& a, const heap::AddressRange& b) { return a.start < b.start; };
  std::make_heap(stacks_, stacks_ + count_, before);
  std::sort_heap(stacks_, stacks_ + count_, before);
}

ThreadStacks::~ThreadStacks() {
  if (stacks_ != nullptr) pages::unmap(stacks_, room_ * sizeof(*stacks_));
}

const heap::AddressRange* ThreadStacks::begin_in(const heap::AddressRange& range) const {
  return std::partition_point(stacks_, stacks_ + count_, [&](const auto& stack) { return stack.end <= range.start; });
}

const heap::AddressRange* ThreadStacks::end_in(const heap::AddressRange& range) const {
  return std::partition_point(stacks_, stacks_ + count_, [&](const auto& stack) { return stack.start < range.end; });
}

}  // namespace prof::memory
