#include "agent/tree/region.hpp"

#include <cstring>

#include "agent/core/pages.hpp"
#include "agent/log/file.hpp"
#include "agent/tree/id_table.hpp"

namespace prof::tree {
namespace {

constexpr std::uint32_t kLargestChunk = 64 << 10;

static_assert(kMaxIds < 1U << 24);  // ids of nodes
constexpr std::uint32_t key_of(std::uint32_t node, log::RecordClass c) {
  return node << 8 | static_cast<std::uint8_t>(c);
}
constexpr std::uint32_t key_in(std::uint64_t entry) { return static_cast<std::uint32_t>(entry >> 32); }

// The log's window never moves, and is less than 32 GiB.
std::uint64_t* words_in(std::uint64_t entry) {
  return reinterpret_cast<std::uint64_t*>(log::header()) + static_cast<std::uint32_t>(entry);
}
std::uint64_t place_of(const std::uint64_t* words) {
  return static_cast<std::uint64_t>(words - reinterpret_cast<std::uint64_t*>(log::header()));
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
void Region::Seen<T>::enlarge() {
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
  stacks_.begin(few_seen_->stacks, kFewStacks, many_seen_->stacks);
  frames_.begin(few_seen_->frames, kFewFrames, many_seen_->frames);
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
  chunk_bytes_ = log::kGranule;
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
  while (index[i] != 0 && key_in(index[i]) != key) i = (i + 1) & (capacity - 1);
  return index[i];
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

std::uint64_t* Region::append(std::uint32_t node, log::RecordClass record_class, std::uint32_t words) {
  if (cursor_ == nullptr || cursor_ + 1 + words > end_) {
    const auto needed = static_cast<std::uint32_t>(sizeof(log::ChunkHeader) + (1 + words) * sizeof(std::uint64_t));
    const auto take = [&] {
      return log::take_chunk(log::ChunkType::Records, id_, 0, chunk_bytes_ < needed ? needed : chunk_bytes_);
    };
    log::ChunkHeader* chunk = take();
    if (chunk == nullptr && chunk_bytes_ > log::kGranule) {
      chunk_bytes_ = log::kGranule;  // the little that may be left of the log's room
      chunk = take();
    }
    if (chunk == nullptr) return nullptr;
    cursor_ = log::content<std::uint64_t>(chunk);
    end_ = reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(chunk) + chunk->bytes);
    // Doubling only after two chunks of a size keeps the unused tail small for threads with few contexts.
    if (++chunks_of_size_ == 2 && chunk_bytes_ < kLargestChunk) {
      chunk_bytes_ *= 2;
      chunks_of_size_ = 0;
    }
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
  Entry* entry = &probe(index_, capacity_, k);
  if (*entry == 0 && used_ + used_ / 2 >= capacity_) {
    if (!enlarge_index()) return nullptr;
    entry = &probe(index_, capacity_, k);
  }
  std::uint64_t* made = append(node, record_class, words);
  if (made == nullptr) return nullptr;
  if (*entry == 0) ++used_;
  *entry = std::uint64_t{k} << 32 | place_of(made);
  return made;
}

std::uint64_t* Region::record(std::uint32_t node, log::RecordClass record_class, std::uint32_t words) {
  std::uint64_t* found = find(node, record_class);
  return found != nullptr ? found : make(node, record_class, record_class, words);
}

}  // namespace prof::tree
