#include "report/fold/gpu/flops.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

#include "report/fold/interest.hpp"
#include "report/fold/line_tree.hpp"

namespace prof::fold {
namespace {

constexpr std::size_t kPrecisions = static_cast<std::size_t>(Precision::Fp8) + 1;

class Finder {
 public:
  Finder(const model::Run& run, const CallTree& tree) : run_(run), tree_(tree), symbols_(tree.symbols()) {}

  std::vector<FlopRow> find(const Selection& selection) {
    for (std::uint32_t node = 1; node < tree_.nodes().size(); ++node) {
      if (tree_.self().gpu[node].api.flops > 0) add_calls(node);
    }
    for (std::size_t i = 0; i < run_.processes.size(); ++i) {
      if (selection.includes(run_.processes[i]) && !selection.by_thread()) add_work(run_.processes[i], i);
    }
    std::vector<FlopRow> out;
    for (Entry& entry : entries_) out.push_back(rated(entry));
    std::stable_sort(out.begin(), out.end(),
                     [](const FlopRow& a, const FlopRow& b) { return a.calls.flops > b.calls.flops; });
    return out;
  }

 private:
  struct Entry {
    FlopRow row;
    std::array<std::int64_t, kPrecisions> ns{};           // by what the kernels' names say
    std::map<const model::Device*, std::int64_t> device;  // ns on it; null: not described
  };

  void add_calls(std::uint32_t node) {
    const std::vector<std::uint32_t> stack = stack_of(tree_, node);
    const std::size_t frame = answering_frame(tree_.own(), stack);
    const std::pair key(tree_.function_id(node), frame == stack.size() ? kNobody : stack[frame]);
    const auto [found, is_new] = by_key_.try_emplace(key, entries_.size());
    if (is_new) {
      FlopRow& row = entries_.emplace_back().row;
      row.function = key.first;
      row.location = key.second;
    }
    entries_[found->second].row.calls += tree_.self().gpu[node].api;
    by_node_.emplace(node, found->second);
  }

  void add_work(const model::Process& process, std::size_t index) {
    for (const auto& row : process.tree.device) {
      const model::Frame& frame = process.tree.frames[process.tree.nodes[row.node].frame];
      std::uint32_t node = tree_.node_of(index, row.node);
      if (node == CallTree::kNoNode || frame.kind != model::Frame::Kind::Named) continue;
      const symbols::Function& kernel = tree_.function(node);
      while (node != 0 && !by_node_.contains(node)) node = tree_.nodes()[node].parent;
      if (node == 0) continue;
      Entry& entry = entries_[by_node_.at(node)];
      entry.row.work += row.metric;
      if (const auto precision = precision_of_kernel(kernel.name)) {
        std::int64_t& ns = entry.ns[static_cast<std::size_t>(*precision)];
        ns = model::saturated_sum(ns, row.metric.ns);
      }
      const auto device = std::find_if(process.devices.begin(), process.devices.end(),
                                       [&](const model::Device& known) { return known.index == frame.number; });
      std::int64_t& ns = entry.device[device == process.devices.end() ? nullptr : &*device];
      ns = model::saturated_sum(ns, row.metric.ns);
    }
  }

  FlopRow rated(Entry& entry) const {
    FlopRow row = std::move(entry.row);
    const auto most = std::max_element(entry.ns.begin(), entry.ns.end());
    row.precision = *most > 0 ? std::optional(static_cast<Precision>(most - entry.ns.begin()))
                              : precision_of_call(symbols_.function(row.function).name);
    if (row.work.ns <= 0) return row;
    const double seconds = static_cast<double>(row.work.ns) / 1e9;
    row.flops_per_s = static_cast<double>(row.calls.flops) / seconds;
    double possible = 0;
    for (const auto& [device, ns] : entry.device) {
      const auto peak = device != nullptr && row.precision ? peak_flops(*device, *row.precision) : std::nullopt;
      if (!peak && ns > 0) return row;
      possible += peak.value_or(0) * static_cast<double>(ns) / 1e9;
    }
    if (possible > 0) row.peak_share = static_cast<double>(row.calls.flops) / possible;
    return row;
  }

  const model::Run& run_;
  const CallTree& tree_;
  const symbols::Symbols& symbols_;
  std::vector<Entry> entries_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> by_key_;  // function, location
  std::unordered_map<std::uint32_t, std::size_t> by_node_;
};

}  // namespace

std::vector<FlopRow> flops(const model::Run& run, const CallTree& tree, const Selection& selection) {
  return Finder(run, tree).find(selection);
}

}  // namespace prof::fold
