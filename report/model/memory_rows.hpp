// What the contexts of one kind of memory hold. In exact mode most contexts of a large program allocated one block and
// no other: such a block takes a sixth of the room that a row with all its figures does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "agent/contract/format_heap.hpp"
#include "report/model/metrics_base.hpp"

namespace prof::model {

inline constexpr std::uint32_t kNoSlot = UINT32_MAX;

// What one thread slot recorded on one node. `slot` is kNoSlot for what belongs to no slot.
// Frees are booked by the freeing thread on the allocating context, so live and peak bytes of one thread mean nothing:
// what it allocated, copied and freed at once can be told by thread.
template <typename Metric>
struct Row {
  std::uint32_t node = 0;
  std::uint32_t slot = kNoSlot;
  Metric metric;
};

// The only block of its context: its bytes and log::OnceFlags as in log::HeapOnceWords::bytes_flags, and two more.
class OnceBlock {
 public:
  static constexpr std::uint64_t kFreed = 1U << 3;
  static constexpr std::uint64_t kAtPeak = 1U << 4;  // live then
  static_assert((1U << log::kOnceFlagBits) > kAtPeak && log::kOnceReallocated < kFreed);

  explicit OnceBlock(std::uint64_t bytes_flags) : word_(bytes_flags) {}

  std::int64_t bytes() const { return static_cast<std::int64_t>(word_ >> log::kOnceFlagBits); }
  MemoryMetric metric() const;

 private:
  std::uint64_t word_;
};

// One row for each node and slot, ordered by them.
class MemoryRows {
 public:
  struct Once {
    std::uint32_t node, slot;
    OnceBlock block;
  };

  // Behind all rows that there are.
  void add(const Row<MemoryMetric>& row) { rows_.push_back(row); }
  void add(const Once& once) { once_.push_back(once); }
  void shrink_to_fit();

  std::size_t size() const { return rows_.size() + once_.size(); }
  bool empty() const { return size() == 0; }
  // Those of the rows that are one block alone.
  const std::vector<Once>& once() const { return once_; }

  // Of all rows, in order.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Row<MemoryMetric>;
    using difference_type = std::ptrdiff_t;
    using pointer = const value_type*;
    using reference = value_type;

    Iterator(const MemoryRows& all, std::size_t row, std::size_t once) : all_(&all), row_(row), once_(once) {}

    value_type operator*() const {
      if (!at_once()) return all_->rows_[row_];
      const Once& once = all_->once_[once_];
      return {once.node, once.slot, once.block.metric()};
    }
    Iterator& operator++() {
      ++(at_once() ? once_ : row_);
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator& other) const { return row_ == other.row_ && once_ == other.once_; }

   private:
    bool at_once() const {
      if (once_ == all_->once_.size()) return false;
      if (row_ == all_->rows_.size()) return true;
      const auto& row = all_->rows_[row_];
      const Once& once = all_->once_[once_];
      return once.node != row.node ? once.node < row.node : once.slot < row.slot;
    }

    const MemoryRows* all_;
    std::size_t row_, once_;
  };
  Iterator begin() const { return {*this, 0, 0}; }
  Iterator end() const { return {*this, rows_.size(), once_.size()}; }

 private:
  std::vector<Row<MemoryMetric>> rows_;
  std::vector<Once> once_;
};

}  // namespace prof::model
