// Ranges of addresses that never overlap, sorted, in blocks of some dozens: what is put in or taken out moves a block's
// worth of them at most, however many there are. Not synchronised. Lives in memory that forked children find zeroed;
// all zeros is the empty table.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::heap {

struct Range {
  std::uintptr_t start, end;
  std::uint64_t order;  // when it came to be; of the caller's choice
  std::uint32_t node;   // of the context that it is of
};

class RangeTable {
 public:
  // Memory is given to it in lots of zeros, so that it needs none while it is changed.
  static constexpr std::size_t kLotBytes = 128 << 10;
  static constexpr std::uint32_t kMostLots = 64;
  bool wants_lot() const { return free_count_ < kSpareBlocks && lots_ < kMostLots; }
  void give_lot(void* memory);

  // What a cut took from one range.
  struct Piece {
    std::uint32_t node;
    bool whole;
    std::uint64_t bytes;
  };
  struct Cut {
    std::uint32_t pieces;
    bool done;  // false: there was no room for more pieces
    bool lost;  // there was no room for what is left of a range behind the cut: it is no longer known
  };
  // Takes [start, end) out of the ranges that are not younger than `order`. `start` becomes where it stopped.
  Cut cut(std::uintptr_t& start, std::uintptr_t end, std::uint64_t order, Piece* pieces, std::uint32_t room);

  // The range must overlap none. False: there is no room.
  bool insert(const Range& range);

  // The first range that ends after `address`; null: there is none.
  const Range* first_after(std::uintptr_t address) const;
  std::uint32_t count() const { return count_; }

 private:
  static constexpr std::uint32_t kBlockBytes = 2048;
  static constexpr std::uint32_t kPerBlock = kBlockBytes / sizeof(Range) - 1;
  static constexpr std::uint32_t kBlocksPerLot = kLotBytes / kBlockBytes;
  static constexpr std::uint32_t kMostBlocks = kBlocksPerLot * kMostLots;
  static constexpr std::uint32_t kSpareBlocks = 4;
  struct Block {
    Block* next_free;
    std::uint32_t count;
    alignas(sizeof(Range)) Range at[kPerBlock];
  };
  static_assert(sizeof(Block) == kBlockBytes);
  // Blocks in the order of their ranges; none is empty.
  struct Row {
    std::uintptr_t start;  // of its first range
    Block* block;
  };
  struct Position {
    std::uint32_t row, index;  // index: perhaps one behind the block's last
  };

  Position position_after(std::uintptr_t address) const;
  Range* range_at(Position position) const;
  bool insert_at(Position position, const Range& range);
  void remove_at(Position position);
  Block* add_row(std::uint32_t row);
  void drop_row(std::uint32_t row);
  void join(std::uint32_t row);

  std::uint32_t rows_count_ = 0, count_ = 0;
  std::uint32_t lots_ = 0, free_count_ = 0;
  Block* free_ = nullptr;
  Block* fresh_ = nullptr;  // of the newest lot, those that were never used
  std::uint32_t fresh_left_ = 0;
  Row rows_[kMostBlocks]{};
};

}  // namespace prof::heap
