#include "report/formats/massif.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/fold/line_tree.hpp"
#include "report/fold/memory/heap.hpp"
#include "report/model/text.hpp"
#include "report/show/names.hpp"
#include "report/show/text.hpp"

namespace prof::formats {
namespace {

constexpr std::uint64_t kThresholdPercent = 1;

// Bytes of one stack, leaf first.
struct Weighed {
  const std::vector<std::uint32_t>* stack;
  std::uint64_t bytes;
};

std::uint64_t sum_of(const std::vector<Weighed>& sites) {
  std::uint64_t sum = 0;
  for (const Weighed& site : sites) sum = model::saturated_sum(sum, site.bytes);
  return sum;
}

// Writes allocation sites with their callers below them.
class Tree {
 public:
  Tree(const symbols::Symbols& symbols, bool whole_names, const Write& write)
      : symbols_(symbols), whole_names_(whole_names), write_(write) {}

  void write(const std::vector<Weighed>& sites) {
    total_ = sum_of(sites);
    branch(sites, 0, "(heap allocation functions) malloc/new/new[], --alloc-fns, etc.");
  }

 private:
  bool below_threshold(std::uint64_t bytes) const {
    constexpr std::uint64_t kParts = 100 / kThresholdPercent;
    return bytes < total_ / kParts + (total_ % kParts != 0 ? 1 : 0);
  }

  // What shares the first `depth` frames, led by `label`.
  void branch(const std::vector<Weighed>& sites, std::size_t depth, const std::string& label) {
    std::map<std::uint32_t, std::vector<Weighed>> by_caller;
    for (const Weighed& site : sites) {
      if (site.stack->size() > depth) by_caller[(*site.stack)[depth]].push_back(site);
    }
    struct Child {
      std::uint64_t bytes;
      std::uint32_t location;
    };
    std::vector<Child> children;
    std::uint64_t small = 0, small_bytes = 0;
    for (const auto& [location, below] : by_caller) {
      const std::uint64_t bytes = sum_of(below);
      if (below_threshold(bytes)) {
        ++small;
        small_bytes = model::saturated_sum(small_bytes, bytes);
      } else {
        children.push_back({bytes, location});
      }
    }
    std::stable_sort(children.begin(), children.end(),
                     [](const Child& a, const Child& b) { return a.bytes > b.bytes; });
    node(depth, children.size() + (small > 0 ? 1 : 0), sum_of(sites), label);
    for (const Child& child : children) branch(by_caller[child.location], depth + 1, label_of(child.location));
    if (small > 0) {
      node(depth + 1, 0, small_bytes,
           fmt::format("in {} place{}, {}below massif's threshold ({}.00%)", small, small == 1 ? "" : "s",
                       small == 1 ? "" : "all ", kThresholdPercent));
    }
  }

  void node(std::size_t depth, std::size_t children, std::uint64_t bytes, const std::string& label) {
    write_(fmt::format("{:{}}n{}: {} {}\n", "", depth, children, bytes, label));
  }

  // Addresses of several modules and of Python have nothing in common: a number stands for them.
  std::string label_of(std::uint32_t location) const {
    const symbols::Location& place = symbols_.location(location);
    const symbols::Function& function = symbols_.function(place.function);
    const std::string name = show::printable(show::label(function, whole_names_));
    const std::string& file = place.file.empty() ? function.file : place.file;
    std::string where;
    if (place.line != 0 && !file.empty()) {
      where = fmt::format(" ({}:{})", show::printable(base_name(file)), place.line);
    } else if (!function.module.empty()) {
      where = fmt::format(" (in {})", show::printable(function.module));
    }
    return fmt::format("0x{:X}: {}{}", location + 1, name, where);
  }

  const symbols::Symbols& symbols_;
  bool whole_names_;
  const Write& write_;
  std::uint64_t total_ = 0;
};

struct Snapshot {
  std::uint64_t ms = 0;
  std::uint64_t bytes = 0;
  const char* tree = "empty";
  const std::vector<Weighed>* sites = nullptr;
};

std::uint64_t or_none(std::int64_t value) { return value > 0 ? static_cast<std::uint64_t>(value) : 0; }

struct Site {
  std::vector<std::uint32_t> stack;
  const model::MemoryMetric* memory;
};

std::vector<Site> sites_of(const fold::CallTree& lines) {
  std::vector<Site> out;
  for (const fold::HeapSite& site : fold::heap_sites(lines))
    out.push_back({fold::stack_of(lines, site.node), site.memory});
  return out;
}

std::vector<Weighed> weighed(const std::vector<Site>& sites, std::int64_t (*bytes)(const model::MemoryMetric& memory)) {
  std::vector<Weighed> out;
  for (const Site& site : sites) {
    if (const std::int64_t value = bytes(*site.memory); value > 0) out.push_back({&site.stack, or_none(value)});
  }
  return out;
}

// In the order of time: the start, what was seen in between, the peak, the end. Between, nothing is above the peak.
std::vector<Snapshot> snapshots_of(const model::Process& process, const std::vector<Weighed>& at_peak,
                                   const std::vector<Weighed>& at_end) {
  const auto ms = [&](std::uint64_t monotonic_ns) {
    const std::uint64_t start = process.start_monotonic_ns;
    return monotonic_ns > start ? (monotonic_ns - start) / 1'000'000 : 0;
  };
  const std::uint64_t peak = sum_of(at_peak);
  const std::uint64_t end_ms = ms(process.end_monotonic_ns);
  const std::uint64_t peak_ms = std::min(end_ms, ms(process.heap_peak_monotonic_ns.value_or(process.end_monotonic_ns)));
  std::vector<Snapshot> out{{}};
  const auto add = [&](const model::SeriesPoint& point) {
    out.push_back({std::min(end_ms, ms(point.end_monotonic_ns)), std::min(peak, or_none(point.heap_live))});
  };
  auto point = process.series.begin();
  for (; point != process.series.end() && ms(point->end_monotonic_ns) < peak_ms; ++point) add(*point);
  if (peak > 0) out.push_back({peak_ms, peak, "peak", &at_peak});
  for (; point != process.series.end() && ms(point->end_monotonic_ns) < end_ms; ++point) add(*point);
  const std::uint64_t end = sum_of(at_end);
  out.push_back({end_ms, end, end > 0 ? "detailed" : "empty", &at_end});
  return out;
}

}  // namespace

bool massif(const show::Subject& subject, std::size_t process_index, bool whole_names, const Write& write) {
  const model::Process& process = subject.run.processes[process_index];
  fold::Selection selection = subject.selection;
  selection.log_id = process.log_id;
  const fold::CallTree lines = fold::build_call_tree(subject.run, subject.symbols, selection, fold::Granularity::Line);
  const std::vector<Site> sites = sites_of(lines);
  const auto at_peak = weighed(sites, [](const model::MemoryMetric& memory) { return memory.peak_bytes; });
  const auto at_end = weighed(sites, [](const model::MemoryMetric& memory) { return memory.live_bytes(); });
  if (at_peak.empty() && at_end.empty()) return false;

  write(
      fmt::format("desc: made by prof {}\ncmd: {}\ntime_unit: ms\n", PROF_VERSION, show::printable(process.command())));
  Tree tree(subject.symbols, whole_names, write);
  std::size_t number = 0;
  for (const Snapshot& snapshot : snapshots_of(process, at_peak, at_end)) {
    write(
        fmt::format("#-----------\nsnapshot={}\n#-----------\ntime={}\nmem_heap_B={}\nmem_heap_extra_B=0\n"
                    "mem_stacks_B=0\nheap_tree={}\n",
                    number++, snapshot.ms, snapshot.bytes, snapshot.tree));
    if (snapshot.sites != nullptr && !snapshot.sites->empty()) tree.write(*snapshot.sites);
  }
  return true;
}

}  // namespace prof::formats
