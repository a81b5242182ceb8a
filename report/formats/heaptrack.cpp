#include "report/formats/heaptrack.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/formats/blocks.hpp"
#include "report/show/names.hpp"
#include "report/show/text.hpp"

namespace prof::formats {
namespace {

constexpr std::size_t kPiece = 64 << 10;

// Lines, handed on in pieces.
class Lines {
 public:
  explicit Lines(const Write& write) : write_(write) {}
  ~Lines() {
    if (!text_.empty()) write_(text_);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
    if (text_.size() < kPiece) return;
    write_(text_);
    text_.clear();
  }

 private:
  const Write& write_;
  std::string text_;
};

// The tables that stacks are made of. Everything is numbered from 1 in the order of its lines.
class Stacks {
 public:
  Stacks(const fold::CallTree& tree, bool whole_names, Lines& lines)
      : tree_(tree), whole_names_(whole_names), lines_(lines), traces_(tree.nodes().size()) {}

  // The number of a node's stack; 0 is the empty one.
  std::uint64_t trace(std::uint32_t node) {
    missing_.clear();
    for (; node != 0 && traces_[node] == 0; node = tree_.nodes()[node].parent) missing_.push_back(node);
    std::uint64_t parent = traces_[node];
    for (; !missing_.empty(); missing_.pop_back()) {
      const std::uint64_t place = ip(tree_.nodes()[missing_.back()].location);
      lines_.line("t {:x} {:x}", place, parent);
      parent = traces_[missing_.back()] = ++last_trace_;
    }
    return parent;
  }

 private:
  std::uint64_t string(const std::string& text) {
    const std::string shown = show::printable(text);
    if (shown.empty()) return 0;
    const auto [found, is_new] = strings_.try_emplace(shown, strings_.size() + 1);
    if (is_new) lines_.line("s {:x} {}", shown.size(), shown);
    return found->second;
  }

  // A place in the code. Addresses of several modules and of Python have nothing in common: a number stands for them.
  std::uint64_t ip(std::uint32_t location) {
    const auto found = ips_.find(location);
    if (found != ips_.end()) return found->second;
    const symbols::Location& place = tree_.symbols().location(location);
    const symbols::Function& function = tree_.symbols().function(place.function);
    const std::uint64_t module = string(function.module);
    const std::uint64_t name = string(show::label(function, whole_names_));
    const std::uint64_t file = place.line == 0 ? 0 : string(place.file.empty() ? function.file : place.file);
    const std::uint64_t number = ips_.size() + 1;
    if (file == 0) {
      lines_.line("i {:x} {:x} {:x}", number, module, name);
    } else {
      lines_.line("i {:x} {:x} {:x} {:x} {:x}", number, module, name, file, place.line);
    }
    ips_.emplace(location, number);
    return number;
  }

  const fold::CallTree& tree_;
  bool whole_names_;
  Lines& lines_;
  std::vector<std::uint64_t> traces_;  // by node; 0: has none yet
  std::vector<std::uint32_t> missing_;
  std::uint64_t last_trace_ = 0;
  std::map<std::string, std::uint64_t> strings_;
  std::unordered_map<std::uint32_t, std::uint64_t> ips_;
};

// Writes what happened to blocks. heaptrack takes a free for that of a temporary block when the event before it was
// the allocation of a block of the same kind (size and stack). It keeps that kind by number and forgets it by setting
// it to 0, so number 0 must belong to no block.
class Events {
 public:
  Events(Stacks& stacks, Lines& lines) : stacks_(stacks), lines_(lines) {}

  // The kinds of blocks that one group consists of: `count` blocks of each. Writes the lines that describe them.
  struct Kind {
    std::uint64_t number, count;
  };
  std::vector<Kind> kinds(std::uint32_t node, const Blocks& blocks) {
    std::vector<Kind> out;
    if (blocks.count == 0) return out;
    const std::uint64_t trace = stacks_.trace(node);
    if (last_ == 0) {  // number 0, which nobody has, and the block of 0 bytes whose free only separates two events
      lines_.line("a 0 {:x}", trace);
      lines_.line("a 0 {:x}", trace);
      last_ = kSeparator;
    }
    const auto kind = [&](std::uint64_t size, std::uint64_t count) {
      if (count == 0) return;
      lines_.line("a {:x} {:x}", size, trace);
      out.push_back({++last_, count});
    };
    kind(blocks.size(), blocks.count - blocks.larger());
    kind(blocks.size() + 1, blocks.larger());
    return out;
  }

  void allocate(const Kind& kind) {
    for (std::uint64_t i = 0; i < kind.count; ++i) lines_.line("+ {:x}", kind.number);
  }
  // `temporary`: the first of them is, if it was the last thing allocated.
  void free(const Kind& kind, bool temporary) {
    if (!temporary) separate();
    for (std::uint64_t i = 0; i < kind.count; ++i) lines_.line("- {:x}", kind.number);
  }
  void come_and_go(const Kind& kind, bool temporary) {
    for (std::uint64_t i = 0; i < kind.count; ++i) {
      lines_.line("+ {:x}", kind.number);
      if (!temporary) separate();
      lines_.line("- {:x}", kind.number);
    }
  }

 private:
  static constexpr std::uint64_t kSeparator = 1;
  void separate() { lines_.line("- {:x}", kSeparator); }

  Stacks& stacks_;
  Lines& lines_;
  std::uint64_t last_ = 0;
};

// One in `scale` blocks, at least one where there are any, of the same sizes.
Blocks thinned(const Blocks& blocks, std::uint64_t scale) {
  if (scale == 1 || blocks.count == 0) return blocks;
  return blocks.part(std::max<std::uint64_t>(1, blocks.count / scale));
}

// One in `scale` blocks, at least one where there are any, which have the bytes of all: what is live stays exact.
Blocks merged(const Blocks& blocks, std::uint64_t scale) {
  if (scale == 1 || blocks.count == 0) return blocks;
  return {std::max<std::uint64_t>(1, blocks.count / scale), blocks.bytes};
}

using Plans = std::vector<std::pair<std::uint32_t, BlockPlan>>;

// The smallest power of ten that leaves `most` of the blocks, `count` giving those of one plan.
template <typename Count>
std::uint64_t scale_for(const Plans& plans, std::uint64_t most, Count count) {
  std::uint64_t all = 0;
  for (const auto& [node, plan] : plans) all = model::saturated_sum(all, count(plan));
  std::uint64_t scale = 1;
  while (all / scale > std::max<std::uint64_t>(most, 1)) scale *= 10;
  return scale;
}

std::uint64_t gone(const BlockPlan& plan) { return model::saturated_sum(plan.temporary.count, plan.passing.count); }
std::uint64_t held(const BlockPlan& plan) {
  return model::saturated_sum(model::saturated_sum(plan.peak_kept.count, plan.peak_freed.count), plan.late.count);
}

// The clock and the resident memory, which heaptrack draws over time.
class Time {
 public:
  Time(const model::Process& process, Lines& lines) : process_(process), lines_(lines) {}

  // Everything up to `monotonic_ns`.
  void pass(std::uint64_t monotonic_ns) {
    for (; next_ < process_.series.size() && process_.series[next_].end_monotonic_ns <= monotonic_ns; ++next_) {
      stamp(process_.series[next_].end_monotonic_ns);
      resident(process_.series[next_].rss_high);
    }
    stamp(monotonic_ns);
  }
  void resident(std::uint64_t bytes) { lines_.line("R {:x}", bytes / page_bytes()); }
  static std::uint64_t page_bytes() { return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }

 private:
  void stamp(std::uint64_t monotonic_ns) {
    const std::uint64_t start = process_.start_monotonic_ns;
    const std::uint64_t ms = monotonic_ns > start ? (monotonic_ns - start) / 1'000'000 : 0;
    last_ms_ = std::max(last_ms_, ms);
    lines_.line("c {:x}", last_ms_);
  }

  const model::Process& process_;
  Lines& lines_;
  std::size_t next_ = 0;
  std::uint64_t last_ms_ = 0;
};

}  // namespace

HeaptrackResult heaptrack(const show::Subject& subject, std::size_t process_index, const HeaptrackOptions& options,
                          const Write& write) {
  const model::Process& process = subject.run.processes[process_index];
  fold::Selection selection = subject.selection;
  selection.log_id = process.log_id;
  const fold::CallTree tree = fold::build_call_tree(subject.run, subject.symbols, selection, fold::Granularity::Line);
  Plans plans;
  for (std::uint32_t node = 0; node < tree.nodes().size(); ++node) {
    const model::MemoryMetric& heap = tree.self().heap[node];
    if (!heap.empty()) plans.emplace_back(node, plan_blocks(heap));
  }
  const std::uint64_t held_scale = scale_for(plans, options.most_allocations, held);
  for (auto& [node, plan] : plans) {
    for (Blocks* const blocks : {&plan.peak_kept, &plan.peak_freed, &plan.late}) *blocks = merged(*blocks, held_scale);
  }
  HeaptrackResult result;
  if (plans.empty()) return result;
  result.any = true;
  result.scale = scale_for(plans, options.most_allocations, gone);

  Lines lines(write);
  lines.line("v 10400 3");
  std::string note = result.scale == 1 ? "" : fmt::format(" [calls / {}]", result.scale);
  if (held_scale > 1) note += fmt::format(" [blocks held / {}]", held_scale);
  lines.line("X {}{}", show::printable(process.command()), note);
  lines.line("I {:x} {:x}", Time::page_bytes(), static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES))));
  Stacks stacks(tree, options.whole_names, lines);
  Events events(stacks, lines);
  Time time(process, lines);
  time.pass(process.start_monotonic_ns);
  for (const auto& [node, plan] : plans) {
    for (const auto& kind : events.kinds(node, thinned(plan.temporary, result.scale))) events.come_and_go(kind, true);
    for (const auto& kind : events.kinds(node, thinned(plan.passing, result.scale))) events.come_and_go(kind, false);
  }
  time.pass(process.heap_peak_monotonic_ns.value_or(process.end_monotonic_ns));
  if (process.series.empty()) time.resident(process.peak_rss_bytes.value_or(0));
  std::vector<Events::Kind> freed;
  const auto last =
      std::find_if(plans.begin(), plans.end(), [](const auto& at) { return at.second.temporary_at_peak; });
  for (auto at = plans.begin(); at != plans.end(); ++at) {
    for (const auto& kind : events.kinds(at->first, at->second.peak_kept)) events.allocate(kind);
    if (at == last) continue;
    for (const auto& kind : events.kinds(at->first, at->second.peak_freed)) events.allocate(freed.emplace_back(kind));
  }
  if (last != plans.end()) {
    for (const auto& kind : events.kinds(last->first, last->second.peak_freed)) {
      events.allocate(freed.insert(freed.begin(), kind)[0]);
    }
  }
  time.pass(process.end_monotonic_ns);
  for (std::size_t i = 0; i < freed.size(); ++i) events.free(freed[i], i == 0 && last != plans.end());
  for (const auto& [node, plan] : plans) {
    for (const auto& kind : events.kinds(node, plan.late)) events.allocate(kind);
  }
  return result;
}

}  // namespace prof::formats
