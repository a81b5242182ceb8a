#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "report/fold/training/trace_links.hpp"
#include "report/fold/training/trace_steps.hpp"
#include "report/formats/chrome_args.hpp"
#include "report/formats/chrome_texts.hpp"
#include "report/formats/firefox/threads.hpp"
#include "report/formats/trace_selection.hpp"
#include "report/show/processes.hpp"

namespace prof::formats {
namespace {

constexpr const char* kBytes = "{\"key\":\"bytes\",\"label\":\"Bytes\",\"format\":\"bytes\"}";
constexpr const char* kClass = "{\"key\":\"class\",\"label\":\"Class\",\"format\":\"string\"}";
constexpr const char* kCaller = "{\"key\":\"caller\",\"label\":\"Caller\",\"format\":\"string\"}";
constexpr const char* kCorrelation = "{\"key\":\"correlation\",\"label\":\"Correlation\",\"format\":\"integer\"}";
constexpr const char* kTypes[] = {"api", "operator", "range", "wait", "gpu", "step"};

struct Kind {
  const char* type;
  std::uint32_t category;
};
Kind kind_of(log::TraceKind kind) {
  using symbols::Language;
  switch (kind) {
    case log::TraceKind::Api:
      return {"api", firefox_category(Language::Api)};
    case log::TraceKind::Operator:
      return {"operator", firefox_category(Language::Operator)};
    case log::TraceKind::Range:
      return {"range", firefox_category(Language::Range)};
    case log::TraceKind::Wait:
      return {"wait", firefox_category(Language::Wait)};
    case log::TraceKind::Device:
      return {"gpu", firefox_category(Language::Gpu)};
  }
  return {"api", 0};
}

class MarkerWriter {
 public:
  MarkerWriter(std::vector<FirefoxThread>& threads, const show::Subject& subject, std::size_t index,
               FirefoxTables& tables)
      : threads_(threads),
        subject_(subject),
        process_(subject.run.processes[index]),
        tables_(tables),
        callers_(subject, index) {
    for (std::size_t i = 0; i < threads.size(); ++i) places_[threads[i].tid] = i;
  }

  void add_all() {
    const model::Trace& trace = *process_.tree.trace;
    const TraceSelection selected(subject_.selection, process_);
    std::set<std::size_t> steps;
    for (const fold::TraceStep& step : fold::trace_steps(process_, fold::by_thread(trace))) {
      if (step.event) steps.insert(*step.event);
      if (!selected.thread(step.tid)) continue;
      add(step.tid, {tables_.text(profiler_step(step.number)), kStepCategory, since(step.begin_monotonic_ns),
                     since(step.end_monotonic_ns), "{\"type\":\"step\"}"});
    }
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      if (selected.event(trace.events[i]) && !steps.contains(i)) add_event(trace.events[i]);
    }
    for (FirefoxThread& thread : threads_) {
      std::stable_sort(thread.markers.begin(), thread.markers.end(),
                       [](const FirefoxMarker& a, const FirefoxMarker& b) {
                         return std::pair(a.begin_ns, -a.end_ns) < std::pair(b.begin_ns, -b.end_ns);
                       });
    }
  }

 private:
  // Nothing comes before the run, whatever a damaged log says.
  std::int64_t since(std::uint64_t ns) const {
    return std::max<std::int64_t>(0, show::since_start(subject_.run, process_, ns));
  }

  void add(std::uint32_t tid, FirefoxMarker marker) {
    if (const auto found = places_.find(std::to_string(tid)); found != places_.end()) {
      threads_[found->second].markers.push_back(std::move(marker));
    }
  }

  void add_event(const model::TraceEvent& at) {
    const ChromeTexts texts = chrome_texts(process_, at);
    const Kind kind = kind_of(at.kind);
    const std::string category = texts.category.rfind("wait,", 0) == 0 ? texts.category.substr(5) : texts.category;
    ChromeArgs data;
    data.add("type", quoted(kind.type));
    data.add("class", quoted(category));
    if (at.bytes != 0) data.add("bytes", at.bytes);
    if (at.correlation != 0) data.add("correlation", at.correlation);
    const bool device = at.kind == log::TraceKind::Device;
    if (!device) {
      if (const std::string& caller = callers_.of(at); !caller.empty()) data.add("caller", caller);
    }
    FirefoxMarker marker{tables_.text(texts.name), kind.category, since(at.start_monotonic_ns),
                         std::max(since(at.start_monotonic_ns), since(at.end_monotonic_ns)), '{' + data.text() + '}'};
    if (!device) return add(at.tid, std::move(marker));
    stream(at.device, at.tid).markers.push_back(std::move(marker));
  }

  FirefoxThread& stream(std::uint32_t device, std::uint32_t stream) {
    const std::string tid = fmt::format("\"{}-{}-{}\"", process_.pid, device, stream);
    const auto [found, is_new] = places_.try_emplace(tid, threads_.size());
    if (is_new) {
      FirefoxThread& thread = threads_.emplace_back(FirefoxThread(threads_.front()));
      thread.samples.clear();
      thread.allocations.clear();
      thread.markers.clear();
      thread.main = false;
      thread.tid = tid;
      thread.name = fmt::format("GPU {} stream {}", device, stream);
    }
    return threads_[found->second];
  }

  std::vector<FirefoxThread>& threads_;
  const show::Subject& subject_;
  const model::Process& process_;
  FirefoxTables& tables_;
  ChromeCallers callers_;
  std::map<std::string, std::size_t> places_;  // of threads, by tid
};

}  // namespace

void add_markers(std::vector<FirefoxThread>& threads, const show::Subject& subject, std::size_t process,
                 FirefoxTables& tables) {
  if (!threads.empty() && subject.run.processes[process].tree.trace) {
    MarkerWriter(threads, subject, process, tables).add_all();
  }
}

void write_marker_schema(const Write& write) {
  write_list(write, std::size(kTypes), [](std::size_t i) {
    return fmt::format(
        "{{\"name\":\"{}\",\"tooltipLabel\":\"{{marker.name}}\",\"tableLabel\":\"{{marker.name}}\","
        "\"chartLabel\":\"{{marker.name}}\",\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],"
        "\"fields\":[{},{},{},{}]}}",
        kTypes[i], kClass, kBytes, kCaller, kCorrelation);
  });
}

}  // namespace prof::formats
