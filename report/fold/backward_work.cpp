#include "report/fold/backward_work.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "report/model/text.hpp"
#include "report/model/wait_class.hpp"

namespace prof::fold {
namespace {

using model::Frame;

// As the kernel shows their names, and forks of them.
constexpr std::string_view kThreadName = "pt_autograd_";
// Functions in which they begin: methods of torch::autograd::Engine and of its kin for Python.
constexpr std::string_view kEngine[] = {"autograd::Engine", "autograd::python::PythonEngine"};
constexpr std::string_view kLibraries = "libtorch";
constexpr std::string_view kConditions[] = {"pthread_cond_", "cnd_"};

// Of PyTorch 2.2 and later one function runs the engine for all others.
bool runs_engine(const model::Code& code) {
  return code.name == "_engine_run_backward" && code.file.ends_with("torch/autograd/graph.py");
}
bool ran_engine(const model::Code& code) {
  return (code.name == "backward" || code.name == "grad") && code.file.ends_with("torch/autograd/__init__.py");
}

class Finder {
 public:
  Finder(const model::Process& process, std::size_t index, const symbols::Symbols& symbols)
      : process_(process), tree_(process.tree), index_(index), symbols_(symbols) {}

  BackwardWork run() {
    if (!find_codes() || !find_roots()) return {};
    out_.nodes = tree_.nodes;
    out_.worked.assign(out_.nodes.size(), false);
    for (std::uint32_t node = 1; node < out_.nodes.size(); ++node)
      out_.worked[node] = is_root(node) || out_.worked[out_.nodes[node].parent];
    find_callers();
    if (out_.callers.empty()) return {};
    out_.caller = add({0, tree_.nodes[out_.callers.front().node].frame}, true);
    for (const std::uint32_t root : roots_) out_.nodes[root].parent = below_ranges_of(root);
    leave_waits_for_work();
    return std::move(out_);
  }

 private:
  bool find_codes() {
    codes_.assign(process_.codes.size(), false);
    bool any = false;
    for (const auto test : {runs_engine, ran_engine}) {
      for (std::size_t i = 0; i < codes_.size() && process_.python; ++i) {
        codes_[i] = test(process_.codes[i]);
        any |= codes_[i];
      }
      if (any) break;
    }
    return any;
  }

  const Frame& frame(std::uint32_t node) const { return tree_.frames[tree_.nodes[node].frame]; }
  bool is_python(std::uint32_t node) const { return frame(node).kind == Frame::Kind::Python; }
  bool of_pytorch(std::uint32_t node) const {
    const Frame& at = frame(node);
    return at.kind == Frame::Kind::Native && base_name(process_.modules[at.module].path).starts_with(kLibraries);
  }
  bool of_engine(std::uint32_t node) const {
    const auto locations = symbols_.locations(index_, tree_.nodes[node].frame);
    return std::any_of(locations.begin(), locations.end(), [&](std::uint32_t location) {
      const std::string& name = symbols_.function(symbols_.location(location).function).name;
      return std::any_of(std::begin(kEngine), std::end(kEngine),
                         [&](std::string_view part) { return contains(name, part); });
    });
  }

  // The outermost functions of PyTorch of stacks that only the engine's threads have.
  bool find_roots() {
    std::set<std::uint32_t> slots;
    for (const model::Thread& thread : process_.threads) {
      if (thread.name.starts_with(kThreadName)) slots.insert(thread.slot);
    }
    struct Seen {
      bool engine = false, others = false;
    };
    std::map<std::uint32_t, Seen> candidates;
    std::vector<std::uint32_t> candidate(tree_.nodes.size());  // by node: the one above, or itself
    std::vector<bool> python(tree_.nodes.size());
    for (std::uint32_t node = 1; node < tree_.nodes.size(); ++node) {
      const std::uint32_t parent = tree_.nodes[node].parent;
      candidate[node] = candidate[parent];
      python[node] = python[parent] || is_python(node);
      if (python[node] || candidate[node] != 0 || !of_pytorch(node)) continue;
      candidate[node] = node;
      candidates.emplace(node, Seen{of_engine(node), false});
    }
    if (slots.empty() &&
        std::none_of(candidates.begin(), candidates.end(), [](const auto& one) { return one.second.engine; }))
      return false;
    // Work of devices and frees are booked by whoever noticed them.
    const auto look_at = [&](const auto& rows) {
      for (const auto& row : rows) {
        const std::uint32_t of = candidate[row.node];
        if (of == 0) continue;
        Seen& seen = candidates[of];
        (slots.contains(row.slot) ? seen.engine : seen.others) = true;
      }
    };
    std::map<std::uint32_t, Seen> named = candidates;
    look_at(tree_.cpu);
    look_at(tree_.waits);
    look_at(tree_.api);
    for (const auto& [node, seen] : candidates) {
      if (named[node].engine || (seen.engine && !seen.others)) roots_.push_back(node);
    }
    return !roots_.empty();
  }
  bool is_root(std::uint32_t node) const { return std::binary_search(roots_.begin(), roots_.end(), node); }

  // Who runs the engine waits at a condition until its threads are done: that is how long they worked for it. Without
  // recorded waits the samples of those who called it tell as much, and without them that they were there.
  void find_callers() {
    std::vector<std::uint32_t> python(tree_.nodes.size());  // the innermost function of Python
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t node = 1; node < tree_.nodes.size(); ++node) {
      python[node] = is_python(node) ? node : python[tree_.nodes[node].parent];
      if (python[node] == node && frame(node).code != model::kNoCode && codes_[frame(node).code] && !out_.worked[node])
        nodes.push_back(node);
    }
    std::map<std::uint32_t, std::int64_t> waited, computed;
    const auto add = [&](auto& to, std::uint32_t node, std::int64_t ns) {
      const std::uint32_t by = python[node];
      if (ns > 0 && std::binary_search(nodes.begin(), nodes.end(), by)) to[by] = model::saturated_sum(to[by], ns);
    };
    for (const auto& row : tree_.waits) {
      if (is_condition(row.node)) add(waited, row.node, row.metric.ns);
    }
    for (const auto& row : tree_.cpu) add(computed, row.node, row.metric.ns);
    const auto& weights = !waited.empty() ? waited : computed;
    for (const auto& [node, weight] : weights) out_.callers.push_back({node, weight});
    if (!weights.empty()) return;
    for (const std::uint32_t node : nodes) out_.callers.push_back({node, 1});
  }

  bool is_condition(std::uint32_t node) const {
    return model::wait_class_of(process_, tree_.nodes[node].frame) == log::WaitClass::Lock &&
           begins_with_any(process_.names[frame(node).name].name, kConditions);
  }

  std::uint32_t add(model::Node node, bool worked) {
    out_.nodes.push_back(node);
    out_.worked.push_back(worked);
    return static_cast<std::uint32_t>(out_.nodes.size() - 1);
  }

  // Ranges and what else was named outside of the stack stays outside of it.
  std::uint32_t below_ranges_of(std::uint32_t root) {
    std::vector<std::uint32_t> ranges;
    for (std::uint32_t at = tree_.nodes[root].parent; at != 0; at = tree_.nodes[at].parent) {
      if (frame(at).kind == Frame::Kind::Named) ranges.push_back(at);
    }
    std::uint32_t above = out_.caller;
    for (auto range = ranges.rbegin(); range != ranges.rend(); ++range) {
      const auto [copy, is_new] = ranges_.try_emplace(*range);
      if (is_new) copy->second = add({above, tree_.nodes[*range].frame}, true);
      above = copy->second;
    }
    return above;
  }

  // Below Python they wait for something else.
  void leave_waits_for_work() {
    std::vector<bool> python(tree_.nodes.size());  // inside of the engine's threads
    for (std::uint32_t node = 1; node < tree_.nodes.size(); ++node) {
      if (!out_.worked[node]) continue;
      python[node] = is_python(node) || (!is_root(node) && python[tree_.nodes[node].parent]);
      if (!python[node] && is_condition(node)) out_.nodes[node].parent = as_it_was(tree_.nodes[node].parent);
    }
    for (std::uint32_t node = 1; node < tree_.nodes.size(); ++node)
      out_.worked[node] = out_.worked[node] && (is_root(node) || out_.worked[out_.nodes[node].parent]);
  }

  // A node with the stack that `node` had.
  std::uint32_t as_it_was(std::uint32_t node) {
    std::vector<std::uint32_t> moved;
    for (; node != 0 && out_.worked[node] && !as_they_were_.contains(node); node = tree_.nodes[node].parent)
      moved.push_back(node);
    const auto known = as_they_were_.find(node);
    std::uint32_t above = known != as_they_were_.end() ? known->second : node;
    for (auto at = moved.rbegin(); at != moved.rend(); ++at)
      above = as_they_were_[*at] = add({above, tree_.nodes[*at].frame}, false);
    return above;
  }

  const model::Process& process_;
  const model::Tree& tree_;
  std::size_t index_;
  const symbols::Symbols& symbols_;
  std::vector<bool> codes_;                              // by code: whether it runs the engine
  std::vector<std::uint32_t> roots_;                     // ascending
  std::map<std::uint32_t, std::uint32_t> ranges_;        // their copies below `caller`
  std::map<std::uint32_t, std::uint32_t> as_they_were_;  // see as_it_was()
  BackwardWork out_;
};

}  // namespace

BackwardWork backward_work(const model::Process& process, std::size_t index, const symbols::Symbols& symbols) {
  return Finder(process, index, symbols).run();
}

}  // namespace prof::fold
