#include "report/page/trace_lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "report/formats/chrome_texts.hpp"
#include "report/formats/trace_selection.hpp"
#include "report/show/processes.hpp"

namespace prof::page {
namespace {

struct Event {
  std::int64_t begin, ns;
  const model::TraceEvent* at;
};

// Whose events: devices behind threads; a range that may end on another thread lies within none of its own thread.
struct LaneOf {
  std::size_t process;
  bool device;
  std::uint32_t number, thread;
  bool loose;
  auto operator<=>(const LaneOf&) const = default;
};
using Lanes = std::map<LaneOf, std::vector<Event>>;

// Nothing comes before the run, whatever a damaged log says, and nothing lasts longer than a browser can count.
Event event_of(const show::Subject& subject, const model::Process& process, const model::TraceEvent& at) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  const auto since = [&](std::uint64_t ns) {
    return std::clamp<std::int64_t>(show::since_start(subject.run, process, ns), 0, kMost);
  };
  const std::int64_t begin = since(at.start_monotonic_ns);
  return {begin, std::max<std::int64_t>(0, since(at.end_monotonic_ns) - begin), &at};
}

// How long an event lasts at least that is among the `most` longest, and how many of just that length are.
struct Shortest {
  std::int64_t ns = 0;
  std::size_t left = 0;
  bool keeps(const Event& event) {
    if (event.ns != ns || left == 0) return event.ns > ns;
    --left;
    return true;
  }
};
Shortest shortest_of(const Lanes& lanes, std::size_t most) {
  std::vector<std::int64_t> times;
  for (const auto& [lane, events] : lanes) {
    for (const Event& event : events) times.push_back(event.ns);
  }
  if (times.size() <= most) return {-1, 0};
  const auto last = times.begin() + static_cast<std::ptrdiff_t>(most) - 1;
  std::nth_element(times.begin(), last, times.end(), std::greater<>());
  return {*last, static_cast<std::size_t>(std::count(times.begin(), last + 1, *last))};
}

std::string title(const show::Subject& subject, const LaneOf& lane, bool several) {
  const model::Process& process = subject.run.processes[lane.process];
  std::string of = several ? fmt::format(" of pid {}", process.pid) : "";
  if (lane.device) return fmt::format("GPU {}, stream {}{}", lane.number, lane.thread, of);
  std::string name;
  for (const model::Thread& thread : process.threads) {
    if (thread.tid == lane.thread) name = " (" + thread.display_name() + ")";
  }
  return fmt::format("{}thread {}{}{}", lane.loose ? "ranges that began on " : "", lane.thread, name, of);
}

Json lane_json(const model::Process& process, std::vector<Event> events, Bundle& bundle) {
  std::stable_sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tuple(a.begin, -a.ns) < std::tuple(b.begin, -b.ns);
  });
  std::map<std::uint32_t, std::size_t> names;  // texts of the bundle by frame
  std::vector<std::int64_t> begin, ns, name, kind, bytes;
  std::int64_t before = 0;
  for (const Event& event : events) {
    begin.push_back(event.begin - before);
    before = event.begin;
    ns.push_back(event.ns);
    const auto [found, is_new] = names.try_emplace(event.at->frame);
    if (is_new) found->second = bundle.text(formats::chrome_texts(process, *event.at).name);
    name.push_back(static_cast<std::int64_t>(found->second));
    kind.push_back(static_cast<std::int64_t>(event.at->kind));
    bytes.push_back(model::to_signed(event.at->bytes));
  }
  return {{"begin", bundle.add(begin)},
          {"ns", bundle.add(ns)},
          {"name", bundle.add(name)},
          {"kind", bundle.add(kind)},
          {"bytes", bundle.add(bytes)}};
}

}  // namespace

Json trace_json(const show::Subject& subject, std::size_t most, Bundle& bundle) {
  const std::vector<std::size_t> traces = formats::selected_traces(subject);
  if (traces.empty()) return nullptr;
  Lanes lanes;
  std::size_t all = 0, kept = 0;
  std::uint64_t overwritten = 0;
  for (const std::size_t i : traces) {
    const model::Process& process = subject.run.processes[i];
    const formats::TraceSelection selected(subject.selection, process);
    overwritten = model::saturated_sum(overwritten, process.tree.trace->overwritten);
    for (const model::TraceEvent& at : process.tree.trace->events) {
      if (!selected.event(at)) continue;
      const bool device = at.kind == log::TraceKind::Device;
      const bool loose = at.kind == log::TraceKind::Range && at.node == 0;
      lanes[{i, device, device ? at.device : 0, at.tid, loose}].push_back(event_of(subject, process, at));
      ++all;
    }
  }
  Shortest shortest = shortest_of(lanes, most);
  Json out = Json::array();
  for (auto& [lane, events] : lanes) {
    std::erase_if(events, [&](const Event& event) { return !shortest.keeps(event); });
    if (events.empty()) continue;
    kept += events.size();
    Json one = lane_json(subject.run.processes[lane.process], std::move(events), bundle);
    one["title"] = bundle.text(title(subject, lane, traces.size() > 1));
    out.push_back(std::move(one));
  }
  return {{"lanes", std::move(out)}, {"events", kept}, {"left_out", all - kept}, {"overwritten", overwritten}};
}

}  // namespace prof::page
