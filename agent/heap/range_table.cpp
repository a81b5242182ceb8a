#include "agent/heap/range_table.hpp"

#include <cstring>
#include <initializer_list>

namespace prof::heap {

void RangeTable::give_lot(void* memory) {
  // None is touched before it is used: most processes have few mappings.
  for (; fresh_left_ > 0; --fresh_left_, ++fresh_) {
    fresh_->next_free = free_;
    free_ = fresh_;
  }
  fresh_ = static_cast<Block*>(memory);
  fresh_left_ = kBlocksPerLot;
  free_count_ += kBlocksPerLot;
  ++lots_;
}

// Of the first range that ends after `address`, or behind the last one of the block where such a range would stand.
RangeTable::Position RangeTable::position_after(std::uintptr_t address) const {
  std::uint32_t low = 0, high = rows_count_;  // the last row that begins at or before the address
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    (rows_[middle].start <= address ? low : high) = middle;
  }
  if (rows_count_ == 0) return {0, 0};
  const Block& block = *rows_[low].block;
  std::uint32_t first = 0, last = block.count;
  while (first < last) {
    const std::uint32_t middle = (first + last) / 2;
    if (block.at[middle].end <= address)
      first = middle + 1;
    else
      last = middle;
  }
  return {low, first};
}

Range* RangeTable::range_at(Position position) const {
  if (position.row >= rows_count_) return nullptr;
  Block& block = *rows_[position.row].block;
  if (position.index < block.count) return &block.at[position.index];
  return position.row + 1 < rows_count_ ? &rows_[position.row + 1].block->at[0] : nullptr;
}

const Range* RangeTable::first_after(std::uintptr_t address) const { return range_at(position_after(address)); }

// Null: there is none left.
RangeTable::Block* RangeTable::add_row(std::uint32_t row) {
  if (free_count_ == 0) return nullptr;
  Block* block = free_;
  if (block != nullptr) {
    free_ = block->next_free;
  } else {
    block = fresh_++;
    --fresh_left_;
  }
  --free_count_;
  block->count = 0;
  std::memmove(rows_ + row + 1, rows_ + row, (rows_count_ - row) * sizeof(Row));
  ++rows_count_;
  rows_[row] = {0, block};
  return block;
}

void RangeTable::drop_row(std::uint32_t row) {
  Block* block = rows_[row].block;
  block->next_free = free_;
  free_ = block;
  ++free_count_;
  --rows_count_;
  std::memmove(rows_ + row, rows_ + row + 1, (rows_count_ - row) * sizeof(Row));
}

bool RangeTable::insert_at(Position position, const Range& range) {
  if (rows_count_ == 0) {
    if (add_row(0) == nullptr) return false;
  } else if (Block& full = *rows_[position.row].block; full.count == kPerBlock) {
    // The kernel hands addresses out one below or above the other: there a block stays full. Else it is halved.
    const std::uint32_t stay = position.index == 0 ? 0 : position.index == kPerBlock ? kPerBlock : kPerBlock / 2;
    Block* second = add_row(position.row + (stay == 0 ? 0 : 1));
    if (second == nullptr) return false;
    if (stay != 0) {
      second->count = kPerBlock - stay;
      std::memcpy(second->at, full.at + stay, second->count * sizeof(Range));
      full.count = stay;
      if (second->count != 0) rows_[position.row + 1].start = second->at[0].start;
      if (position.index > stay || position.index == kPerBlock) position = {position.row + 1, position.index - stay};
    }
  }
  Block& block = *rows_[position.row].block;
  std::memmove(block.at + position.index + 1, block.at + position.index,
               (block.count - position.index) * sizeof(Range));
  block.at[position.index] = range;
  ++block.count;
  ++count_;
  rows_[position.row].start = block.at[0].start;
  return true;
}

// With its neighbours, where two have room in one with some to spare.
void RangeTable::join(std::uint32_t row) {
  for (const std::uint32_t first : {row, row - 1}) {
    if (first >= rows_count_ || first + 1 >= rows_count_) continue;
    Block& to = *rows_[first].block;
    const Block& from = *rows_[first + 1].block;
    if (to.count + from.count > kPerBlock / 4 * 3) continue;
    std::memcpy(to.at + to.count, from.at, from.count * sizeof(Range));
    to.count += from.count;
    return drop_row(first + 1);
  }
}

void RangeTable::remove_at(Position position) {
  Block& block = *rows_[position.row].block;
  --block.count;
  --count_;
  std::memmove(block.at + position.index, block.at + position.index + 1,
               (block.count - position.index) * sizeof(Range));
  if (block.count == 0) return drop_row(position.row);
  rows_[position.row].start = block.at[0].start;
  if (block.count < kPerBlock / 4) join(position.row);
}

bool RangeTable::insert(const Range& range) { return insert_at(position_after(range.start), range); }

RangeTable::Cut RangeTable::cut(std::uintptr_t& start, std::uintptr_t end, std::uint64_t order, Piece* pieces,
                                std::uint32_t room) {
  Cut result{0, true, false};
  while (start < end) {
    Position position = position_after(start);
    Range* range = range_at(position);
    if (range == nullptr || range->start >= end) break;
    if (position.index == rows_[position.row].block->count) position = {position.row + 1, 0};
    if (range->order > order) {
      start = range->end;
      continue;
    }
    if (result.pieces == room) {
      result.done = false;
      return result;
    }
    const std::uintptr_t low = range->start > start ? range->start : start;
    const std::uintptr_t high = range->end < end ? range->end : end;
    const bool keeps_head = range->start < low, keeps_tail = high < range->end;
    pieces[result.pieces++] = {range->node, !keeps_head && !keeps_tail, high - low};
    if (keeps_head) {
      const Range tail{high, range->end, range->order, range->node};
      range->end = low;
      if (keeps_tail && !insert_at({position.row, position.index + 1}, tail)) result.lost = true;
    } else if (keeps_tail) {
      range->start = high;
      if (position.index == 0) rows_[position.row].start = high;
    } else {
      remove_at(position);
    }
    start = high;
  }
  start = end;
  return result;
}

}  // namespace prof::heap
