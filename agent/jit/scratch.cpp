#include "agent/jit/scratch.hpp"

#include <atomic>

namespace prof::jit {
namespace {

PROF_WIPED constinit pages::Wiped<std::atomic<Room*>> g_spare{};

}  // namespace

Scratch::Scratch() : room_(g_spare.value.exchange(nullptr, std::memory_order_acq_rel)) {
  if (room_ == nullptr) room_ = static_cast<Room*>(pages::map_sparsely(sizeof(Room)));
}

Scratch::~Scratch() {
  Room* none = nullptr;
  if (room_ != nullptr && !g_spare.value.compare_exchange_strong(none, room_, std::memory_order_acq_rel))
    pages::unmap(room_, sizeof(Room));
}

void prepare_scratch() { pages::wipe_in_child(g_spare); }

}  // namespace prof::jit
