#include "report/fold/waiting/waits.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "report/fold/interest.hpp"
#include "report/fold/line_tree.hpp"
#include "report/fold/selected_slots.hpp"
#include "report/model/wait_class.hpp"

namespace prof::fold {
namespace {

using Key = std::pair<std::string, log::WaitClass>;

std::optional<Key> key_of(const model::Process& process, std::uint32_t frame) {
  const auto what = model::wait_class_of(process, frame);
  if (!what) return std::nullopt;
  return Key{process.names[process.tree.frames[frame].name].name, *what};
}

// The bounds of a class; the classes below 4 ns are one, and the last one has no end.
std::pair<double, double> class_bounds(std::uint32_t c) {
  const auto floor = static_cast<double>(log::spread_floor(c));
  if (c + 1 == log::kSpreadClasses) return {floor, 2 * floor};
  return {floor, static_cast<double>(log::spread_floor(std::max(8U, c + 1)))};
}

}  // namespace

std::optional<double> deviation_ns(const model::Spread& spread, const model::Extremes& bounds) {
  double count = 0, sum = 0, squares = 0;
  for (std::uint32_t c = 0; c < log::kSpreadClasses; ++c) {
    const auto here = static_cast<double>(std::max<std::int64_t>(0, spread.count[c]));
    if (here == 0) continue;
    auto [begin, end] = class_bounds(c);
    if (bounds.min_ns) begin = std::max(begin, static_cast<double>(*bounds.min_ns));
    if (bounds.max_ns) end = std::min(end, static_cast<double>(*bounds.max_ns));
    const double width = std::max(0.0, end - begin), middle = begin + width / 2;
    count += here;
    sum += here * middle;
    squares += here * (middle * middle + width * width / 12);
  }
  if (count == 0) return std::nullopt;
  const double mean = sum / count;
  return std::sqrt(std::max(0.0, squares / count - mean * mean));
}

namespace {

std::vector<WaitRow> by_time(std::map<Key, WaitRow> rows) {
  std::vector<WaitRow> out;
  for (auto& [key, row] : rows) {
    if (row.total.calls != 0 || row.total.uncontended != 0) out.push_back(std::move(row));
  }
  std::stable_sort(out.begin(), out.end(), [](const WaitRow& a, const WaitRow& b) { return a.total.ns > b.total.ns; });
  return out;
}

WaitRow& row_at(std::map<Key, WaitRow>& rows, const Key& key) {
  return rows.try_emplace(key, WaitRow{key.first, key.second, {}, {}, {}}).first->second;
}

std::vector<WaitRow> of_stacks(const CallTree& tree) {
  std::map<Key, WaitRow> rows;
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    const model::WaitMetric& wait = tree.self().wait[node];
    const symbols::Function& function = tree.function(node);
    if (wait.empty() || function.language != symbols::Language::Wait) continue;
    model::WaitTotal total;
    total.calls = wait.calls();
    total.ns = wait.ns;
    total.cpu_ns = wait.cpu_ns;
    row_at(rows, {function.name, class_of(function)}).total += total;
  }
  return by_time(std::move(rows));
}

}  // namespace

std::vector<WaitRow> wait_calls(const model::Run& run, const CallTree& tree, const Selection& selection) {
  if (selection.focus || selection.ignore) return of_stacks(tree);
  std::map<Key, WaitRow> rows;
  std::map<Key, model::Spread> spreads;
  for (const model::Process& process : run.processes) {
    if (!selection.includes(process)) continue;
    const SelectedSlots slots(process, selection);
    for (const auto& row : process.tree.wait_totals) {
      const auto key = key_of(process, row.frame);
      if (!key || !slots.contains(row.slot)) continue;
      row_at(rows, *key).total += row.metric;
    }
    for (const auto& row : process.tree.spreads) {
      const auto key = key_of(process, row.frame);
      if (key && slots.contains(row.slot)) spreads[*key] += row.metric;
    }
  }
  for (auto& [key, row] : rows) {
    const auto spread = spreads.find(key);
    if (spread == spreads.end() || row.total.calls <= 0) continue;
    row.median_ns = model::median_ns(spread->second, row.total.each);
    row.deviation_ns = deviation_ns(spread->second, row.total.each);
  }
  return by_time(std::move(rows));
}

log::WaitClass class_of(const symbols::Function& function) {
  if (function.language != symbols::Language::Wait) return log::WaitClass::Gpu;
  for (std::uint32_t i = 0; i < log::kWaitClasses; ++i) {
    if (function.module == symbols::wait_module(log::kWaitClassNames[i])) return static_cast<log::WaitClass>(i);
  }
  return log::WaitClass::Other;
}

std::vector<WaitPlace> wait_places(const CallTree& tree) {
  std::map<std::pair<std::uint32_t, log::WaitClass>, model::WaitMetric> by_place;
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    const model::WaitMetric& wait = tree.self().wait[node];
    if (wait.empty()) continue;
    const std::vector<std::uint32_t> stack = stack_of(tree, node);
    const std::size_t frame = answering_frame(tree.own(), stack);
    const std::uint32_t location = frame == stack.size() ? kNobody : stack[frame];
    by_place[{location, class_of(tree.function(node))}] += wait;
  }
  std::vector<WaitPlace> rows;
  for (const auto& [place, wait] : by_place) rows.push_back({place.first, place.second, wait});
  std::stable_sort(rows.begin(), rows.end(),
                   [](const WaitPlace& a, const WaitPlace& b) { return a.wait.blocked_ns() > b.wait.blocked_ns(); });
  return rows;
}

}  // namespace prof::fold
