#include "report/fold/waiting/locks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "report/fold/line_tree.hpp"
#include "report/fold/raw_stack.hpp"
#include "report/fold/selected_slots.hpp"
#include "report/model/wait_class.hpp"

namespace prof::fold {
namespace {

class LockFinder {
 public:
  LockFinder(const model::Run& run, const symbols::Symbols& symbols, const Selection& selection)
      : run_(run), symbols_(symbols), own_(run, symbols, selection) {}

  void add(std::size_t index, const Selection& selection) {
    const model::Process& process = run_.processes[index];
    const SelectedSlots slots(process, selection);
    std::map<std::pair<std::uint32_t, log::LockKind>, model::LockMetric> by_frame;
    for (const auto& row : process.tree.locks) {
      if (!slots.contains(row.slot)) continue;
      const auto [at, is_new] = by_frame.try_emplace({row.frame, row.metric.kind}, row.metric);
      if (!is_new) at->second += row.metric;
    }
    for (const auto& [key, use] : by_frame) add_lock(index, process.tree.frames[key.first], key.first, use);
  }

  std::vector<LockRow> rows() {
    std::vector<LockRow> out;
    for (auto& [key, row] : rows_) out.push_back(std::move(row));
    std::stable_sort(out.begin(), out.end(), [](const LockRow& a, const LockRow& b) { return a.use.ns > b.use.ns; });
    return out;
  }

 private:
  void add_lock(std::size_t index, const model::Frame& frame, std::uint32_t id, const model::LockMetric& use) {
    LockRow row;
    row.kind = use.kind;
    row.use = use;
    row.process = index;
    row.processes = row.locks = 1;
    row.name = symbols_.data_name(index, id);
    row.variable = frame.kind == model::Frame::Kind::Native;
    if (use.stack_of != 0 && !row.variable) row.name = fmt::format("0x{:x} (stack)", frame.address);
    row.created = place(index, use.created);
    row.waiter = place(index, use.longest_waiter);
    row.holder = place(index, use.holder_node);
    // Programs make locks by the thousand: those of one place are alike.
    const bool made = !row.variable && row.created != kNobody;
    const Key key{row.kind, made ? std::string() : row.name, made ? row.created : kNobody, row.variable ? 0 : index};
    const auto [at, is_new] = rows_.try_emplace(key, row);
    if (is_new) return;
    LockRow& to = at->second;
    const bool longer = row.use.max_ns > to.use.max_ns;
    to.use += row.use;
    ++(row.variable ? to.processes : to.locks);
    if (to.created == kNobody) to.created = row.created;
    if (!longer) return;
    to.name = row.name;
    to.process = row.process;
    to.waiter = row.waiter;
    to.holder = row.holder;
  }

  std::uint32_t place(std::size_t index, const std::optional<std::uint32_t>& node) const {
    return node ? caller_of(own_, raw_stack(run_, symbols_, index, *node)) : kNobody;
  }

  using Key = std::tuple<log::LockKind, std::string, std::uint32_t, std::size_t>;
  const model::Run& run_;
  const symbols::Symbols& symbols_;
  OwnCode own_;
  std::map<Key, LockRow> rows_;
};

}  // namespace

const char* to_string(log::LockKind kind) {
  switch (kind) {
    case log::LockKind::Mutex:
      return "mutex";
    case log::LockKind::ReadWrite:
      return "rwlock";
    case log::LockKind::Spin:
      return "spin lock";
    case log::LockKind::Condition:
      return "condition";
    case log::LockKind::Semaphore:
      return "semaphore";
    case log::LockKind::Barrier:
      return "barrier";
  }
  return "lock";  // of a newer agent
}

std::vector<LockRow> locks(const model::Run& run, const symbols::Symbols& symbols, const Selection& selection) {
  LockFinder finder(run, symbols, selection);
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    if (selection.includes(run.processes[i])) finder.add(i, selection);
  }
  return finder.rows();
}

std::vector<LockPlace> lock_places(const model::Run& run, const symbols::Symbols& symbols, const Selection& selection) {
  const OwnCode own(run, symbols, selection);
  std::map<std::uint32_t, model::WaitMetric> by_location;
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    const model::Process& process = run.processes[i];
    if (!selection.includes(process)) continue;
    const SelectedSlots slots(process, selection);
    for (const auto& row : process.tree.waits) {
      const std::uint32_t frame = process.tree.nodes[row.node].frame;
      if (!slots.contains(row.slot) || model::wait_class_of(process, frame) != log::WaitClass::Lock) continue;
      by_location[caller_of(own, raw_stack(run, symbols, i, row.node))] += row.metric;
    }
  }
  std::vector<LockPlace> out;
  for (const auto& [location, waits] : by_location) out.push_back({location, waits});
  std::stable_sort(out.begin(), out.end(),
                   [](const LockPlace& a, const LockPlace& b) { return a.waits.ns > b.waits.ns; });
  return out;
}

std::int64_t uncontended(const model::Run& run, const Selection& selection) {
  std::int64_t out = 0;
  for (const model::Process& process : run.processes) {
    if (!selection.includes(process)) continue;
    const SelectedSlots slots(process, selection);
    for (const auto& row : process.tree.wait_totals) {
      if (slots.contains(row.slot)) out = model::saturated_sum(out, row.metric.uncontended);
    }
  }
  return out;
}

}  // namespace prof::fold
