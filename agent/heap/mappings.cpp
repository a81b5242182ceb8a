#include "agent/heap/mappings.hpp"

#include <cstring>

#include "agent/core/counter.hpp"
#include "agent/core/guard.hpp"
#include "agent/core/lock.hpp"
#include "agent/core/pages.hpp"
#include "agent/heap/book.hpp"
#include "agent/log/file.hpp"
#include "agent/process/process.hpp"
#include "agent/stack/stack.hpp"
#include "agent/thread/threads.hpp"
#include "agent/tree/context.hpp"

namespace prof::heap {
namespace {

constexpr std::uint32_t kMostRanges = 65536;  // the kernel's own default limit (vm.max_map_count)

struct Range {
  std::uintptr_t start, end;
  std::uint32_t node;
};

// Sorted by address, never overlapping. The array's pages are touched only as far as it is filled.
struct Ranges {
  SpinLock lock;
  std::uint32_t count;
  Range* at;
};
PROF_WIPED constinit pages::Wiped<Ranges> g_ranges{};

// What one cut took from a context.
struct Piece {
  std::uint32_t node;
  bool whole;
  std::uint64_t bytes;
};
constexpr std::uint32_t kPieces = 64;  // cut at a time; larger cuts go in several turns

std::uintptr_t page_end(std::uintptr_t start, std::size_t length) {
  return start + (length + pages::kPage - 1) / pages::kPage * pages::kPage;
}

std::uint32_t first_ending_after(const Ranges& r, std::uintptr_t address) {
  std::uint32_t low = 0, high = r.count;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (r.at[middle].end <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

bool insert(Ranges& r, std::uint32_t i, const Range& range) {
  if (r.at == nullptr) r.at = static_cast<Range*>(pages::map(kMostRanges * sizeof(Range), pages::InChild::Gone));
  if (r.at == nullptr || r.count == kMostRanges) return false;
  std::memmove(r.at + i + 1, r.at + i, (r.count - i) * sizeof(Range));
  r.at[i] = range;
  ++r.count;
  return true;
}

// Takes [start, end) out of the known ranges, at most kPieces of them; returns how many, and where it stopped in
// `start`.
std::uint32_t cut(Ranges& r, std::uintptr_t& start, std::uintptr_t end, Piece (&pieces)[kPieces]) {
  std::uint32_t n = 0;
  if (r.at == nullptr) {
    start = end;
    return 0;
  }
  std::uint32_t i = first_ending_after(r, start);
  while (i < r.count && r.at[i].start < end && n < kPieces) {
    Range& range = r.at[i];
    const std::uintptr_t low = range.start > start ? range.start : start;
    const std::uintptr_t high = range.end < end ? range.end : end;
    const bool keeps_head = range.start<low, keeps_tail = range.end> high;
    pieces[n++] = {range.node, !keeps_head && !keeps_tail, high - low};
    if (keeps_head && keeps_tail) {
      const Range tail{high, range.end, range.node};
      range.end = low;
      insert(r, i + 1, tail);  // one more than there were: only a full table loses the tail
      i += 2;
    } else if (keeps_head) {
      range.end = low;
      ++i;
    } else if (keeps_tail) {
      range.start = high;
    } else {
      std::memmove(r.at + i, r.at + i + 1, (r.count - i - 1) * sizeof(Range));
      --r.count;
    }
    start = high;
  }
  if (n < kPieces) start = end;
  return n;
}

log::HeapWords* words_of(const Guard& guard, std::uint32_t node) {
  return reinterpret_cast<log::HeapWords*>(tree::record_of(guard, node, log::RecordClass::Map, log::kHeapWordCount));
}

void take_out(const Guard& guard, std::uintptr_t start, std::uintptr_t end) {
  Piece pieces[kPieces];
  while (start < end) {
    std::uint32_t n = 0;
    {
      Locked locked(g_ranges.value.lock);
      n = cut(g_ranges.value, start, end, pieces);
    }
    for (std::uint32_t i = 0; i < n; ++i) {
      add(guard.thread().record->unmapped_bytes, pieces[i].bytes);
      if (log::HeapWords* w = words_of(guard, pieces[i].node)) {
        book_free(guard, *w, Kind::Map, {pieces[i].whole ? log::kCountUnit : 0, pieces[i].bytes});
      }
    }
  }
}

void put_in(const Guard& guard, std::uintptr_t start, std::uintptr_t end) {
  add(guard.thread().record->maps, 1);
  add(guard.thread().record->mapped_bytes, end - start);
  const tree::Context c = tree::context_here(guard, log::RecordClass::Map, log::kHeapWordCount);
  if (c.record == nullptr) return;
  {
    Locked locked(g_ranges.value.lock);
    Ranges& r = g_ranges.value;
    if (!insert(r, first_ending_after(r, start), {start, end, c.node})) return count_loss(log::Loss::MapTableFull);
  }
  auto& record = *reinterpret_cast<log::HeapWords*>(c.record);
  if (end - start > record.largest) record.largest = end - start;
  book_allocation(guard, record, Kind::Map, {log::kCountUnit, end - start});
}

bool recording(const Guard& guard) {
  if (!guard || process().options.heap == log::HeapMode::Off || !log::ensure_created()) return false;
  threads::settle(guard.thread());
  return true;
}

}  // namespace

[[gnu::noinline]] void mapped(void* start, std::size_t length) {
  const HookGuard guard;
  if (!recording(guard)) return;
  const auto at = reinterpret_cast<std::uintptr_t>(start);
  take_out(guard, at, page_end(at, length));  // MAP_FIXED maps over what was there
  put_in(guard, at, page_end(at, length));
}

void unmapped(void* start, std::size_t length) {
  const HookGuard guard;
  if (!recording(guard)) return;
  add(guard.thread().record->unmaps, 1);
  const auto at = reinterpret_cast<std::uintptr_t>(start);
  take_out(guard, at, page_end(at, length));
}

[[gnu::noinline]] void remapped(void* from, std::size_t old_length, void* to, std::size_t new_length) {
  const HookGuard guard;
  if (!recording(guard)) return;
  const auto at = reinterpret_cast<std::uintptr_t>(from), target = reinterpret_cast<std::uintptr_t>(to);
  if (old_length != 0) take_out(guard, at, page_end(at, old_length));  // 0 duplicates a shared mapping
  take_out(guard, target, page_end(target, new_length));
  put_in(guard, target, page_end(target, new_length));
}

bool program_range(AddressRange& range) {
  Ranges& r = g_ranges.value;
  if (!r.lock.try_lock()) return false;
  const std::uint32_t i = first_ending_after(r, range.start);
  if (i < r.count && r.at[i].start < range.end) {
    if (r.at[i].start > range.start) range.start = r.at[i].start;
    if (r.at[i].end < range.end) range.end = r.at[i].end;
  } else {
    range.start = range.end;
  }
  r.lock.unlock();
  return true;
}

void prepare_mappings() { pages::wipe_in_child(g_ranges); }

}  // namespace prof::heap
