#include "agent/gpu/cupti/launches.hpp"

#include "agent/core/pages.hpp"

namespace prof::gpu::cupti {

bool Launches::begin() {
  if (entries_ == nullptr) entries_ = static_cast<Launch*>(pages::map(kRoom * sizeof(Launch), pages::InChild::Gone));
  return entries_ != nullptr;
}

Launch* Launches::entry(std::uint32_t correlation) {
  if (entries_ == nullptr || correlation == 0) return nullptr;
  Launch& e = entries_[correlation % kRoom];
  if (e.correlation != correlation) e = {correlation, 0, 0, 0, 0};
  return &e;
}

void Launches::note_node(std::uint32_t correlation, std::uint32_t node, std::uint32_t op) {
  Launch* e = entry(correlation);
  if (e == nullptr) return;
  e->node = node;
  e->op = op;
}

// Of a call of the runtime and those of the driver that it makes, the one that began first.
void Launches::note_call(std::uint32_t correlation, std::uint64_t start, std::uint32_t thread) {
  Launch* e = entry(correlation);
  if (e == nullptr || (e->start != 0 && e->start <= start)) return;
  e->start = start;
  e->thread = thread;
}

const Launch* Launches::find(std::uint32_t correlation) const {
  if (entries_ == nullptr || correlation == 0) return nullptr;
  const Launch& e = entries_[correlation % kRoom];
  return e.correlation == correlation ? &e : nullptr;
}

}  // namespace prof::gpu::cupti
