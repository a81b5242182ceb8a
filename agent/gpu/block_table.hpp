// Blocks of device memory by their address: few, all known, looked up when they are allocated and freed. Grows by
// doubling up to a limit. Not synchronised: its owner has a lock. Lives in memory that forked children find zeroed; all
// zeros is the empty table.
#pragma once

#include <cstdint>

namespace prof::gpu {

struct Block {
  std::uint64_t address;  // never 0
  std::uint64_t bytes;
  std::uint32_t place;  // of the record that it was booked on, see heap::place_of_record
  std::uint32_t device;
};

class BlockTable {
 public:
  static constexpr std::uint32_t kMost = 3U << 20;  // blocks

  enum class Put {
    New,
    Instead,  // of an older block at the same address, which `old` becomes
    Full,     // there is no room: nothing was put
  };
  Put put(const Block& block, Block& old);
  // Takes the block at `address` out. False: there is none.
  bool take(std::uint64_t address, Block& block);

  std::uint32_t count() const { return count_; }

 private:
  std::uint32_t home(std::uint64_t address) const;
  Block& slot_of(std::uint64_t address);
  bool enlarge();

  Block* slots_ = nullptr;
  std::uint32_t capacity_ = 0;  // a power of two, or 0
  std::uint32_t count_ = 0;
};

}  // namespace prof::gpu
