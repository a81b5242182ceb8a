// What one thread writes in one context: its counter records in the log, and the private ways to find them again.
//
// A record is found by (node, class) through an index in anonymous memory; whole stacks are remembered with their node
// and record, so that a stack seen before costs one probe. Owned by one thread and one context (ordinary or signal
// handler): nothing here is shared or locked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/thread_state.hpp"

namespace prof::tree {

// A context that was met: its node and what its finder keeps of it, see current_context.
struct SeenContext {
  std::uint32_t node;
  std::uint64_t* heap;
  log::StrandRecord* strand;  // the node is its innermost one and has no record of anybody, nor this a block; else null
};

class Region {
 public:
  struct SeenStack {
    std::uint64_t hash;  // of the frames and the module generation; 0: empty. Stored last
    SeenContext here;
  };
  struct SeenFrame {
    std::uint64_t address;
    std::uint32_t frame;
    std::uint32_t generation;
  };

  // Room that a region has: the index of its records; and what was met last, which it can do without. Each first for
  // the few of most threads, then for many; after that it maps what it needs.
  struct FewIndex;
  struct ManyIndex;
  struct FewSeen;
  struct ManySeen;
  struct Room {
    FewIndex& few_index;
    ManyIndex& many_index;
    FewSeen& few_seen;
    ManySeen& many_seen;
  };

  // Starts anew as region `id` of the log, forgetting everything. What it is given is its own from now on: the same as
  // the last time, or zeros.
  void reset(std::uint32_t id, const Room& room);

  // Does without what was met: the memory of FewSeen and ManySeen may be zeroed.
  void give_back();

  // Whether so little was recorded that finding it again in the log costs no more than a thread's start does. Then all
  // that is not in the log may be forgotten: `rest` tells that the records will not be written before `resume`, and
  // gives what that needs, 0 if there are none.
  bool small() const { return capacity_ <= kManyIndex && chunk_granules_ <= kSmallChunk; }
  std::uint32_t rest() const;
  // Right after `reset`: takes over the records that stand in the log from there on.
  void resume(std::uint32_t first_chunk);

  // The words of the record of (node, class), made with `words` zero words if need be; null when there is no room.
  std::uint64_t* record(std::uint32_t node, log::RecordClass record_class, std::uint32_t words);

  // What `make` stored last for (node, key); null: nothing.
  std::uint64_t* find(std::uint32_t node, log::RecordClass key) const;
  // Makes a record of class `record_class` with `words` zero words and has `find` return it for (node, key) from now
  // on, whatever it returned before. Null when there is no room.
  std::uint64_t* make(std::uint32_t node, log::RecordClass key, log::RecordClass record_class, std::uint32_t words);

  // Whether the record with these words is of this region, as far as its header can tell: false may be wrong.
  bool owns(const std::uint64_t* words) const {
    return hint() != log::kNoHint && log::record_hint(words[-1]) == hint();
  }

  SeenStack& stack_slot(std::uint64_t hash) { return stacks_.at[hash & (stacks_.count - 1)]; }
  SeenFrame& frame_slot(std::uint64_t address) {
    return frames_.at[(address * 0x9e3779b97f4a7c15ULL) >> 32 & (frames_.count - 1)];
  }
  // A slot had to be given to another stack or frame: makes room for more of them when that happens often. Slots taken
  // before are no longer valid. For hooks that ask at every allocation.
  void stack_forgotten();
  void frame_forgotten();

  std::uint32_t spare_node = 0, spare_frame = 0;  // see IdTable

  // A new strand, which is written frame by frame and in the log from `end` on.
  class NewStrand {
   public:
    explicit operator bool() const { return at_ != nullptr; }
    // At most as many as it was begun for.
    void put_frame(std::uint32_t frame) { at_ = log::put_number(at_, frame); }
    // `number`: of its innermost node.
    log::StrandRecord* end(std::uint32_t number);

   private:
    friend class Region;
    NewStrand(Region* region, unsigned char* at) : region_(region), at_(at) {}
    Region* region_;
    unsigned char* at_;
  };
  // Of at most `frames` nodes from number `first` on, below the node `parent`. None: there is no room, or they are too
  // many for one. No other may be begun before its end, but it may be left without one.
  NewStrand begin_strand(std::uint32_t parent, std::uint32_t first, std::uint32_t frames);
  bool owns(const log::StrandRecord& strand) const {
    return hint() != log::kNoHint && strand.life >> log::kStrandRegionShift == hint();
  }

 private:
  std::uint32_t hint() const { return id_ < log::kNoHint ? id_ : log::kNoHint; }
  // node:25 | class:7 | place:32, the place in the log's words; 0: empty.
  using Entry = std::uint64_t;
  static constexpr std::uint32_t kFewIndex = 32, kManyIndex = 256;
  static constexpr std::uint32_t kFewStacks = 16, kFewFrames = 32, kManySeen = 1024, kMostSeen = 131072;
  static constexpr std::uint32_t kSmallChunk = 8;  // granules

  // What was met last, by hash.
  template <class T>
  struct Seen {
    T* at;
    std::uint32_t count;
    std::uint32_t misses;

    void begin(T* few, std::uint32_t few_count) { *this = {few, few_count, 0}; }
    void drop();
    void clear();
    // `many`: the room for kManySeen.
    void missed(T* many) {
      if (++misses > 2 * count && count < kMostSeen) enlarge(many);
    }
    void enlarge(T* many);
  };

  bool enlarge_index();
  void drop_index();
  void begin_seen();
  static Entry& probe(Entry* index, std::uint32_t capacity, std::uint32_t key);
  bool make_room_for(std::uint32_t key);
  void put(std::uint32_t key, const std::uint64_t* words);
  std::uint64_t* append(std::uint32_t node, log::RecordClass record_class, std::uint32_t words);
  bool take_chunk(log::ChunkType type, std::uint32_t content);
  void took_chunk(log::ChunkHeader* chunk);
  static std::uint32_t* behind_strands(log::ChunkHeader* chunk);
  template <class Visit>
  static void for_each_chunk(std::uint32_t first, Visit visit);

  std::uint32_t id_ = 0;
  std::uint16_t chunk_granules_ = 0;  // of the next chunk
  std::uint16_t chunks_of_size_ = 0;
  std::uint32_t first_chunk_ = 0, last_chunk_ = 0;  // granules from the log's begin; 0: there is none
  std::uint64_t* cursor_ = nullptr;                 // next free word of the current chunk of records
  std::uint64_t* end_ = nullptr;
  std::uint32_t* strand_cursor_ = nullptr;  // the same for strands
  std::uint32_t* strand_end_ = nullptr;
  Entry* index_ = nullptr;
  ManyIndex* many_index_ = nullptr;
  FewSeen* few_seen_ = nullptr;
  ManySeen* many_seen_ = nullptr;
  std::uint32_t capacity_ = 0, used_ = 0;
  Seen<SeenStack> stacks_{};
  Seen<SeenFrame> frames_{};
};

struct Region::FewIndex {
  Entry at[kFewIndex];
};
struct Region::ManyIndex {
  Entry at[kManyIndex];
};
struct Region::FewSeen {
  SeenStack stacks[kFewStacks];
  SeenFrame frames[kFewFrames];
};
struct Region::ManySeen {
  SeenStack stacks[kManySeen];
  SeenFrame frames[kManySeen];
};

inline void Region::stack_forgotten() { stacks_.missed(many_seen_->stacks); }
inline void Region::frame_forgotten() { frames_.missed(many_seen_->frames); }

inline Region& region_of(ThreadState& t, log::RegionKind kind) {
  return t.regions[static_cast<unsigned>(kind)].as<Region>();
}
// The one that a guard's records go to.
inline Region& region_of(const Guard& guard) { return region_of(guard.thread(), guard.kind()); }

}  // namespace prof::tree
