// Figures of the nodes of a tree, one column for each kind of them: most nodes have one or two kinds of eight, and most
// of those who ask want one.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "report/model/metrics.hpp"

namespace prof::fold {

inline constexpr std::uint32_t kDropped = UINT32_MAX;

// Where a node has no figures, they are all 0.
template <typename Value>
class Column {
 public:
  const Value& operator[](std::uint32_t node) const {
    const std::uint32_t at = index(node);
    return at == 0 ? kNothing : values_[at - 1];
  }
  bool has(std::uint32_t node) const { return index(node) != 0; }
  bool any() const { return !values_.empty(); }

  // The figures of a node, to add to. Valid until the next call.
  Value& make(std::uint32_t node) {
    if (node >= index_.size()) index_.resize(std::size_t{node} + 1);
    if (index_[node] == 0) {
      values_.emplace_back();
      index_[node] = static_cast<std::uint32_t>(values_.size());
    }
    return values_[index_[node] - 1];
  }

  // Node i becomes ids[i], or is left out with its figures: kDropped. The order stays.
  void renumber(std::span<const std::uint32_t> ids) {
    std::vector<std::uint32_t> index;
    std::vector<Value> values;
    for (std::uint32_t node = 0; node < index_.size(); ++node) {
      if (index_[node] == 0 || ids[node] == kDropped) continue;
      index.resize(std::size_t{ids[node]} + 1);
      values.push_back(std::move(values_[index_[node] - 1]));
      index[ids[node]] = static_cast<std::uint32_t>(values.size());
    }
    index_ = std::move(index);
    values_ = std::move(values);
  }

 private:
  std::uint32_t index(std::uint32_t node) const { return node < index_.size() ? index_[node] : 0; }

  static const Value kNothing;
  std::vector<std::uint32_t> index_;  // by node: 0, or 1 + where its figures are in values_
  std::vector<Value> values_;
};

template <typename Value>
inline const Value Column<Value>::kNothing{};

// The same as model::Metrics, which is what one row of a table has.
struct Columns {
  Column<model::CpuMetric> cpu;
  Column<model::MemoryMetric> heap, maps, python;
  Column<model::CopyMetric> copies;
  Column<std::int64_t> growth;  // model::Metrics::growth_bytes
  Column<model::WaitMetric> wait;
  Column<model::GpuMetrics> gpu;

  bool empty(std::uint32_t node) const;  // whether all its figures are 0
  void add_to(model::Metrics& sum, std::uint32_t node) const;
  model::Metrics of(std::uint32_t node) const;

  // Calls each(column, member) for all of them: `member` is &Columns::cpu and so on.
  template <typename Each>
  void for_each(Each each) {
    std::apply([&](auto... member) { (each(this->*member, member), ...); }, kAll);
  }
  template <typename Each>
  void for_each(Each each) const {
    std::apply([&](auto... member) { (each(this->*member, member), ...); }, kAll);
  }

 private:
  static constexpr std::tuple kAll{&Columns::cpu,    &Columns::heap,   &Columns::maps, &Columns::python,
                                   &Columns::copies, &Columns::growth, &Columns::wait, &Columns::gpu};
};

inline void accumulate(std::int64_t& sum, std::int64_t value) { sum = model::saturated_sum(sum, value); }
template <typename Metric>
void accumulate(Metric& sum, const Metric& value) {
  sum += value;
}

}  // namespace prof::fold
