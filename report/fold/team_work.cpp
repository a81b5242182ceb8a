#include "report/fold/team_work.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "report/fold/team_libraries.hpp"
#include "report/model/text.hpp"

namespace prof::fold {
namespace {

using model::Frame;

constexpr std::size_t kLoopFunctions = 4;  // of the library, between a thread's begin and what it runs
constexpr double kNearlyAll = 0.9;         // of the time
constexpr std::size_t kMostPlaces = 8;     // among which that is shared

constexpr std::size_t kMostLooks = 4'000'000;  // of functions that call themselves at many places

constexpr std::uint32_t kNoFunction = UINT32_MAX;

class TeamFinder {
 public:
  TeamFinder(const model::Process& process, std::size_t index, const symbols::Symbols& symbols,
             std::span<const model::Node> nodes)
      : process_(process), tree_(process.tree), index_(index), symbols_(symbols), nodes_(nodes.begin(), nodes.end()) {}

  TeamWork run() {
    if (!find_modules() || !find_workers()) return {};
    find_functions();
    add_up();
    bool any = false;
    for (const std::uint32_t worker : workers_) any |= place_below(worker, kLoopFunctions);
    if (!any) return {};
    return {std::move(nodes_), shared_times()};
  }

 private:
  enum class Module : std::uint8_t { Other, OpenMp, OpenBlas, ThreadStart };

  bool find_modules() {
    bool any = false;
    for (const model::Module& module : process_.modules) {
      const std::string_view name = base_name(module.path);
      Module& kind = modules_.emplace_back(Module::Other);
      if (is_openmp_library(name)) kind = Module::OpenMp;
      if (is_openblas_library(name)) kind = Module::OpenBlas;
      if (module.agent || starts_threads(name)) kind = Module::ThreadStart;
      any |= kind == Module::OpenMp || kind == Module::OpenBlas;
    }
    return any;
  }

  Module module_of(std::uint32_t node) const {
    const Frame& frame = tree_.frames[nodes_[node].frame];
    return frame.kind == Frame::Kind::Native ? modules_[frame.module] : Module::Other;
  }

  // The functions in which threads of the libraries begin. Parents come before their children here, but for what
  // PyTorch's own threads did for backward(), which is no such thread's.
  bool find_workers() {
    enum class Way : std::uint8_t { Starts, Program, Worker };
    std::vector<Way> way(nodes_.size(), Way::Starts);
    below_worker_.assign(nodes_.size(), false);
    for (std::uint32_t node = 1; node < nodes_.size(); ++node) {
      const std::uint32_t parent = nodes_[node].parent;
      if (parent >= node || way[parent] != Way::Starts) {
        way[node] = parent >= node ? Way::Program : way[parent];
      } else if (const Module module = module_of(node); module == Module::OpenMp || module == Module::OpenBlas) {
        way[node] = Way::Worker;
        workers_.push_back(node);
      } else if (module != Module::ThreadStart) {
        way[node] = Way::Program;
      }
      below_worker_[node] = way[node] == Way::Worker;
    }
    return !workers_.empty();
  }

  // Of the machine code: what was compiled into it is a part of it.
  void find_functions() {
    std::vector<std::uint32_t> of_frame(tree_.frames.size(), kNoFunction);
    for (std::uint32_t frame = 0; frame < of_frame.size(); ++frame) {
      if (tree_.frames[frame].kind != Frame::Kind::Native && tree_.frames[frame].kind != Frame::Kind::Anonymous)
        continue;
      const auto locations = symbols_.locations(index_, frame);
      if (locations.empty()) continue;
      const std::uint32_t function = symbols_.location(locations.front()).function;
      if (!symbols_.function(function).special) of_frame[frame] = function;
    }
    functions_.reserve(nodes_.size());
    for (const model::Node& node : nodes_) functions_.push_back(of_frame[node.frame]);
    functions_[0] = kNoFunction;
    children_.resize(nodes_.size());
    parents_.reserve(nodes_.size());
    for (const model::Node& node : nodes_) parents_.push_back(node.parent);
    for (std::uint32_t node = 1; node < nodes_.size(); ++node) {
      children_[nodes_[node].parent].push_back(node);
      if (!below_worker_[node] && functions_[node] != kNoFunction) by_function_[functions_[node]].push_back(node);
    }
  }

  // The CPU time of each node with all below it.
  void add_up() {
    ns_.assign(nodes_.size(), 0);
    for (const auto& row : tree_.cpu) ns_[row.node] = model::saturated_sum(ns_[row.node], row.metric.ns);
    std::vector<std::uint32_t> order{0};
    for (std::size_t i = 0; i < order.size(); ++i)
      order.insert(order.end(), children_[order[i]].begin(), children_[order[i]].end());
    for (auto node = order.rbegin(); node + 1 < order.rend(); ++node) {
      std::int64_t& above = ns_[parents_[*node]];
      above = model::saturated_sum(above, ns_[*node]);
    }
    depth_.assign(nodes_.size(), 0);
    for (const std::uint32_t node : order) {
      if (node != 0) depth_[node] = depth_[parents_[node]] + 1;
    }
  }

  // A function of the program's, which one of the threads runs too, and who shared it with them.
  struct Alike {
    std::uint32_t node = 0;
    std::uint32_t caller = 0;
  };
  // Below which node what part of a node's time belongs.
  struct Place {
    std::uint32_t below = 0;
    std::int64_t weight = 0;
    std::uint32_t node = 0;  // there
  };
  using Places = std::vector<Place>;  // the heaviest first

  // Puts what is below a function of the library where the program does it.
  bool place_below(std::uint32_t node, std::size_t functions) {
    bool any = false;
    for (const std::uint32_t child : children_[node]) {
      const bool of_openmp = module_of(child) == Module::OpenMp;  // waits for work, as who shares it does at the end
      const auto same = of_openmp ? by_function_.end() : by_function_.find(functions_[child]);
      if (same == by_function_.end()) {
        if (functions > 0) any |= place_below(child, functions - 1);
        continue;
      }
      std::vector<Alike> alike;
      for (const std::uint32_t other : same->second) {
        const std::uint32_t caller = parents_[other];
        if (module_of(caller) == module_of(node)) alike.push_back({other, caller});
      }
      if (alike.empty()) continue;
      top_ = child;
      below_.clear();
      for (const Alike& one : alike) {
        const auto [below, is_new] = below_.try_emplace(anchor_of(one.caller), one.caller);
        if (!is_new) below->second = common_node(below->second, one.caller);
      }
      if (looks_left_ <= alike.size()) return any;
      put(child, alike, {});
      any = true;
    }
    return any;
  }

  // The line of Python that led to a caller; where there is none, the caller.
  std::uint32_t anchor_of(std::uint32_t caller) const {
    for (std::uint32_t at = caller; at != 0; at = parents_[at]) {
      if (tree_.frames[nodes_[at].frame].kind == Frame::Kind::Python) return at;
    }
    return caller;
  }

  std::uint32_t common_node(std::uint32_t a, std::uint32_t b) const {
    while (a != b) {
      if (depth_[a] < depth_[b]) std::swap(a, b);
      a = parents_[a];
    }
    return a;
  }

  // The places with nearly all of the time.
  Places places_of(const std::vector<Alike>& alike) const {
    std::map<std::uint32_t, std::int64_t> weights;  // by anchor
    std::int64_t all = 0, seen = 0;
    for (const Alike& one : alike) {
      std::int64_t& weight = weights[anchor_of(one.caller)];
      weight = model::saturated_sum(weight, ns_[one.node]);
      all = model::saturated_sum(all, ns_[one.node]);
    }
    Places out;
    for (const auto& [anchor, weight] : weights)
      out.push_back({below_.at(anchor), std::max<std::int64_t>(1, weight), 0});
    std::stable_sort(out.begin(), out.end(), [](auto& x, auto& y) { return x.weight > y.weight; });
    std::size_t kept = 0;
    for (; kept < std::min(out.size(), kMostPlaces); ++kept) {
      if (kept > 0 && static_cast<double>(seen) >= kNearlyAll * static_cast<double>(all)) break;
      seen = model::saturated_sum(seen, out[kept].weight);
    }
    out.resize(kept);
    return out;
  }

  // `node`, and what stands below it, at the places where `alike` stand; where there are none, where its caller does.
  void put(std::uint32_t node, const std::vector<Alike>& alike, Places places) {
    const bool told_apart = !alike.empty() && looks_left_ > alike.size();
    if (told_apart) places = places_of(alike);
    const std::uint32_t first = places.front().below;
    nodes_[node].parent = node == top_ ? first : copy_of(parents_[node], first);
    copies_.try_emplace({node, first}, node);
    for (Place& place : places) place.node = copy_of(node, place.below);
    if (places.size() > 1) shared_[node] = places;
    std::map<std::uint32_t, std::vector<Alike>> below;  // by function
    for (const Alike& one : told_apart ? alike : std::vector<Alike>()) {
      looks_left_ -= std::min(looks_left_, 1 + children_[one.node].size());
      for (const std::uint32_t child : children_[one.node]) below[functions_[child]].push_back({child, one.caller});
    }
    below.erase(kNoFunction);
    for (const std::uint32_t child : children_[node]) {
      const auto same = below.find(functions_[child]);
      put(child, same == below.end() ? std::vector<Alike>() : same->second, places);
    }
  }

  // A node with the way from `top_` to this one, below another caller.
  std::uint32_t copy_of(std::uint32_t node, std::uint32_t caller) {
    if (const auto known = copies_.find({node, caller}); known != copies_.end()) return known->second;
    const std::uint32_t parent = node == top_ ? caller : copy_of(parents_[node], caller);
    const auto copy = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({parent, nodes_[node].frame});
    copies_[{node, caller}] = copy;
    return copy;
  }

  // The CPU time of all nodes, shared among the places of one.
  std::vector<model::Row<model::CpuMetric>> shared_times() {
    std::vector<model::Row<model::CpuMetric>> out;
    if (shared_.empty()) return out;
    out.reserve(tree_.cpu.size());
    for (const auto& row : tree_.cpu) {
      const auto found = shared_.find(row.node);
      out.push_back(row);
      if (found == shared_.end()) continue;
      double all = 0;
      for (const Place& place : found->second) all += static_cast<double>(place.weight);
      const std::size_t whole = out.size() - 1;
      for (auto place = std::next(found->second.begin()); place != found->second.end(); ++place) {
        model::Row<model::CpuMetric> part = row;
        part.node = place->node;
        const double share = static_cast<double>(place->weight) / all;
        part.metric.ns = whole_number(share * static_cast<double>(row.metric.ns));
        part.metric.samples = whole_number(share * static_cast<double>(row.metric.samples));
        out[whole].metric.ns -= part.metric.ns;
        out[whole].metric.samples -= part.metric.samples;
        out.push_back(part);
      }
    }
    return out;
  }

  const model::Process& process_;
  const model::Tree& tree_;
  std::size_t index_;
  const symbols::Symbols& symbols_;
  std::vector<model::Node> nodes_;
  std::vector<Module> modules_;
  std::vector<std::uint32_t> workers_;  // where threads of the libraries begin
  std::vector<bool> below_worker_;      // by node, as are:
  std::vector<std::uint32_t> functions_, parents_, depth_;
  std::vector<std::vector<std::uint32_t>> children_;
  std::vector<std::int64_t> ns_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> by_function_;  // nodes that are below no worker
  std::size_t looks_left_ = kMostLooks;
  std::uint32_t top_ = 0;                                                    // the function in hand that is shared, and
  std::map<std::uint32_t, std::uint32_t> below_;                             // its place by each anchor
  std::map<std::uint32_t, Places> shared_;                                   // by node, of those with several
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> copies_;  // by node and caller
};

}  // namespace

TeamWork team_work(const model::Process& process, std::size_t index, const symbols::Symbols& symbols,
                   std::span<const model::Node> nodes) {
  return TeamFinder(process, index, symbols, nodes).run();
}

}  // namespace prof::fold
