// Figures of the nodes of a tree, one column for each kind of them: most nodes have one or two kinds of eight, and most
// of those who ask want one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "report/model/metrics.hpp"

namespace prof::fold {

inline constexpr std::uint32_t kDropped = UINT32_MAX;

inline void accumulate(std::int64_t& sum, std::int64_t value) { sum = model::saturated_sum(sum, value); }
template <typename Metric>
void accumulate(Metric& sum, const Metric& value) {
  sum += value;
}

// Which kinds of figures somebody wants: those of memory take longest where each allocation was recorded.
enum class Figures {
  All,
  Times,  // of CPU time, of waiting, and of GPUs
};
template <Figures figures, typename Value>
inline constexpr bool kWanted = figures == Figures::All || std::is_same_v<Value, model::CpuMetric> ||
                                std::is_same_v<Value, model::WaitMetric> || std::is_same_v<Value, model::GpuMetrics>;

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
  bool empty(std::uint32_t node) const { return !has(node) || values_[index(node) - 1] == kNothing; }
  // Adds what a node has, if it has any.
  void add_to(Value& sum, std::uint32_t node) const {
    if (const std::uint32_t at = index(node); at != 0) accumulate(sum, values_[at - 1]);
  }

  // The figures of a node, to add to. Valid until the next call.
  Value& make(std::uint32_t node) {
    if (node >= index_.size()) index_.resize(std::size_t{node} + 1);
    if (index_[node] == 0) {
      values_.emplace_back();
      index_[node] = static_cast<std::uint32_t>(values_.size());
    }
    return values_[index_[node] - 1];
  }

  // Of each of `nodes` nodes its figures and those of all below it; parent(node) is less than the node. A node that has
  // none itself, and one child that has any at or below it, has the very figures of that child: most nodes of deep
  // paths do, and to write millions of them again would take longer than the sums.
  template <typename Parent>
  Column added_up(std::uint32_t nodes, Parent parent) const {
    Column out;
    out.values_.reserve(2 * values_.size());  // no more: each two of them meet in one node at most
    out.values_ = values_;
    out.index_ = index_;
    out.index_.resize(nodes);
    std::vector<bool> own(nodes);
    for (std::uint32_t node = 0; node < nodes; ++node) own[node] = out.index_[node] != 0;
    for (std::uint32_t node = nodes; node-- > 1;) {
      const std::uint32_t from = out.index_[node], above = parent(node);
      if (from == 0) continue;
      std::uint32_t& at = out.index_[above];
      if (at == 0) {
        at = from;
        continue;
      }
      if (!own[above]) {
        out.values_.push_back(out.values_[at - 1]);
        at = static_cast<std::uint32_t>(out.values_.size());
        own[above] = true;
      }
      accumulate(out.values_[at - 1], out.values_[from - 1]);
    }
    return out;
  }

  // Room for the figures of that many nodes, which takes memory only as they come.
  void reserve(std::size_t nodes) { values_.reserve(nodes); }

  // Node i becomes ids[i], or is left out with its figures: kDropped. The order stays. In place: the figures of
  // millions of nodes are the most that a tree has, and nodes that are left out without a selection have none.
  void renumber(std::span<const std::uint32_t> ids) {
    std::vector<bool> stay(values_.size());
    std::size_t used = 0;  // of index_; ids grow with the nodes, and are never above them
    for (std::uint32_t node = 0; node < index_.size(); ++node) {
      const std::uint32_t at = std::exchange(index_[node], 0);
      if (at == 0 || ids[node] == kDropped) continue;
      stay[at - 1] = true;
      index_[ids[node]] = at;
      used = std::size_t{ids[node]} + 1;
    }
    index_.resize(used);
    if (std::find(stay.begin(), stay.end(), false) != stay.end()) compact(stay);
  }

 private:
  // Takes the figures out that do not stay.
  void compact(const std::vector<bool>& stay) {
    std::vector<std::uint32_t> moved(values_.size());
    std::uint32_t kept = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (!stay[i]) continue;
      if (kept != i) values_[kept] = std::move(values_[i]);
      moved[i] = ++kept;
    }
    values_.resize(kept);
    for (std::uint32_t& at : index_) {
      if (at != 0) at = moved[at - 1];
    }
  }

  std::uint32_t index(std::uint32_t node) const { return node < index_.size() ? index_[node] : 0; }

  static const Value kNothing;
  std::vector<std::uint32_t> index_;  // by node: 0, or 1 + where its figures are in values_
  std::vector<Value> values_;
};

template <typename Value>
inline const Value Column<Value>::kNothing{};

// The same as model::Metrics, which is what one row of a table has: of each kind an Of<that kind>.
template <template <typename> typename Of>
struct Kinds {
  Of<model::CpuMetric> cpu;
  Of<model::MemoryMetric> heap, maps, python;
  Of<model::CopyMetric> copies;
  Of<std::int64_t> growth;  // model::Metrics::growth_bytes
  Of<model::WaitMetric> wait;
  Of<model::HoldMetric> holds;
  Of<model::GpuMetrics> gpu;

  bool empty(std::uint32_t node) const {  // whether all its figures are 0
    bool nothing = true;
    for_each([&](const auto& kind, auto) { nothing = nothing && kind.empty(node); });
    return nothing;
  }
  model::Metrics of(std::uint32_t node) const {
    model::Metrics out;
    add_to(out, node);
    return out;
  }
  void add_to(model::Metrics& sum, std::uint32_t node) const {
    add_times_to(sum, node);
    heap.add_to(sum.heap, node);
    maps.add_to(sum.maps, node);
    python.add_to(sum.python, node);
    copies.add_to(sum.copies, node);
    growth.add_to(sum.growth_bytes, node);
    holds.add_to(sum.holds, node);
  }
  bool has_times(std::uint32_t node) const { return cpu.has(node) || wait.has(node) || gpu.has(node); }
  void add_times_to(model::Metrics& sum, std::uint32_t node) const {  // Figures::Times
    cpu.add_to(sum.cpu, node);
    wait.add_to(sum.wait, node);
    if (gpu.has(node)) gpu.add_to(sum.gpu.make(), node);
  }

  // Calls each(kind, member) for all of them: `member` is &Kinds::cpu and so on.
  template <typename Each>
  void for_each(Each each) {
    std::apply([&](auto... member) { (each(this->*member, member), ...); }, all());
  }
  template <typename Each>
  void for_each(Each each) const {
    std::apply([&](auto... member) { (each(this->*member, member), ...); }, all());
  }

  // Calls each(kind, the same kind of `other`) for all of them.
  template <template <typename> typename Other, typename Each>
  void for_each_with(const Kinds<Other>& other, Each each) {
    const auto pair = [&]<std::size_t... I>(std::index_sequence<I...>) {
      (each(this->*std::get<I>(all()), other.*std::get<I>(Kinds<Other>::all())), ...);
    };
    pair(std::make_index_sequence<std::tuple_size_v<decltype(all())>>());
  }

  static constexpr auto all() {
    return std::tuple{&Kinds::cpu,    &Kinds::heap, &Kinds::maps,  &Kinds::python, &Kinds::copies,
                      &Kinds::growth, &Kinds::wait, &Kinds::holds, &Kinds::gpu};
  }
};

using Columns = Kinds<Column>;

}  // namespace prof::fold
