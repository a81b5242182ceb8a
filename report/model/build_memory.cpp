#include "report/model/build_memory.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "agent/contract/fields.hpp"

namespace prof::model {
namespace {

constexpr auto kUnit = static_cast<std::int64_t>(log::kCountUnit);

template <typename Words>
std::uint64_t key_of(const read::RawRecord<Words>& record) {
  return std::uint64_t{record.node} << 32 | record.region;
}

std::int64_t live_of(const log::HeapWords& words) {
  return saturated_difference(to_signed(words.bytes), to_signed(words.freed_bytes));
}

MemoryMetric metric_at(const log::HeapWords& words, std::uint64_t peak_epoch) {
  MemoryMetric metric = metric_of(words);
  // A record that was touched since the peak keeps its value of then. (A running process may have passed a new peak
  // after its header was copied; that record is then of the newer one.)
  const bool touched = words.epoch != 0 && words.epoch >= peak_epoch;
  metric.peak_bytes = touched ? static_cast<std::int64_t>(words.at_peak) : live_of(words);
  return metric;
}

// These three are read by hand: here, in sizes() and in add_growth().
static_assert(log::fields::kOf<log::HeapOnceWords>.size() == 2 && log::fields::kOf<log::BlockWords>.size() == 1 &&
                  log::fields::kOf<log::HeapSizesWords>.size() == 1 && log::fields::kOf<log::GrowthWords>.size() == 2,
              "a field of the contract that nobody reads");

OnceBlock block_at(const read::OnceRecord& record, std::uint64_t peak_epoch) {
  constexpr std::uint64_t kKnown = log::kOnceTemporary | log::kOnceShortLived | log::kOnceReallocated;
  constexpr std::uint64_t kBytes = ~std::uint64_t{0} << log::kOnceFlagBits;
  const std::uint64_t freed_epoch = record.words.epochs >> 32, epoch = record.words.epochs & UINT32_MAX;
  const bool at_peak = epoch < peak_epoch && (freed_epoch == 0 || freed_epoch >= peak_epoch);
  return OnceBlock((record.words.bytes_flags & (kBytes | kKnown)) | (record.freed ? OnceBlock::kFreed : 0) |
                   (at_peak ? OnceBlock::kAtPeak : 0));
}

// Rows with the same class become one, in the order of classes. Where the bytes are known and where they are not are
// two.
void merge_sizes(std::vector<SizeRow>& rows) {
  if (rows.size() < 2) return;
  const auto key = [](const SizeRow& row) { return std::pair(row.size_class, row.bytes.has_value()); };
  std::sort(rows.begin(), rows.end(), [&](const SizeRow& a, const SizeRow& b) { return key(a) < key(b); });
  std::size_t used = 0;
  for (const SizeRow& row : rows) {
    if (used != 0 && key(rows[used - 1]) == key(row)) {
      SizeRow& sum = rows[used - 1];
      sum.allocations = saturated_sum(sum.allocations, row.allocations);
      if (row.bytes) sum.bytes = saturated_sum(*sum.bytes, *row.bytes);
    } else {
      rows[used++] = row;
    }
  }
  rows.resize(used);
}

class MemoryBuilder {
 public:
  MemoryBuilder(const read::RawMemory& raw, const log::PeakClock& clock, log::HeapMode mode,
                const std::function<std::uint32_t(std::uint32_t)>& node_of, Damage& damage)
      : raw_(raw), clock_(clock), mode_(mode), node_of_(node_of), damage_(damage) {}

  Memory run() {
    for (const auto& record : raw_.sizes) sizes_of_.try_emplace(key_of(record), &record.words);
    sort_records();
    for (auto at = order_.cbegin(); at != order_.cend();) at = add_row(at);
    growth();
    out_.rows.shrink_to_fit();
    out_.sizes.shrink_to_fit();
    return std::move(out_);
  }

 private:
  // A record, by its place in raw_.words or, behind those, in raw_.once.
  struct Entry {
    std::uint32_t node = 0, slot = 0, record = 0;
    auto operator<=>(const Entry&) const = default;
  };
  using Order = std::vector<Entry>;

  // The records are large, and most of them come in order: what is sorted are their places.
  void sort_records() {
    order_.reserve(raw_.words.size() + raw_.once.size());
    const auto add = [this](const auto& record) {
      order_.push_back({node_of_(record.node), record.slot, static_cast<std::uint32_t>(order_.size())});
    };
    std::for_each(raw_.words.begin(), raw_.words.end(), add);
    std::for_each(raw_.once.begin(), raw_.once.end(), add);
    if (!std::is_sorted(order_.begin(), order_.end())) std::sort(order_.begin(), order_.end());
  }

  // The row of all records from `at` on that have its node and slot. Returns what is behind them.
  Order::const_iterator add_row(Order::const_iterator at) {
    const auto same = [at](const Entry& other) { return other.node == at->node && other.slot == at->slot; };
    if (at->record >= raw_.words.size() && (at + 1 == order_.cend() || !same(at[1]))) {
      out_.rows.add(MemoryRows::Once{at->node, at->slot, block_at(once(*at).words, clock_.epoch)});
      return at + 1;
    }
    Row<MemoryMetric> row{at->node, at->slot, metric_of_entry(*at)};
    auto next = at + 1;
    for (; next != order_.cend() && same(*next); ++next) row.metric += metric_of_entry(*next);
    out_.rows.add(row);
    merge_sizes(sizes_here_);
    out_.sizes.insert(out_.sizes.end(), sizes_here_.begin(), sizes_here_.end());
    sizes_here_.clear();
    return next;
  }

  // Notes its sizes, too.
  MemoryMetric metric_of_entry(const Entry& entry) {
    if (entry.record < raw_.words.size()) {
      const auto& record = raw_.words[entry.record];
      sizes(record, entry.node);
      return metric_at(record.words, clock_.epoch);
    }
    const auto& record = once(entry);
    const OnceBlock block = block_at(record.words, clock_.epoch);
    size(entry.node, record.slot, log::size_class(static_cast<std::uint64_t>(block.bytes())), 1, block.bytes());
    return block.metric();
  }

  const read::RawRecord<read::OnceRecord>& once(const Entry& entry) const {
    return raw_.once[entry.record - raw_.words.size()];
  }

  // In sampled mode the size of the samples says nothing about that of the blocks they stand for.
  void size(std::uint32_t node, std::uint32_t slot, std::uint32_t size_class, std::int64_t count,
            std::optional<std::int64_t> bytes) {
    if (mode_ != log::HeapMode::Exact || count == 0) return;
    sizes_here_.push_back({node, slot, size_class, count, bytes});
  }

  void sizes(const read::RawRecord<log::HeapWords>& record, std::uint32_t node) {
    const auto several = sizes_of_.find(key_of(record));
    if (several == sizes_of_.end()) {
      size(node, record.slot, log::size_class(record.words.largest), to_signed(record.words.count) / kUnit,
           to_signed(record.words.bytes));
      return;
    }
    for (std::uint32_t i = 0; i < log::kSizeClasses; ++i) {
      size(node, record.slot, i, to_signed(several->second->count[i]), std::nullopt);
    }
  }

  void growth() {
    const std::uint64_t shift = clock_.checkpoint >> 32, passed = clock_.checkpoint & UINT32_MAX;
    if (raw_.growth.empty() || shift >= 32) return;
    Growth& growth = out_.growth;
    growth.interval_ns = log::kCheckpointNs << shift;
    growth.moments = static_cast<std::uint32_t>(std::min<std::uint64_t>(passed >> shift, log::kCheckpoints));
    if (growth.moments == 0) return;
    std::unordered_map<std::uint64_t, std::int64_t> live;
    for (const auto& record : raw_.words) live.try_emplace(key_of(record), live_of(record.words));
    std::unordered_map<std::uint32_t, std::size_t> row_of;
    for (const auto& record : raw_.growth) {
      const auto now = live.find(key_of(record));
      if (now == live.end()) {
        ++damage_.bad_references;
        continue;
      }
      const std::uint32_t node = node_of_(record.node);
      const auto [found, is_new] = row_of.try_emplace(node, growth.rows.size());
      if (is_new) growth.rows.push_back({node, {}});
      add_growth(record.words, now->second, shift, growth.rows[found->second].live);
    }
    std::sort(growth.rows.begin(), growth.rows.end(),
              [](const Growth::Row& a, const Growth::Row& b) { return a.node < b.node; });
  }

  // The record may still count in the shorter intervals of an earlier time.
  void add_growth(const log::GrowthWords& words, std::int64_t now, std::uint64_t shift, Growth::Values& to) const {
    const std::uint64_t own_shift = std::min<std::uint64_t>(words.state >> 32, 63);
    const std::uint64_t filled = std::min<std::uint64_t>(words.state & UINT32_MAX, log::kCheckpoints);
    for (std::uint64_t i = 0; i < out_.growth.moments; ++i) {
      const std::uint64_t own = (i + 1) << shift >> own_shift;  // counts from 1
      if (own == 0) continue;
      to[i] = saturated_sum(to[i], own <= filled ? words.live[own - 1] : now);
    }
  }

  const read::RawMemory& raw_;
  const log::PeakClock& clock_;
  log::HeapMode mode_;
  const std::function<std::uint32_t(std::uint32_t)>& node_of_;
  Damage& damage_;
  Memory out_;
  Order order_;
  std::vector<SizeRow> sizes_here_;  // of the row in hand
  std::unordered_map<std::uint64_t, const log::HeapSizesWords*> sizes_of_;
};

}  // namespace

Memory build_memory(const read::RawMemory& raw, const log::PeakClock& clock, log::HeapMode mode,
                    const std::function<std::uint32_t(std::uint32_t)>& node_of, Damage& damage) {
  return MemoryBuilder(raw, clock, mode, node_of, damage).run();
}

}  // namespace prof::model
