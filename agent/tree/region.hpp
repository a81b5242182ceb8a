// What one thread writes in one context: its counter records in the log, and the private ways to find them again.
//
// A record is found by (node, class) through an index in anonymous memory; whole stacks are remembered with their node
// and record, so that a stack seen before costs one probe. Owned by one thread and one context (ordinary or signal
// handler): nothing here is shared or locked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/log/format.hpp"

namespace prof::tree {

// A context that was met: its node and what its finder keeps of it, see context_here.
struct Here {
  std::uint32_t node;
  std::uint64_t* heap;
};

class Region {
 public:
  struct SeenStack {
    std::uint64_t hash;  // of the frames and the module generation; 0: empty. Stored last
    Here here;
  };
  struct SeenFrame {
    std::uint64_t address;
    std::uint32_t frame;
    std::uint32_t generation;
  };
  static constexpr std::uint32_t kStacks = 2048;
  static constexpr std::uint32_t kFrames = 2048;

  // Starts anew as region `id` of the log, forgetting everything.
  void reset(std::uint32_t id);

  // The words of the record of (node, class), made with `words` zero words if need be; null when there is no room.
  std::uint64_t* record(std::uint32_t node, log::RecordClass record_class, std::uint32_t words);

  // What `make` stored last for (node, key); null: nothing.
  std::uint64_t* find(std::uint32_t node, log::RecordClass key) const;
  // Makes a record of class `record_class` with `words` zero words and has `find` return it for (node, key) from now
  // on, whatever it returned before. Null when there is no room.
  std::uint64_t* make(std::uint32_t node, log::RecordClass key, log::RecordClass record_class, std::uint32_t words);

  SeenStack& stack_slot(std::uint64_t hash) { return stacks_[hash % kStacks]; }
  SeenFrame& frame_slot(std::uint64_t address) { return frames_[(address * 0x9e3779b97f4a7c15ULL) >> 53]; }

  std::uint32_t spare_node = 0, spare_frame = 0;  // see WordTrie

 private:
  struct Entry {
    std::uint64_t key;  // record header without its word count; 0: empty
    std::uint64_t* words;
  };
  static constexpr std::uint32_t kFirstIndex = 128;

  std::uint64_t* append(std::uint32_t node, log::RecordClass record_class, std::uint32_t words);
  bool enlarge_index();
  static Entry& probe(Entry* index, std::uint32_t capacity, std::uint64_t key);

  std::uint32_t id_ = 0;
  std::uint32_t chunk_bytes_ = 0;  // of the next chunk
  std::uint32_t chunks_of_size_ = 0;
  std::uint64_t* cursor_ = nullptr;  // next free word of the current chunk
  std::uint64_t* end_ = nullptr;
  Entry* index_ = nullptr;
  std::uint32_t capacity_ = 0, used_ = 0;
  Entry first_index_[kFirstIndex] = {};
  SeenStack stacks_[kStacks] = {};
  SeenFrame frames_[kFrames] = {};
};

}  // namespace prof::tree
