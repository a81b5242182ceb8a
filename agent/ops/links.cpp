#include "agent/ops/links.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>

#include "agent/core/pages.hpp"

namespace prof::ops {
namespace {

// The functions of all threads that are remembered: more than a graph has that is run backwards.
constexpr std::uint64_t kRemembered = 1U << 19;

struct Makers {
  std::atomic<std::uint64_t> at[kRemembered];  // tag:32 | node:32
};
struct Links {
  std::atomic<Makers*> makers;  // null until there is a first one
};
PROF_WIPED constinit pages::Wiped<Links> g_links{};

// An offset where the number may stand: the same in all processes that come of this one.
struct Candidate {
  std::uint64_t seen;  // the last number that was found there
  std::uint32_t times;
};
constinit Candidate g_candidates[std::size(Layout::kDistances)]{};
constinit std::atomic<std::uint32_t> g_distance{0};  // 0: not known yet

std::uint32_t tag_of(std::uint64_t thread, std::uint64_t number) {
  return static_cast<std::uint32_t>((thread * 0x9e3779b97f4a7c15ULL ^ number) * 0xe7037ed1a0b428dbULL >> 32);
}

// Neighbours stand side by side, threads far from each other.
std::uint64_t slot_of(std::uint64_t thread, std::uint64_t number) {
  return (thread * (kRemembered * 5 / 13) + number) % kRemembered;
}

Makers* makers() {
  std::atomic<Makers*>& kept = g_links.value.makers;
  Makers* found = kept.load(std::memory_order_acquire);
  if (found != nullptr) return found;
  auto* made = static_cast<Makers*>(pages::map(sizeof(Makers), pages::InChild::Zeroed));
  if (made == nullptr || kept.compare_exchange_strong(found, made)) return made;
  pages::unmap(made, sizeof(Makers));
  return found;
}

}  // namespace

// Threads may learn at once: at worst it takes them longer.
void Numbers::learn(const Torch& torch, const RecordFunction* function) {
  if (g_distance.load(std::memory_order_relaxed) != 0 || torch.next_number == nullptr || !torch.layout.known()) return;
  constexpr std::uint32_t kOften = 3;
  const std::uint64_t next = torch.next_number();
  for (std::size_t i = 0; i < std::size(g_candidates); ++i) {
    Candidate& candidate = g_candidates[i];
    const auto number = static_cast<std::uint64_t>(torch.layout.number(function, Layout::kDistances[i]));
    if (next == 0 || number != next || number == candidate.seen) continue;
    candidate.seen = number;
    if (++candidate.times == kOften) return g_distance.store(Layout::kDistances[i], std::memory_order_relaxed);
  }
}

void Numbers::made(const Guard&, const Torch& torch, std::uint64_t from, std::uint64_t to, std::uint32_t frames) {
  if (from >= to || frames == 0 || torch.thread_number == nullptr) return;
  Makers* all = makers();
  if (all == nullptr) return;
  const std::uint64_t thread = torch.thread_number();
  for (std::uint64_t number = std::max(from, to - std::min(to, kRemembered)); number < to; ++number) {
    all->at[slot_of(thread, number)].store(std::uint64_t{tag_of(thread, number)} << 32 | frames,
                                           std::memory_order_relaxed);
  }
}

bool Numbers::of(const Torch& torch, const RecordFunction* function, std::uint64_t& number) {
  const std::uint32_t distance = g_distance.load(std::memory_order_relaxed);
  if (distance == 0) return false;
  const std::int64_t found = torch.layout.number(function, distance);
  if (found < 0) return false;
  number = static_cast<std::uint64_t>(found);
  return true;
}

std::uint32_t Numbers::maker(const Torch& torch, const RecordFunction* function, bool& any) {
  any = true;
  const std::uint32_t distance = g_distance.load(std::memory_order_relaxed);
  if (distance == 0) return 0;
  const std::int64_t number = torch.layout.number(function, distance);
  any = number >= 0;  // what accumulates gradients is made by none, and has the largest one
  Makers* all = g_links.value.makers.load(std::memory_order_acquire);
  if (!any || all == nullptr) return 0;
  const std::uint64_t thread = torch.layout.forward_thread(function);
  const auto at = static_cast<std::uint64_t>(number);
  const std::uint64_t found = all->at[slot_of(thread, at)].load(std::memory_order_relaxed);
  return found >> 32 == tag_of(thread, at) ? static_cast<std::uint32_t>(found) : 0;
}

void prepare_links() { pages::wipe_in_child(g_links); }

}  // namespace prof::ops
