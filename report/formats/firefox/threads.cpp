#include "report/formats/firefox/threads.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/formats/chrome_args.hpp"
#include "report/show/measure.hpp"

namespace prof::formats {
namespace {

// The stack of each node of a tree, made when it is first asked for: most nodes of a thread's tree have no figure.
class StacksOfTree {
 public:
  StacksOfTree(const fold::CallTree& tree, FirefoxTables& tables)
      : tree_(tree), tables_(tables), stacks_(tree.nodes().size(), FirefoxTables::kNoStack) {}

  std::uint32_t operator()(std::uint32_t node) {
    path_.clear();
    for (; node != 0 && stacks_[node] == FirefoxTables::kNoStack; node = tree_.nodes()[node].parent) {
      path_.push_back(node);
    }
    std::uint32_t stack = node == 0 ? FirefoxTables::kNoStack : stacks_[node];
    for (auto at = path_.rbegin(); at != path_.rend(); ++at) {
      stack = stacks_[*at] = tables_.stack(stack, tree_.nodes()[*at].location);
    }
    return stack;
  }

 private:
  const fold::CallTree& tree_;
  FirefoxTables& tables_;
  std::vector<std::uint32_t> stacks_, path_;
};

const char* weight_type(show::Kind kind) {
  return kind == show::Kind::Time ? "tracing-ms" : kind == show::Kind::Bytes ? "bytes" : "samples";
}

// One behind the other where they are times; others have the same time.
void write_samples(const FirefoxThread& thread, show::Kind kind, const Write& write) {
  const std::vector<FirefoxSample>& samples = thread.samples;
  const bool times = kind == show::Kind::Time;
  write("\"samples\":{");
  write_column(write, "stack", samples.size(), [&](std::size_t i) { return std::to_string(samples[i].stack); });
  std::int64_t now = thread.begin_ns;
  write_column(write, "time", samples.size(), [&](std::size_t i) {
    std::string at = milliseconds(now);
    if (times) now = model::saturated_sum(now, samples[i].weight);
    return at;
  });
  write_column(write, "weight", samples.size(), [&](std::size_t i) {
    return times ? milliseconds(samples[i].weight) : std::to_string(samples[i].weight);
  });
  write(fmt::format("\"weightType\":\"{}\",\"length\":{}}},", weight_type(kind), samples.size()));
}

// Blocks have made-up addresses: by these a reader knows which of them were freed. Where that was is not known.
void write_allocations(const FirefoxThread& thread, const Write& write) {
  if (thread.allocations.empty()) return;
  struct Row {
    std::uint32_t stack;
    std::int64_t weight;
    std::size_t address;
    std::int64_t at_ns;
  };
  std::vector<Row> rows;
  std::size_t address = 0;
  for (const FirefoxAllocation& of : thread.allocations) {
    if (of.live > 0) rows.push_back({of.stack, of.live, ++address, thread.begin_ns});
    if (of.passing > 0) rows.push_back({of.stack, of.passing, ++address, thread.begin_ns});
  }
  const std::size_t allocated = rows.size();
  address = 0;
  for (const FirefoxAllocation& of : thread.allocations) {
    if (of.live > 0) ++address;
    if (of.passing > 0) rows.push_back({FirefoxTables::kNoStack, -of.passing, ++address, thread.end_ns});
  }
  write("\"nativeAllocations\":{");
  write_column(write, "time", rows.size(), [&](std::size_t i) { return milliseconds(rows[i].at_ns); });
  write_column(write, "weight", rows.size(), [&](std::size_t i) { return std::to_string(rows[i].weight); });
  write_column(write, "stack", rows.size(),
               [&](std::size_t i) { return i < allocated ? std::to_string(rows[i].stack) : std::string("null"); });
  write_column(write, "memoryAddress", rows.size(), [&](std::size_t i) { return std::to_string(rows[i].address); });
  write_column(write, "threadId", rows.size(), [&](std::size_t) { return thread.tid; });
  write(fmt::format("\"weightType\":\"bytes\",\"length\":{}}},", rows.size()));
}

void write_markers(const std::vector<FirefoxMarker>& markers, const Write& write) {
  constexpr const char* kInterval = "1";
  write("\"markers\":{");
  write_column(write, "data", markers.size(), [&](std::size_t i) { return markers[i].data; });
  write_column(write, "name", markers.size(), [&](std::size_t i) { return std::to_string(markers[i].name); });
  write_column(write, "startTime", markers.size(), [&](std::size_t i) { return milliseconds(markers[i].begin_ns); });
  write_column(write, "endTime", markers.size(), [&](std::size_t i) { return milliseconds(markers[i].end_ns); });
  write_column(write, "phase", markers.size(), [&](std::size_t) { return std::string(kInterval); });
  write_column(write, "category", markers.size(), [&](std::size_t i) { return std::to_string(markers[i].category); });
  write(fmt::format("\"length\":{}}}", markers.size()));
}

}  // namespace

std::string firefox_pid(const model::Process& process) {
  return process.image == 0 ? std::to_string(process.pid) : fmt::format("{}.{}", process.pid, process.image);
}

std::string milliseconds(std::int64_t ns) {
  const std::int64_t whole = ns / 1'000'000, rest = ns % 1'000'000;
  if (rest == 0) return std::to_string(whole);
  return fmt::format("{}{}.{:06}", ns < 0 ? "-" : "", std::abs(whole), std::abs(rest));
}

std::int64_t FirefoxThread::weight() const {
  std::int64_t sum = 0;
  for (const FirefoxSample& sample : samples) sum = model::saturated_sum(sum, sample.weight);
  return sum;
}

void add_samples(FirefoxThread& to, const fold::CallTree& tree, model::Measure measure, FirefoxTables& tables) {
  StacksOfTree stacks(tree, tables);
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    const std::int64_t value = tree.self_value(node, measure);
    if (value > 0) to.samples.push_back({stacks(node), value});
  }
}

void add_allocations(FirefoxThread& to, const fold::CallTree& tree, FirefoxTables& tables) {
  StacksOfTree stacks(tree, tables);
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    const model::MemoryMetric& heap = tree.self().heap[node];
    const std::int64_t live = heap.live_bytes();
    const std::int64_t passing = std::max<std::int64_t>(0, model::saturated_difference(heap.bytes, live));
    if (live > 0 || passing > 0) to.allocations.push_back({stacks(node), passing, live});
  }
}

void write_thread(const FirefoxThread& thread, model::Measure measure, const Write& write) {
  write(
      fmt::format("{{\"processType\":\"default\",\"processName\":{},\"processStartupTime\":{},"
                  "\"processShutdownTime\":{},\"registerTime\":{},\"unregisterTime\":{},\"pausedRanges\":[],"
                  "\"showMarkersInTimeline\":true,\"name\":{},\"isMainThread\":{},\"pid\":\"{}\",\"tid\":{},",
                  quoted(thread.process_name), milliseconds(thread.process_begin_ns),
                  milliseconds(thread.process_end_ns), milliseconds(thread.begin_ns), milliseconds(thread.end_ns),
                  quoted(thread.name), thread.main, thread.pid, thread.tid));
  write_samples(thread, show::names_of(measure).kind, write);
  write_allocations(thread, write);
  write_markers(thread.markers, write);
  write("}");
}

}  // namespace prof::formats
