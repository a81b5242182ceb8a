#include "agent/files/descriptor_table.hpp"

#include "agent/core/pages.hpp"

namespace prof::files {

void Descriptor::begin(FileId file, Kind kind, bool checked) {
  identity.store(0, std::memory_order_relaxed);
  position.store(0, std::memory_order_relaxed);
  next.store(0, std::memory_order_relaxed);
  const auto turn = static_cast<std::uint16_t>(get().turn + 1);
  word_.store(to_word({file, kind, false, checked, turn}), std::memory_order_release);
}

void Descriptor::copy(const Descriptor& from) {
  What w = from.get();
  identity.store(from.identity.load(std::memory_order_relaxed), std::memory_order_relaxed);
  position.store(from.position.load(std::memory_order_relaxed), std::memory_order_relaxed);
  next.store(from.next.load(std::memory_order_relaxed), std::memory_order_relaxed);
  w.turn = static_cast<std::uint16_t>(get().turn + 1);
  word_.store(to_word(w), std::memory_order_release);
}

bool Descriptor::learn(const What& seen, const What& now) {
  std::uint64_t expected = to_word(seen);
  What next_word = now;
  next_word.turn = seen.turn;
  return word_.compare_exchange_strong(expected, to_word(next_word), std::memory_order_acq_rel);
}

Descriptor* DescriptorTable::make(int fd) {
  if (Descriptor* known = find(fd)) return known;
  const std::uint32_t at = static_cast<std::uint32_t>(fd) / kLeaf;
  if (at >= kLeaves) return nullptr;
  auto* leaf = static_cast<Leaf*>(pages::map(sizeof(Leaf), pages::InChild::Gone));
  if (leaf == nullptr) return nullptr;
  Leaf* before = nullptr;
  if (!leaves_[at].compare_exchange_strong(before, leaf, std::memory_order_acq_rel)) pages::unmap(leaf, sizeof(Leaf));
  return find(fd);
}

void DescriptorTable::forget(unsigned first, unsigned last) {
  const std::uint64_t end = last < kLeaf * kLeaves ? std::uint64_t{last} + 1 : std::uint64_t{kLeaf} * kLeaves;
  for (std::uint64_t fd = first; fd < end;) {
    Descriptor* d = find(static_cast<int>(fd));
    if (d == nullptr) {
      fd = (fd / kLeaf + 1) * kLeaf;
      continue;
    }
    if (d->known()) d->forget();
    ++fd;
  }
}

}  // namespace prof::files
