#include "report/page/stacks.hpp"

#include <algorithm>

#include "report/fold/call_tree.hpp"
#include "report/fold/own/doing.hpp"
#include "report/formats/parts.hpp"
#include "report/page/prune.hpp"
#include "report/show/measure.hpp"
#include "report/show/processes.hpp"

namespace prof::page {
namespace {

using model::Measure;

// Threads are folded one by one: where a run has so many that it would take longer than all else, processes must do.
constexpr std::size_t kMostThreads = 64;
constexpr std::size_t kMostThreadNodes = 8'000'000;

class Gatherer {
 public:
  Gatherer(const show::Subject& subject, const fold::CallTree& lines, StackTree& out)
      : subject_(subject), lines_(lines), out_(out) {
    out_.nodes.clear();
    for (const fold::CallNode& node : lines.nodes()) out_.nodes.push_back({node.parent, node.location});
  }

  void add(const formats::Part& from, bool thread) {
    add(from, thread, fold::part_of(lines_, subject_.run, from.selection));
  }

  // `tree`: the lines with the figures of the part.
  void add(const formats::Part& from, bool thread, const fold::CallTree& tree) {
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
      if (!tree.self().empty(node)) nodes.push_back(node);
    }
    StackPart part;
    part.thread = thread;
    part.process = from.process;
    part.name = from.thread;
    part.pid = from.selection.pids.front();
    if (thread) part.tid = static_cast<std::uint32_t>(std::stoul(from.selection.threads.front()));
    for (const model::Process& process : subject_.run.processes) {
      if (process.pid == part.pid) part.rank = process.rank;
    }
    for (const Measure measure : measures_of(tree)) {
      std::vector<Sparse>& own = part.own;
      const std::size_t at = place_of(measure);
      if (own.size() <= at) own.resize(at + 1);
      for (const std::uint32_t node : nodes) {
        if (const std::int64_t value = own_value(tree, node, measure); value != 0) own[at].emplace_back(node, value);
      }
    }
    idle_.emplace_back();
    if (tree.waits_known()) {
      const std::vector<bool>& idle = fold::doing(lines_).idle;
      for (const std::uint32_t node : nodes) {
        const std::int64_t value = idle[node] ? own_value(tree, node, Measure::Blocked) : 0;
        if (value != 0) idle_.back().emplace_back(node, value);
      }
    }
    out_.parts.push_back(std::move(part));
  }

  // All parts have all measures then, and idle time behind them.
  void finish() {
    for (std::size_t i = 0; i < out_.parts.size(); ++i) {
      std::vector<Sparse>& own = out_.parts[i].own;
      own.resize(out_.measures.size());
      own.push_back(std::move(idle_[i]));
    }
    out_.all_nodes = out_.nodes.size();
    out_.left_out.assign(out_.nodes.size(), 0);
  }

 private:
  static std::int64_t own_value(const fold::CallTree& tree, std::uint32_t node, Measure measure) {
    if (measure != Measure::Blocked) return tree.self_value(node, measure);
    const model::WaitMetric& wait = tree.self().wait[node];
    return model::saturated_difference(wait.ns, wait.cpu_ns);
  }

  // CPU and blocked time add up to wall time, which is therefore left to the page.
  static std::vector<Measure> measures_of(const fold::CallTree& tree) {
    std::vector<Measure> out;
    for (const show::MeasureNames& words : show::kMeasures) {
      if (words.measure == Measure::WallTime || show::not_known(words.measure, tree)) continue;
      if (model::value_of(tree.total(), words.measure) != 0) out.push_back(words.measure);
    }
    return out;
  }

  std::size_t place_of(Measure measure) {
    const auto found = std::find(out_.measures.begin(), out_.measures.end(), measure);
    if (found != out_.measures.end()) return static_cast<std::size_t>(found - out_.measures.begin());
    out_.measures.push_back(measure);
    return out_.measures.size() - 1;
  }

  const show::Subject& subject_;
  const fold::CallTree& lines_;
  StackTree& out_;
  std::vector<Sparse> idle_;  // by part
};

}  // namespace

StackTree stack_tree(const show::Subject& subject, const fold::CallTree& lines, std::size_t most) {
  StackTree out;
  Gatherer gatherer(subject, lines, out);
  const std::vector<formats::Part> processes = formats::parts_of(subject, false);
  if (processes.size() == 1) {
    gatherer.add(processes.front(), false, lines);
  } else {
    for (const formats::Part& part : processes) gatherer.add(part, false);
  }
  const std::vector<formats::Part> threads = formats::parts_of(subject, true);
  out.threads = threads.size() > out.parts.size() && threads.size() <= kMostThreads &&
                threads.size() * out.nodes.size() <= kMostThreadNodes;
  if (out.threads) {
    for (const formats::Part& part : threads) gatherer.add(part, true);
  }
  gatherer.finish();
  if (most != 0 && out.nodes.size() > most) prune(out, most);
  return out;
}

}  // namespace prof::page
