// Ranges that may end on another thread than they began on, by their ids. A thread that ends a range takes it out: one
// that is ended twice is not there.
#pragma once

#include <atomic>
#include <cstdint>

#include "agent/range/local.hpp"
#include "agent/range/ranges.hpp"

namespace prof::range {

// Lives in memory that forked children find zeroed; all zeros is the empty table.
class StartedRanges {
 public:
  static constexpr std::uint32_t kMost = 4096;

  // The id of a range that has begun, never 0; kNoStarted: there is no room. Ordinary code.
  std::uint64_t put(const Open& range);
  // Takes it out. False: there is none of this id. Ordinary code.
  bool take(std::uint64_t id, Open& range);

 private:
  struct Slot {
    std::atomic<std::uint64_t> id;  // 0: free; kTaken: it is being filled or emptied
    Open range;
  };
  static constexpr std::uint64_t kTaken = kNoStarted;
  Slot* slots();

  std::atomic<std::uint64_t> last_id_{0};
  std::atomic<Slot*> slots_{nullptr};
};

}  // namespace prof::range
