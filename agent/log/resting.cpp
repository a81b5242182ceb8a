#include "agent/log/resting.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstdint>

#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/log/file.hpp"

namespace prof::log {
namespace {

constexpr std::uint32_t kGranulesPerPage = pages::kPage / kGranule;

// Resting granules by page of the log; null until a thread has ended of which nothing is kept.
using Count = std::atomic<std::uint8_t>;
PROF_WIPED constinit pages::Wiped<std::atomic<Count*>> g_counts{};

Count* counts() {
  std::atomic<Count*>& all = g_counts.value;
  Count* seen = all.load(std::memory_order_acquire);
  if (seen != nullptr) return seen;
  const std::uint64_t bytes = process().options.log_limit() / pages::kPage + 1;
  auto* const made = static_cast<Count*>(pages::map(bytes, pages::InChild::Gone));
  if (made == nullptr || all.compare_exchange_strong(seen, made, std::memory_order_acq_rel)) return made;
  pages::unmap(made, bytes);
  return seen;
}

// Calls `visit(page, granules)` for each page of the log that holds some of the chunk, and how many.
template <class Visit>
void for_each_page(const ChunkHeader& chunk, Visit visit) {
  std::uint64_t at = chunk.offset / kGranule;
  const std::uint64_t end = at + chunk.bytes / kGranule;
  while (at < end) {
    const std::uint64_t page = at / kGranulesPerPage, next = (page + 1) * kGranulesPerPage;
    visit(page, static_cast<std::uint8_t>((next < end ? next : end) - at));
    at = next;
  }
}

}  // namespace

void rest(const ChunkHeader& chunk) {
  Count* const all = counts();
  if (all == nullptr) return;
  char* const log = reinterpret_cast<char*>(header());
  std::uint64_t from = 0, to = 0;  // pages to give up, as many as possible at once
  const auto give_up = [&] {
    if (from < to)
      raw::call(SYS_madvise, raw::word(log + from * pages::kPage), static_cast<long>((to - from) * pages::kPage),
                MADV_DONTNEED);
  };
  for_each_page(chunk, [&](std::uint64_t page, std::uint8_t granules) {
    if (all[page].fetch_add(granules, std::memory_order_relaxed) + granules != kGranulesPerPage) return;
    if (page != to) {
      give_up();
      from = page;
    }
    to = page + 1;
  });
  give_up();
}

void wake(const ChunkHeader& chunk) {
  Count* const all = counts();
  if (all == nullptr) return;
  for_each_page(chunk, [&](std::uint64_t page, std::uint8_t granules) {
    all[page].fetch_sub(granules, std::memory_order_relaxed);
  });
}

void prepare_resting() { pages::wipe_in_child(g_counts); }

}  // namespace prof::log
