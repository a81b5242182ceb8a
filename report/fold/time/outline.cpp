#include "report/fold/time/outline.hpp"

#include <algorithm>
#include <map>

namespace prof::fold {
namespace {

// A line of the outline stands for a set of nodes of the tree. Top-down its children are the children of all of them.
// Bottom-up each node comes with the value that it brings from its leaf, and the next line down is its caller.
struct Member {
  std::uint32_t node = 0;
  std::int64_t value = 0;
};

struct Group {
  std::uint32_t function = 0;
  std::int64_t total = 0, self = 0;
  std::vector<Member> members;
};

class Outliner {
 public:
  Outliner(const CallTree& tree, const OutlineOptions& options) : tree_(tree), options_(options) {}

  Outline run() {
    outline_.total = model::value_of(tree_.total(), options_.measure);
    const double floor = options_.min_fraction * static_cast<double>(outline_.total);
    std::vector<Pending> stack;
    push(stack, options_.bottom_up ? leaves() : below({{{0, 0}}}), 0, floor, outline_.pruned_roots,
         outline_.pruned_roots_total);
    while (!stack.empty()) {
      Pending next = std::move(stack.back());
      stack.pop_back();
      const Group& group = next.group;
      outline_.rows.push_back({next.depth, group.function, group.total, group.self, 0, 0});
      OutlineRow& row = outline_.rows.back();
      auto children = options_.bottom_up ? above(group) : below(group.members);
      if (next.depth + 1 >= options_.max_depth) {
        for (const Group& child : children) row.pruned_total += child.total;
        row.pruned += static_cast<std::uint32_t>(children.size());
      } else {
        push(stack, std::move(children), next.depth + 1, floor, row.pruned, row.pruned_total);
      }
    }
    return std::move(outline_);
  }

 private:
  struct Pending {
    Group group;
    std::uint32_t depth = 0;
  };
  using Groups = std::map<std::uint32_t, Group>;  // by function

  std::int64_t self_value(std::uint32_t node) const { return tree_.self_value(node, options_.measure); }
  std::int64_t total_value(std::uint32_t node) const { return tree_.total_value(node, options_.measure); }

  static void join(Groups& groups, std::uint32_t function, Member member, std::int64_t total, std::int64_t self) {
    Group& group = groups[function];
    group.function = function;
    group.total = model::saturated_sum(group.total, total);
    group.self = model::saturated_sum(group.self, self);
    group.members.push_back(member);
  }

  static std::vector<Group> list(Groups&& groups) {
    std::vector<Group> list;
    for (auto& [function, group] : groups) list.push_back(std::move(group));
    return list;
  }

  std::vector<Group> below(const std::vector<Member>& members) const {
    Groups groups;
    for (const Member& member : members) {
      for (const std::uint32_t child : tree_.children(member.node)) {
        if (total_value(child) != 0) {
          join(groups, tree_.function_id(child), {child, 0}, total_value(child), self_value(child));
        }
      }
    }
    return list(std::move(groups));
  }

  std::vector<Group> leaves() const {
    Groups groups;
    for (std::uint32_t node = 1; node < tree_.nodes().size(); ++node) {
      if (self_value(node) != 0) add_bottom_up(groups, node, self_value(node));
    }
    return list(std::move(groups));
  }

  std::vector<Group> above(const Group& group) const {
    Groups groups;
    for (const Member& member : group.members) {
      const std::uint32_t caller = tree_.nodes()[member.node].parent;
      if (caller != 0) add_bottom_up(groups, caller, member.value);
    }
    return list(std::move(groups));
  }

  void add_bottom_up(Groups& groups, std::uint32_t node, std::int64_t value) const {
    const bool outermost = tree_.nodes()[node].parent == 0;
    join(groups, tree_.function_id(node), {node, value}, value, outermost ? value : 0);
  }

  // The largest must come out of the stack first.
  static void push(std::vector<Pending>& stack, std::vector<Group> groups, std::uint32_t depth, double floor,
                   std::uint32_t& pruned, std::int64_t& pruned_total) {
    std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
      return a.total != b.total ? a.total < b.total : a.function > b.function;
    });
    for (Group& group : groups) {
      if (static_cast<double>(group.total) < floor) {
        ++pruned;
        pruned_total = model::saturated_sum(pruned_total, group.total);
      } else {
        stack.push_back({std::move(group), depth});
      }
    }
  }

  const CallTree& tree_;
  const OutlineOptions& options_;
  Outline outline_;
};

}  // namespace

Outline outline(const CallTree& tree, const OutlineOptions& options) { return Outliner(tree, options).run(); }

}  // namespace prof::fold
