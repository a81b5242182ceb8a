#include "agent/tree/region.hpp"

#include <cstring>

#include "agent/core/pages.hpp"
#include "agent/log/file.hpp"
#include "agent/log/resting.hpp"
#include "agent/tree/id_table.hpp"

namespace prof::tree {
namespace {

constexpr std::uint32_t kLargestChunk = (64 << 10) / log::kGranule;

static_assert(kMaxIds < log::kStrandNodes && log::kStrandNodes + log::kStrandNumbers <= 1U << 25);
constexpr std::uint32_t key_of(std::uint32_t node, log::RecordClass c) {
  return node << 7 | static_cast<std::uint8_t>(c);
}
constexpr std::uint32_t key_in(std::uint64_t entry) { return static_cast<std::uint32_t>(entry >> 32); }

// The log's window never moves, and is less than 32 GiB.
std::uint64_t* words_in(std::uint64_t entry) {
  return reinterpret_cast<std::uint64_t*>(log::header()) + static_cast<std::uint32_t>(entry);
}
log::ChunkHeader* chunk_at(std::uint32_t granules) {
  return reinterpret_cast<log::ChunkHeader*>(reinterpret_cast<char*>(log::header()) +
                                             std::uint64_t{granules} * log::kGranule);
}
std::uint64_t place_of(const std::uint64_t* words) {
  return static_cast<std::uint64_t>(words - reinterpret_cast<std::uint64_t*>(log::header()));
}

// The class for which `find` returns a record of class `c`: one of a single allocation stands where the full one will.
log::RecordClass found_as(log::RecordClass c) {
  if (c == log::RecordClass::HeapOnce || c == log::RecordClass::HeapBlock) return log::RecordClass::Heap;
  return c == log::RecordClass::PythonOnce || c == log::RecordClass::PythonBlock ? log::RecordClass::Python : c;
}

}  // namespace

template <class T>
void Region::Seen<T>::drop() {
  if (count > kManySeen) pages::unmap(at, count * sizeof(T));
}

template <class T>
void Region::Seen<T>::clear() {
  std::memset(static_cast<void*>(at), 0, count * sizeof(T));
  misses = 0;
}

// Starts empty: what is still in use comes again.
template <class T>
void Region::Seen<T>::enlarge(T* many) {
  misses = 0;
  const std::uint32_t larger_count = count < kManySeen ? kManySeen : 4 * count;
  T* larger = count < kManySeen ? many : static_cast<T*>(pages::map(larger_count * sizeof(T), pages::InChild::Gone));
  if (larger == nullptr) return;
  drop();
  at = larger;
  count = larger_count;
}

template struct Region::Seen<Region::SeenStack>;
template struct Region::Seen<Region::SeenFrame>;

void Region::begin_seen() {
  stacks_.begin(few_seen_->stacks, kFewStacks);
  frames_.begin(few_seen_->frames, kFewFrames);
}

void Region::give_back() {
  stacks_.drop();
  frames_.drop();
  begin_seen();
}

void Region::drop_index() {
  if (capacity_ > kManyIndex) pages::unmap(index_, capacity_ * sizeof(Entry));
}

void Region::reset(std::uint32_t id, const Room& room) {
  drop_index();
  if (cursor_ != nullptr) {  // frames are the process's, and stay what they are
    std::memset(&room.few_index, 0, sizeof(room.few_index));
    if (capacity_ > kFewIndex) std::memset(&room.many_index, 0, sizeof(room.many_index));
    stacks_.clear();
  }
  const Seen<SeenStack> stacks = stacks_;
  const Seen<SeenFrame> frames = frames_;
  const bool again = index_ != nullptr;
  *this = Region{};
  id_ = id;
  chunk_granules_ = 1;
  index_ = room.few_index.at;
  capacity_ = kFewIndex;
  many_index_ = &room.many_index;
  few_seen_ = &room.few_seen;
  many_seen_ = &room.many_seen;
  if (!again) return begin_seen();
  stacks_ = stacks;
  frames_ = frames;
}

Region::Entry& Region::probe(Entry* index, std::uint32_t capacity, std::uint32_t key) {
  std::uint32_t i = static_cast<std::uint32_t>((key * 0x9e3779b97f4a7c15ULL) >> 32) & (capacity - 1);
  // It is never full; but no mistake of ours may keep the program for ever.
  for (std::uint32_t n = 0; n < capacity && index[i] != 0 && key_in(index[i]) != key; ++n) i = (i + 1) & (capacity - 1);
  return index[i];
}

template <class Visit>
void Region::for_each_chunk(std::uint32_t first, Visit visit) {
  for (std::uint32_t at = first; at != 0;) {
    log::ChunkHeader* chunk = chunk_at(at);
    const auto next = static_cast<std::uint32_t>(chunk->first);
    visit(chunk);
    at = next > at ? next : 0;  // no other way, unless the program has written there
  }
}

std::uint32_t Region::rest() const {
  for_each_chunk(first_chunk_, [](const log::ChunkHeader* chunk) { log::rest(*chunk); });
  return first_chunk_;
}

// In the order in which they were made: the later one of two that `find` was to return is that one again.
void Region::resume(std::uint32_t first_chunk) {
  for_each_chunk(first_chunk, [this](log::ChunkHeader* chunk) {
    log::wake(*chunk);
    took_chunk(chunk);
    if (chunk->type == log::ChunkType::Strands) return;
    while (cursor_ < end_ && *cursor_ != 0) {
      const std::uint32_t key = key_of(log::record_node(*cursor_), found_as(log::record_class(*cursor_)));
      if (make_room_for(key)) put(key, cursor_ + 1);
      cursor_ += 1 + log::record_words(*cursor_);
    }
  });
}

// Its place is noted in the one before, by which `resume` finds it.
void Region::took_chunk(log::ChunkHeader* chunk) {
  const auto at = static_cast<std::uint32_t>(chunk->offset / log::kGranule);
  if (last_chunk_ != 0) chunk_at(last_chunk_)->first = at;
  if (first_chunk_ == 0) first_chunk_ = at;
  last_chunk_ = at;
  char* const end = reinterpret_cast<char*>(chunk) + chunk->bytes;
  if (chunk->type == log::ChunkType::Strands) {
    strand_cursor_ = behind_strands(chunk);
    strand_end_ = reinterpret_cast<std::uint32_t*>(end);
  } else {
    cursor_ = log::content<std::uint64_t>(chunk);
    end_ = reinterpret_cast<std::uint64_t*>(end);
  }
  // Doubling only after two chunks of a size keeps the unused tail small for threads with few contexts.
  if (++chunks_of_size_ == 2 && chunk_granules_ < kLargestChunk) {
    chunk_granules_ *= 2;
    chunks_of_size_ = 0;
  }
}

bool Region::enlarge_index() {
  const std::uint32_t capacity = capacity_ < kManyIndex ? kManyIndex : capacity_ * 2;
  Entry* larger = capacity == kManyIndex
                      ? many_index_->at
                      : static_cast<Entry*>(pages::map(capacity * sizeof(Entry), pages::InChild::Gone));
  if (larger == nullptr) return false;
  for (std::uint32_t i = 0; i < capacity_; ++i) {
    if (index_[i] != 0) probe(larger, capacity, key_in(index_[i])) = index_[i];
  }
  drop_index();
  index_ = larger;
  capacity_ = capacity;
  return true;
}

// A chunk to write to from now on, with room for `content` bytes at least.
bool Region::take_chunk(log::ChunkType type, std::uint32_t content) {
  const auto needed = static_cast<std::uint32_t>(sizeof(log::ChunkHeader)) + content;
  const auto take = [&] {
    const std::uint32_t usual = chunk_granules_ * log::kGranule;
    return log::take_chunk(type, id_, 0, usual < needed ? needed : usual);
  };
  log::ChunkHeader* chunk = take();
  if (chunk == nullptr && chunk_granules_ > 1) {
    chunk_granules_ = 1;  // the little that may be left of the log's room
    chunk = take();
  }
  if (chunk != nullptr) took_chunk(chunk);
  return chunk != nullptr;
}

std::uint64_t* Region::append(std::uint32_t node, log::RecordClass record_class, std::uint32_t words) {
  if (cursor_ == nullptr || cursor_ + 1 + words > end_) {
    if (!take_chunk(log::ChunkType::Records, (1 + words) * static_cast<std::uint32_t>(sizeof(std::uint64_t))))
      return nullptr;
  }
  // In this order: what a jump out of a handler leaves half done is done again by the next one, and hides none.
  std::uint64_t* header = cursor_;
  __atomic_store_n(header, log::record_header(node, record_class, words) | hint(), __ATOMIC_RELEASE);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  cursor_ = header + 1 + words;
  return header + 1;
}

std::uint64_t* Region::find(std::uint32_t node, log::RecordClass key) const {
  const Entry entry = probe(index_, capacity_, key_of(node, key));
  return entry != 0 ? words_in(entry) : nullptr;
}

std::uint64_t* Region::make(std::uint32_t node, log::RecordClass key, log::RecordClass record_class,
                            std::uint32_t words) {
  const std::uint32_t k = key_of(node, key);
  if (!make_room_for(k)) return nullptr;
  std::uint64_t* made = append(node, record_class, words);
  if (made != nullptr) put(k, made);
  return made;
}

// Whether the index can take the key.
bool Region::make_room_for(std::uint32_t key) {
  return used_ + used_ / 2 < capacity_ || probe(index_, capacity_, key) != 0 || enlarge_index();
}

void Region::put(std::uint32_t key, const std::uint64_t* words) {
  Entry& entry = probe(index_, capacity_, key);
  if (entry == 0) ++used_;
  entry = std::uint64_t{key} << 32 | place_of(words);
}

std::uint64_t* Region::record(std::uint32_t node, log::RecordClass record_class, std::uint32_t words) {
  std::uint64_t* found = find(node, record_class);
  return found != nullptr ? found : make(node, record_class, record_class, words);
}

}  // namespace prof::tree
