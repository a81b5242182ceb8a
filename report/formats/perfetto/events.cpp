#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include "report/fold/training/trace_backward.hpp"
#include "report/fold/training/trace_links.hpp"
#include "report/fold/training/trace_steps.hpp"
#include "report/formats/chrome_texts.hpp"
#include "report/formats/perfetto/fields.hpp"
#include "report/formats/perfetto/parts.hpp"
#include "report/formats/trace_selection.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/text.hpp"

namespace prof::formats::perfetto {
namespace {

struct Slice {
  std::uint64_t begin = 0, end = 0;
  std::string name, category;
  std::vector<std::uint64_t> flows, ended_flows;
  const model::TraceEvent* event = nullptr;  // null: a step
};

class EventWriter {
 public:
  EventWriter(Sequence& sequence, Tracks& tracks, const show::Subject& subject, std::size_t index)
      : sequence_(sequence),
        tracks_(tracks),
        subject_(subject),
        index_(index),
        process_(subject.run.processes[index]),
        selected_(subject.selection, process_) {}

  std::size_t run() {
    const model::Trace& trace = *process_.tree.trace;
    link();
    std::unordered_map<std::size_t, std::int64_t> numbers;
    for (const fold::TraceStep& step : fold::trace_steps(process_, fold::by_thread(trace))) {
      if (step.event) {
        numbers[*step.event] = step.number;
      } else if (selected_.thread(step.tid)) {
        slices_[tracks_.thread(step.tid)].push_back({tracks_.time(step.begin_monotonic_ns),
                                                     tracks_.time(step.end_monotonic_ns),
                                                     profiler_step(step.number),
                                                     "step",
                                                     {},
                                                     {},
                                                     nullptr});
      }
    }
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      const model::TraceEvent& at = trace.events[i];
      if (!selected_.event(at)) continue;
      ChromeTexts texts = chrome_texts(process_, at);
      if (const auto found = numbers.find(i); found != numbers.end()) texts = {profiler_step(found->second), "step"};
      Slice slice{tracks_.time(at.start_monotonic_ns),
                  tracks_.time(at.end_monotonic_ns),
                  texts.name,
                  texts.category,
                  {},
                  {},
                  &at};
      if (const auto found = flows_.find(&at); found != flows_.end()) slice.flows = found->second;
      if (const auto found = ended_flows_.find(&at); found != ended_flows_.end()) slice.ended_flows = found->second;
      place(at, std::move(slice));
    }
    write_ranges();
    for (auto& [track, slices] : slices_) write_track(track, slices);
    return packets_;
  }

 private:
  // From a call to what it launched, from an operator to its backward function.
  void link() {
    const model::Trace& trace = *process_.tree.trace;
    const auto arrow = [&](const model::TraceEvent& from, const model::TraceEvent& to) {
      const std::uint64_t id = (std::uint64_t{index_} + 1) << 32 | ++arrows_;
      flows_[&from].push_back(id);
      ended_flows_[&to].push_back(id);
    };
    for (const model::TraceEvent& at : trace.events) {
      if (at.kind != log::TraceKind::Device || !selected_.event(at)) continue;
      if (const model::TraceEvent* call = selected_.call_of(at); call != nullptr) arrow(*call, at);
    }
    for (const auto& [forward, backward] : fold::backward_links(process_)) {
      const model::TraceEvent &from = trace.events[forward], &to = trace.events[backward];
      if (selected_.event(from) && selected_.event(to)) arrow(from, to);
    }
  }

  void place(const model::TraceEvent& at, Slice slice) {
    if (at.kind == log::TraceKind::Device) {
      slices_[tracks_.stream(at.device, at.tid)].push_back(std::move(slice));
    } else if (at.kind == log::TraceKind::Range && at.node == 0) {
      loose_.push_back(std::move(slice));
    } else {
      slices_[tracks_.thread(at.tid)].push_back(std::move(slice));
    }
  }

  // Ranges that may end on another thread may overlap: as many tracks as are open at once.
  void write_ranges() {
    std::stable_sort(loose_.begin(), loose_.end(), [](const Slice& a, const Slice& b) { return a.begin < b.begin; });
    std::vector<std::uint64_t> free_from;
    for (Slice& slice : loose_) {
      const auto lane =
          std::find_if(free_from.begin(), free_from.end(), [&](std::uint64_t free) { return free <= slice.begin; });
      const auto place = static_cast<std::size_t>(lane - free_from.begin());
      if (lane == free_from.end()) free_from.push_back(0);
      free_from[place] = slice.end;
      slices_[tracks_.ranges(place)].push_back(std::move(slice));
    }
  }

  // What begins within a slice has to end within it.
  void write_track(std::uint64_t track, std::vector<Slice>& slices) {
    std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
    std::vector<std::uint64_t> open;
    const auto close = [&](std::uint64_t until) {
      for (; !open.empty() && open.back() <= until; open.pop_back()) end(track, open.back());
    };
    for (const Slice& slice : slices) {
      close(slice.begin);
      begin(track, slice);
      const std::uint64_t last = std::max(slice.begin, slice.end);
      open.push_back(open.empty() ? last : std::min(last, open.back()));
    }
    close(UINT64_MAX);
  }

  void write(std::uint64_t time, const ProtoMessage& event) {
    ProtoMessage packet;
    packet.present(packet::kTimestamp, time);
    packet.message(packet::kTrackEvent, event);
    sequence_.write(std::move(packet));
    ++packets_;
  }

  void annotate(ProtoMessage& event, const char* name, std::uint64_t value) {
    ProtoMessage out;
    out.integer(annotation::kName, sequence_.annotation_name(name));
    out.integer(annotation::kUnsigned, value);
    event.message(event::kAnnotation, out);
  }

  void begin(std::uint64_t track, const Slice& slice) {
    ProtoMessage event;
    event.integer(event::kType, std::uint64_t{event::kBegin});
    event.integer(event::kTrack, track);
    event.integer(event::kName, sequence_.event_name(slice.name));
    event.integer(event::kCategory, sequence_.category(slice.category));
    for (const std::uint64_t flow : slice.flows) event.fixed64(event::kFlow, flow);
    for (const std::uint64_t flow : slice.ended_flows) event.fixed64(event::kFlowEnd, flow);
    if (slice.event != nullptr) {
      if (slice.event->correlation != 0) annotate(event, "correlation", slice.event->correlation);
      if (slice.event->bytes != 0) annotate(event, "bytes", slice.event->bytes);
      if (const std::string& caller = caller_of(*slice.event); !caller.empty()) {
        ProtoMessage out;
        out.integer(annotation::kName, sequence_.annotation_name("caller"));
        out.integer(annotation::kText, sequence_.annotation_text(caller));
        event.message(event::kAnnotation, out);
      }
    }
    write(slice.begin, event);
  }

  void end(std::uint64_t track, std::uint64_t time) {
    ProtoMessage event;
    event.integer(event::kType, std::uint64_t{event::kEnd});
    event.integer(event::kTrack, track);
    write(time, event);
  }

  // The innermost Python line above an event of the host.
  const std::string& caller_of(const model::TraceEvent& event) {
    static const std::string nothing;
    if (event.kind == log::TraceKind::Device || event.node == 0) return nothing;
    const bool is_operator = event.kind == log::TraceKind::Operator;
    const auto [found, is_new] = (is_operator ? operators_ : called_).try_emplace(event.node);
    if (!is_new) return found->second;
    const std::vector<model::Node>& nodes = is_operator ? process_.tree.operator_nodes : process_.tree.nodes;
    for (std::uint32_t node = event.node; node != 0; node = nodes[node].parent) {
      const model::Frame::Kind kind = process_.tree.frames[nodes[node].frame].kind;
      if (kind != model::Frame::Kind::Python && kind != model::Frame::Kind::PythonLine) continue;
      const auto locations = subject_.symbols.locations(index_, nodes[node].frame);
      if (locations.empty()) continue;
      found->second = show::printable(show::location_label(subject_.symbols, locations.front(), false) + " (" +
                                      show::location_place(subject_.symbols, locations.front(), false) + ")");
      break;
    }
    return found->second;
  }

  Sequence& sequence_;
  Tracks& tracks_;
  const show::Subject& subject_;
  std::size_t index_;
  const model::Process& process_;
  TraceSelection selected_;
  std::unordered_map<const model::TraceEvent*, std::vector<std::uint64_t>> flows_, ended_flows_;
  std::unordered_map<std::uint32_t, std::string> called_, operators_;
  std::map<std::uint64_t, std::vector<Slice>> slices_;  // by track
  std::vector<Slice> loose_;
  std::uint64_t arrows_ = 0;
  std::size_t packets_ = 0;
};

}  // namespace

std::size_t write_events(Sequence& sequence, Tracks& tracks, const show::Subject& subject, std::size_t process) {
  if (!subject.run.processes[process].tree.trace) return 0;
  return EventWriter(sequence, tracks, subject, process).run();
}

}  // namespace prof::formats::perfetto
