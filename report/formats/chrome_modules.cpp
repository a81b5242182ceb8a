#include "report/formats/chrome_modules.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "report/fold/training/module_path.hpp"
#include "report/fold/training/trace_backward.hpp"

namespace prof::formats {
namespace {

using model::TraceEvent;

// A module below another one: what has the same class and the same calling line there is one.
struct Place {
  std::string name;
  std::uint32_t number = 0;
};

// Which modules the frames above an operator are in.
class Places {
 public:
  Places(const model::Run& run, std::size_t process, const symbols::Symbols& symbols)
      : process_(run.processes[process]), index_(process), symbols_(symbols) {}

  const Place& operator[](std::uint32_t place) const { return places_[place]; }

  // Whether Python called the operator that stands at the node, and not another operator.
  bool is_called_by_python(std::uint32_t node) const {
    return node != 0 && is_frame(process_.tree.operator_nodes[node].parent);
  }

  // Its modules, from the outermost one inwards; none where frames are missing.
  const std::vector<std::uint32_t>& of(std::uint32_t node) {
    const std::vector<model::Node>& nodes = process_.tree.operator_nodes;
    const std::uint32_t innermost = nodes[node].parent;
    const auto [found, is_new] = paths_.try_emplace(innermost);
    if (!is_new) return found->second;
    std::vector<std::uint32_t> frames;
    for (std::uint32_t at = innermost; is_frame(at); at = nodes[at].parent) {
      if (process_.tree.frames[nodes[at].frame].kind == model::Frame::Kind::Truncated) return found->second;
      frames.push_back(nodes[at].frame);
    }
    fold::ModulePath path;
    std::uint32_t place = kOutside;
    for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame) {
      for (const std::uint32_t location : symbols_.locations(index_, *frame)) {
        if (!path.enter(symbols_, location)) continue;
        place = below(place, symbols_.location(location).function, path.called_from());
        found->second.push_back(place);
      }
    }
    return found->second;
  }

 private:
  static constexpr std::uint32_t kOutside = UINT32_MAX;

  bool is_frame(std::uint32_t node) const {
    if (node == 0) return false;
    const model::Frame::Kind kind = process_.tree.frames[process_.tree.operator_nodes[node].frame].kind;
    return kind == model::Frame::Kind::Python || kind == model::Frame::Kind::PythonLine ||
           kind == model::Frame::Kind::Truncated;
  }

  std::uint32_t below(std::uint32_t place, std::uint32_t function, std::uint32_t called_from) {
    const auto [found, is_new] =
        keys_.try_emplace(std::tuple(place, function, called_from), static_cast<std::uint32_t>(places_.size()));
    if (is_new) {
      const std::string name = fold::class_of_forward(symbols_.function(function));
      places_.push_back({name, numbers_[name]++});
    }
    return found->second;
  }

  const model::Process& process_;
  std::size_t index_;
  const symbols::Symbols& symbols_;
  std::vector<Place> places_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> keys_;
  std::map<std::string, std::uint32_t> numbers_;                         // by name
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> paths_;  // by node of a frame
};

class Finder {
 public:
  Finder(const model::Run& run, std::size_t process, const symbols::Symbols& symbols,
         const std::vector<fold::TraceStep>& steps)
      : process_(run.processes[process]), steps_(steps), places_(run, process, symbols) {}

  std::vector<ModuleSlice> run(const std::vector<std::size_t>& by_thread) {
    for (const std::size_t i : by_thread) take(process_.tree.trace->events[i]);
    for (ModuleSlice& slice : slices_) {
      slice.name = places_[slice.number].name;
      slice.number = places_[slice.number].number;
    }
    return std::move(slices_);
  }

 private:
  // Slices among what is directly inside one operator or range, or in none.
  struct Level {
    const TraceEvent* around = nullptr;
    std::vector<std::size_t> open;  // the innermost last; the outer ones may be of the level around
    std::size_t step = 0;
  };

  void take(const TraceEvent& at) {
    const bool is_operator = at.kind == log::TraceKind::Operator && !at.ended_elsewhere;
    const bool is_range = at.kind == log::TraceKind::Range && at.node != 0;
    if (!is_operator && !is_range) return;
    if (levels_.empty() || tid_ != at.tid) levels_.assign(1, {});
    tid_ = at.tid;
    while (levels_.back().around != nullptr && levels_.back().around->end_monotonic_ns <= at.start_monotonic_ns)
      levels_.pop_back();
    if (is_operator) place(at);
    levels_.push_back({&at, {}, 0});
  }

  void place(const TraceEvent& at) {
    const bool by_python = places_.is_called_by_python(at.node);
    if (!by_python && in_operator()) return;  // in the modules of that one
    if (!by_python || fold::is_backward(process_, at)) return leave();
    const std::vector<std::uint32_t>& path = places_.of(at.node);
    std::uint64_t end = at.end_monotonic_ns;
    if (levels_.back().around != nullptr) end = std::min(end, levels_.back().around->end_monotonic_ns);
    const std::size_t last = levels_.size() - 1;
    for (std::size_t same = extend(last, path, step_at(at.start_monotonic_ns), end); same < path.size(); ++same) {
      std::vector<std::size_t>& open = levels_[last].open;
      const auto outer = open.empty() ? std::nullopt : std::optional(open.back());
      open.push_back(slices_.size());
      slices_.push_back({{}, path[same], outer, at.tid, at.start_monotonic_ns, end});
    }
  }

  // Lets those of the path go on to `end` that are open at a level, ends the others; how many go on. What is open
  // around an operator or a range goes on to the end of that.
  std::size_t extend(std::size_t index, const std::vector<std::uint32_t>& path, std::size_t step, std::uint64_t end) {
    Level& level = levels_[index];
    if (level.step != step) level.open.clear();
    level.step = step;
    std::size_t same = 0;
    while (same < std::min(path.size(), level.open.size()) && slices_[level.open[same]].number == path[same]) ++same;
    level.open.resize(same);
    if (same == 0 && level.around != nullptr && step_at(level.around->end_monotonic_ns) == step) {
      same = extend(index - 1, path, step, level.around->end_monotonic_ns);
      const std::vector<std::size_t>& outer = levels_[index - 1].open;
      level.open.assign(outer.begin(), outer.begin() + static_cast<std::ptrdiff_t>(same));
    }
    for (const std::size_t open : level.open)
      slices_[open].end_monotonic_ns = std::max(slices_[open].end_monotonic_ns, end);
    return same;
  }

  bool in_operator() const {
    return std::any_of(levels_.begin(), levels_.end(), [](const Level& level) {
      return level.around != nullptr && level.around->kind == log::TraceKind::Operator;
    });
  }

  // What is no module's lies between two calls of one.
  void leave() {
    for (auto level = levels_.rbegin(); level != levels_.rend(); ++level) {
      level->open.clear();
      if (level->around == nullptr || level->around->kind == log::TraceKind::Operator) break;
    }
  }

  // Which step an instant is in, or which gap between two.
  std::size_t step_at(std::uint64_t ns) const {
    const auto next =
        std::upper_bound(steps_.begin(), steps_.end(), ns,
                         [](std::uint64_t at, const fold::TraceStep& step) { return at < step.begin_monotonic_ns; });
    const auto before = static_cast<std::size_t>(next - steps_.begin());
    return before * 2 + (before > 0 && ns < std::prev(next)->end_monotonic_ns ? 1 : 0);
  }

  const model::Process& process_;
  const std::vector<fold::TraceStep>& steps_;
  Places places_;
  std::vector<ModuleSlice> slices_;  // while they are found: without a name, `number` is that of the place
  std::vector<Level> levels_;
  std::uint32_t tid_ = 0;
};

}  // namespace

std::vector<ModuleSlice> module_slices(const model::Run& run, std::size_t process, const symbols::Symbols& symbols,
                                       const std::vector<std::size_t>& by_thread,
                                       const std::vector<fold::TraceStep>& steps) {
  return Finder(run, process, symbols, steps).run(by_thread);
}

}  // namespace prof::formats
