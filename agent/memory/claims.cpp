#include "agent/memory/claims.hpp"

#include <atomic>

namespace prof::memory {
namespace {

// What a claim of another thread's has half written is an empty range, or one that ends where the other did.
struct Claim {
  std::atomic<std::uintptr_t> start, end;
};
constinit Claim g_claims[log::kMemoryParts]{};

Claim& claim_of(log::MemoryPart part) { return g_claims[static_cast<std::uint32_t>(part)]; }

}  // namespace

void claim(log::MemoryPart part, heap::AddressRange range) {
  Claim& claim = claim_of(part);
  claim.end.store(0, std::memory_order_release);
  claim.start.store(range.start, std::memory_order_release);
  claim.end.store(range.end, std::memory_order_release);
}

heap::AddressRange claimed(log::MemoryPart part) {
  const Claim& claim = claim_of(part);
  const std::uintptr_t end = claim.end.load(std::memory_order_acquire);
  const std::uintptr_t start = claim.start.load(std::memory_order_acquire);
  return start < end ? heap::AddressRange{start, end} : heap::AddressRange{};
}

}  // namespace prof::memory
