#include "agent/heap/exact.hpp"

#include "agent/core/counter.hpp"
#include "agent/core/process.hpp"
#include "agent/heap/book.hpp"
#include "agent/heap/growth.hpp"
#include "agent/heap/local.hpp"
#include "agent/heap/small.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/thread_state.hpp"
#include "agent/tree/context.hpp"
#include "agent/tree/region.hpp"

namespace prof::heap {
namespace {

constexpr std::uint32_t kRecent = sizeof(Local::recent) / sizeof(Local::recent[0]);
static_assert(kRecent == log::kShortLife);

log::HeapWords& full(std::uint64_t* words) { return *reinterpret_cast<log::HeapWords*>(words); }

static_assert(kRecords == 1U << (64 - 58));
Recent& remembered(Local& local, std::uint64_t key) { return local.records[key * 0x9e3779b97f4a7c15ULL >> 58]; }

std::uint64_t key_of(std::uint32_t node, Kind kind) {
  return std::uint64_t{node} << 32 | (static_cast<std::uint64_t>(kind) + 1);
}

// The calling thread's record of the context, of either class; null when there is none.
std::uint64_t* known_record(const Guard& guard, std::uint32_t node, Kind kind) {
  Recent& recent = remembered(local(guard.thread()), key_of(node, kind));
  if (recent.key == key_of(node, kind)) return recent.words;
  std::uint64_t* words = tree::region_of(guard).find(node, classes_of(kind).words);
  if (words != nullptr) recent = {key_of(node, kind), words};
  return words;
}

std::uint64_t* make_record(const Guard& guard, std::uint32_t node, Kind kind, log::RecordClass record_class,
                           std::uint32_t words) {
  std::uint64_t* made = tree::region_of(guard).make(node, classes_of(kind).words, record_class, words);
  if (made == nullptr) {
    count_loss(log::Loss::RecordNoSpace);
    return nullptr;
  }
  remembered(local(guard.thread()), key_of(node, kind)) = {key_of(node, kind), made};
  return made;
}

std::uint64_t* make_full(const Guard& guard, std::uint32_t node, Kind kind) {
  return make_record(guard, node, kind, classes_of(kind).words, log::kHeapWordCount);
}

void count_size(const Guard& guard, log::HeapWords& r, Kind kind, std::uint64_t bytes) {
  const std::uint32_t c = log::size_class(bytes);
  std::uint64_t* sizes = companion(r, Companion::Sizes);
  if (sizes == nullptr && r.samples != 0 && c != log::size_class(r.largest)) {
    sizes = make_companion(guard, r, Companion::Sizes, classes_of(kind).sizes, log::kHeapSizesWordCount);
    if (sizes != nullptr) sizes[log::size_class(r.largest)] = r.samples;
  }
  if (sizes != nullptr) add(sizes[c], 1);
  note_size(r, bytes);
}

void book_full(const Guard& guard, log::HeapWords& r, Kind kind, std::uint64_t bytes, const Origin& origin) {
  count_size(guard, r, kind, bytes);
  if (origin.reallocated) {
    add(r.reallocations, 1);
    add(r.moved_bytes, origin.moved_bytes);
  }
  book_allocation(guard, r, kind, {log::kCountUnit, bytes});
}

void book_once(const Guard& guard, log::HeapOnceWords& r, Kind kind, std::uint64_t bytes, const Origin& origin) {
  r.bytes_flags = bytes << log::kOnceFlagBits | (origin.reallocated ? log::kOnceReallocated : std::uint64_t{0});
  __atomic_store_n(&r.epochs, epoch_now(kind), __ATOMIC_RELEASE);
  account(guard, kind, static_cast<std::int64_t>(bytes));
}

// Whether a small record says it all: what a realloc moved can be another number than the block's size.
bool fits_small(const Origin& origin, Kind kind) { return origin.moved_bytes == 0 && kind != Kind::Map; }

// The first time of a context: its strand says it all. False: it cannot.
bool book_first(const Guard& guard, log::StrandRecord& strand, Kind kind, std::uint64_t bytes, const Origin& origin) {
  const std::uint32_t epoch = epoch_now(kind);
  if (!fits_small(origin, kind) || bytes > log::kMostBlockBytes || epoch > log::kMostBlockEpoch) return false;
  strand.block = log::block_of(static_cast<std::uint32_t>(bytes), epoch);
  __atomic_store_n(&strand.life, strand.life | new_life(kind, origin.reallocated), __ATOMIC_RELEASE);
  account(guard, kind, static_cast<std::int64_t>(bytes));
  return true;
}

// `words`: the record that is known, or null; then `first` tells whether it is the context's first time. Returns the
// record that it was booked on; null: there is no room.
std::uint64_t* book(const Guard& guard, std::uint32_t node, std::uint64_t* words, Kind kind, std::uint64_t bytes,
                    const Origin& origin, bool first) {
  if (words != nullptr && is_small(words, kind)) words = known_record(guard, node, kind);  // there may be more by now
  if (fits_small(origin, kind) && (words == nullptr || is_small(words, kind))) {
    const std::uint64_t before = words != nullptr && is_block(words, kind) ? *words : 0;
    first = first && words == nullptr;
    if (const std::uint64_t word = block_word(before, first, kind, bytes, epoch_now(kind), origin.reallocated)) {
      words = make_record(guard, node, kind, classes_of(kind).block, log::kBlockWordCount);
      if (words == nullptr) return nullptr;
      __atomic_store_n(words, word, __ATOMIC_RELEASE);
      account(guard, kind, static_cast<std::int64_t>(bytes));
      return words;
    }
    if (first) {
      words = make_record(guard, node, kind, classes_of(kind).once, log::kHeapOnceWordCount);
      if (words != nullptr) book_once(guard, once(words), kind, bytes, origin);
      return words;
    }
  }
  if (words == nullptr || is_small(words, kind)) words = make_full(guard, node, kind);
  if (words != nullptr) book_full(guard, full(words), kind, bytes, origin);
  return words;
}

}  // namespace

void exact_allocation(const Guard& guard, const void* block, std::size_t bytes, Kind kind, const Origin& origin) {
  if (bytes >= kMostBytes) return count_loss(log::Loss::BlockTooLarge);
  tree::SeenContext* here = tree::current_context(guard);
  if (here == nullptr) return;
  log::StrandRecord* const strand = here->strand;
  here->strand = nullptr;
  std::uint32_t place = 0;
  if (strand != nullptr && book_first(guard, *strand, kind, bytes, origin)) {
    place = place_of_strand(strand);
  } else {
    std::uint64_t* words = kind == Kind::Malloc ? here->heap : nullptr;
    if (words == nullptr) words = known_record(guard, here->node, kind);
    words = book(guard, here->node, words, kind, bytes, origin, strand != nullptr || !log::is_strand(here->node));
    if (words == nullptr) return;
    if (kind == Kind::Malloc) here->heap = words;
    place = place_of_record(words);
  }
  Local& local = heap::local(guard.thread());
  ++local.sequence;
  local.recent[local.sequence % kRecent] = block;
  local.last = {key_of(here->node, kind), bytes};
  const LiveBlock live{place, kind, static_cast<std::uint8_t>(local.sequence), bytes};
  const Remembered remembered = remember(block, live, Filtered::No);
  if (remembered == Remembered::Instead) count_loss(log::Loss::FreeNotSeen);
  if (remembered == Remembered::No) count_loss(log::Loss::LiveTableFull);
}

void exact_free(const Guard& guard, const void* block, const LiveBlock& live) {
  const bool first = place_in_strands(live.place);
  log::StrandRecord* const strand = first ? strand_at(live.place) : nullptr;
  std::uint64_t* words = first ? nullptr : record_at(live.place);
  const std::uint32_t node = first ? log::kStrandNodes + log::strand_number(strand->head) : log::record_node(words[-1]);
  Local& local = heap::local(guard.thread());
  const auto age = static_cast<std::uint8_t>(local.sequence - live.tag);
  const void*& recent = local.recent[live.tag % kRecent];
  const bool short_lived = age < kRecent && recent == block;
  if (short_lived) recent = nullptr;
  const bool temporary = local.last.key == key_of(node, live.kind) && local.last.bytes == live.bytes;
  local.last.key = 0;
  const tree::Region& region = tree::region_of(guard);
  const Fate fate{short_lived, temporary};
  const std::uint32_t epoch = epoch_now(live.kind);
  const auto freed = [&] { account(guard, live.kind, -static_cast<std::int64_t>(live.bytes)); };
  if (first && region.owns(*strand)) {
    if (const std::uint32_t life = freed_life(strand->block, strand->life, live.kind, epoch, fate)) {
      __atomic_store_n(&strand->life, life, __ATOMIC_RELEASE);
      return freed();
    }
  }
  if (first || !region.owns(words)) words = known_record(guard, node, live.kind);
  if (words != nullptr && is_small(words, live.kind)) {
    // Another thread's block of the same context may come first; of the same size it is as good.
    if (free_small(words, live.kind, live.bytes, epoch, fate)) return freed();
    words = known_record(guard, node, live.kind);
    if (words != nullptr && is_small(words, live.kind)) words = nullptr;
  }
  if (words == nullptr) words = make_full(guard, node, live.kind);
  if (words == nullptr) return;
  log::HeapWords& r = full(words);
  if (short_lived) add(r.short_lived, 1);
  if (temporary) add(r.temporary, 1);
  book_free(guard, r, live.kind, {log::kCountUnit, live.bytes});
}

}  // namespace prof::heap
