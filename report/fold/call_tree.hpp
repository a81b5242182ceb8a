// The contexts of many processes, by name: one tree, from which every view is folded.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "report/fold/columns.hpp"
#include "report/fold/known_figures.hpp"
#include "report/fold/own_code.hpp"
#include "report/fold/selection.hpp"
#include "report/model/metrics.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::fold {

enum class Granularity {
  Function,  // a node is a function under its caller: for functions, callers and trees
  Line,      // two calls from different lines are two nodes: for heap sites
};

struct CallNode {
  std::uint32_t parent = 0;
  std::uint32_t location = 0;  // with Granularity::Function that of any line of the function
};

struct Doing;

// Keeps references to the run and the symbols that it was made with. Not for several threads at once, unless
// make_totals(), make_order() and doing() were called before.
class CallTree {
 public:
  // nodes()[0] is the root. Parents stand before their children.
  const std::vector<CallNode>& nodes() const { return nodes_; }

  // Figures of stacks that end at a node: tree.self().cpu[node].
  const Columns& self() const { return self_; }
  // The same of all stacks that go through it: tree.totals(&Columns::cpu)[node]. A column is made when it is first
  // asked for.
  template <typename Value>
  const Column<Value>& totals(Column<Value> Columns::*kind) const {
    if (!(totals_.*kind).any() && (self_.*kind).any()) {
      totals_.*kind = (self_.*kind).added_up(static_cast<std::uint32_t>(nodes_.size()), [this](std::uint32_t node) {
        return nodes_[node].parent;
      });
    }
    return totals_.*kind;
  }
  // Makes all of them: then totals() may be called on several threads at once.
  void make_totals() const {
    self_.for_each([&](const auto&, auto kind) { totals(kind); });
    all_totals_ = true;
  }
  // All of them, where they were made; else null.
  const Columns* totals_if_made() const { return all_totals_ ? &totals_ : nullptr; }
  // The nodes but the root in the order in which a walk comes to them, and how deep they are: 1 below the root.
  struct Visit {
    std::uint32_t node, depth;
  };
  // Makes it for those who walk several times: one after the other, nodes are found in memory sooner than by children.
  void make_order() const;
  const std::vector<Visit>* order_if_made() const { return order_.empty() ? nullptr : &order_; }
  // Of all that was selected.
  const model::Metrics& total() const { return total_; }

  std::int64_t self_value(std::uint32_t node, model::Measure measure) const;
  std::int64_t total_value(std::uint32_t node, model::Measure measure) const;

  std::uint32_t function_id(std::uint32_t node) const { return symbols_->location(nodes_[node].location).function; }
  const symbols::Function& function(std::uint32_t node) const { return symbols_->function(function_id(node)); }
  std::span<const std::uint32_t> children(std::uint32_t node) const;  // in the order of their making
  const symbols::Symbols& symbols() const { return *symbols_; }
  const OwnCode& own() const { return own_; }

  // False when threads were selected: then live, freed and peak bytes mean nothing (all 0).
  bool live_known() const { return known_.live; }

  // True when all selected processes that recorded memory did so exactly: only then `temporary` and the other figures
  // that MemoryMetric has of exact mode alone are known.
  bool exact() const { return known_.exact && !known_.sampled; }

  // Whether any selected process counted Python's own allocators, and copies.
  bool python_known() const { return known_.python; }
  bool copies_known() const { return known_.copies; }

  // Whether any selected process recorded blocking calls.
  bool waits_known() const { return known_.waits; }

  // Whether any selected process used CUDA, as far as was seen; and whether what its devices did is known. That cannot
  // be told by thread.
  bool cuda_known() const { return known_.cuda; }
  bool device_known() const { return known_.device && known_.live; }

  // The node that the figures of a process's node (an index into its model::Tree) went to; kNoNode when they are not in
  // the tree, or when it has none.
  static constexpr std::uint32_t kNoNode = kDropped;
  std::uint32_t node_of(std::size_t process, std::uint32_t context) const {
    return process < places_.size() && context < places_[process].size() ? places_[process][context] : kNoNode;
  }

 private:
  CallTree(OwnCode own, KnownFigures known) : symbols_(&own.symbols()), own_(std::move(own)), known_(known) {}
  friend class CallTreeBuilder;
  friend CallTree part_of(const CallTree& whole, const model::Run& run, const Selection& selection);
  friend const Doing& doing(const CallTree& tree);

  void add_up() {
    for (std::uint32_t node = 0; node < nodes_.size(); ++node) self_.add_to(total_, node);
  }

  const symbols::Symbols* symbols_;
  OwnCode own_;
  std::vector<CallNode> nodes_{1};
  Columns self_;
  mutable Columns totals_;                      // see totals()
  mutable bool all_totals_ = false;             // see make_totals()
  mutable std::vector<Visit> order_;            // see make_order()
  mutable std::shared_ptr<const Doing> doing_;  // see own/doing.hpp
  model::Metrics total_;
  std::vector<std::uint32_t> child_list_,
      child_begin_;  // children of node n: child_list_[child_begin_[n], child_begin_[n+1])
  std::vector<std::vector<std::uint32_t>> places_;  // see node_of()
  KnownFigures known_;
};

CallTree build_call_tree(const model::Run& run, const symbols::Symbols& symbols, const Selection& selection = {},
                         Granularity granularity = Granularity::Function);

// The nodes of `whole` with the figures of a part of what that was made of: `selection` takes a part of its processes
// or threads, and is the same otherwise. Takes the time of going through the part's records; node_of() knows none of
// them.
CallTree part_of(const CallTree& whole, const model::Run& run, const Selection& selection);

// Calls `each` for every stack with a value other than 0: function ids, outermost caller first.
void for_each_stack(const CallTree& tree, model::Measure measure,
                    const std::function<void(std::span<const std::uint32_t> functions, std::int64_t value)>& each);

}  // namespace prof::fold
