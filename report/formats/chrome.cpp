#include "report/formats/chrome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "report/fold/training/trace_backward.hpp"
#include "report/fold/training/trace_links.hpp"
#include "report/fold/training/trace_steps.hpp"
#include "report/formats/chrome_args.hpp"
#include "report/formats/chrome_modules.hpp"
#include "report/formats/chrome_texts.hpp"
#include "report/show/processes.hpp"

namespace prof::formats {
namespace {

using model::TraceEvent;

class Writer {
 public:
  Writer(const show::Subject& subject, const Write& write) : subject_(subject), write_(write) {}

  ChromeResult run() {
    std::set<std::int32_t> ranks;
    bool ranked = true;
    for (std::size_t i = 0; i < subject_.run.processes.size(); ++i) {
      const model::Process& process = subject_.run.processes[i];
      if (!subject_.selection.includes(process) || !process.tree.trace) continue;
      chosen_.push_back(i);
      ranked &= process.rank.has_value();
      if (process.rank) ranks.insert(*process.rank);
    }
    result_.traces = chosen_.size();
    result_.ranks = ranks.size();
    if (chosen_.empty()) return result_;
    write_("{\"schemaVersion\":1,");
    // With the blank: Holistic Trace Analysis looks for the rank in the text.
    if (ranked && ranks.size() == 1) {
      const auto size = subject_.run.processes[chosen_.front()].world_size;
      write_(fmt::format("\"distributedInfo\":{{\"rank\": {}{}}},", *ranks.begin(),
                         size ? fmt::format(",\"world_size\": {}", *size) : ""));
    }
    write_(
        fmt::format("\"displayTimeUnit\":\"ms\",\"baseTimeNanoseconds\":{},\"traceName\":{},\"deviceProperties\":[{}],"
                    "\"traceEvents\":[",
                    subject_.run.start_realtime_ns, quoted(subject_.run.processes.front().command()), devices()));
    for (std::size_t order = 0; order < chosen_.size(); ++order) process(order);
    write_("\n]}\n");
    return result_;
  }

 private:
  // Of the first process that knows them: those of one machine.
  std::string devices() const {
    std::string out;
    for (const model::Device& device : subject_.run.processes[chosen_.front()].devices) {
      out += fmt::format(
          "{}{{\"id\":{},\"name\":{},\"totalGlobalMem\":{},\"computeMajor\":{},\"computeMinor\":{},\"numSms\":{}}}",
          out.empty() ? "" : ",", device.index, quoted(device.name), device.memory_bytes, device.compute_major,
          device.compute_minor, device.multiprocessors);
    }
    return out;
  }

  void event(const std::string& text) {
    write_(first_ ? "\n" : ",\n");
    write_(text);
    first_ = false;
  }

  // Nothing comes before the run, whatever a damaged log says.
  std::string microseconds(std::uint64_t monotonic_ns) const {
    const std::int64_t ns = std::max<std::int64_t>(0, show::since_start(subject_.run, *process_, monotonic_ns));
    return fmt::format("{:.3f}", static_cast<double>(ns) / 1e3);
  }

  // A device is a process of its own to these tools, with its streams as threads.
  std::uint64_t device_pid(std::uint32_t device) const {
    constexpr std::uint64_t kBeyondPids = 1'000'000'000;
    return chosen_.size() == 1 ? device : kBeyondPids + order_ * 10'000 + device;
  }
  // The ids of one process mean nothing to another.
  std::uint64_t correlation(std::uint32_t id) const { return id == 0 ? 0 : (std::uint64_t{order_} << 32) + id; }

  void process(std::size_t order) {
    order_ = order;
    process_ = &subject_.run.processes[chosen_[order]];
    callers_.emplace(subject_, chosen_[order]);
    const model::Trace& trace = *process_->tree.trace;
    result_.overwritten = model::saturated_sum(result_.overwritten, trace.overwritten);
    std::unordered_set<std::uint32_t> tids;
    for (const model::Thread& thread : process_->threads) {
      if (subject_.selection.includes(thread)) tids.insert(thread.tid);
    }
    std::unordered_map<std::uint32_t, const TraceEvent*> calls;  // by correlation
    std::set<std::pair<std::uint32_t, std::uint32_t>> streams;
    const bool only_threads = subject_.selection.by_thread();
    const auto selected = [&](std::uint32_t tid) { return !only_threads || tids.contains(tid); };
    const std::vector<std::size_t> spans = fold::by_thread(trace);
    numbers_ = fold::operator_numbers(trace, spans);
    const std::vector<fold::TraceStep> loop = fold::trace_steps(*process_, spans);
    steps(loop, selected);
    modules(module_slices(subject_.run, chosen_[order], subject_.symbols, spans, loop), selected);
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      const TraceEvent& at = trace.events[i];
      if (at.kind == log::TraceKind::Device || !selected(at.tid)) continue;
      if (at.correlation != 0) calls.try_emplace(at.correlation, &at);
      host(i);
    }
    for (std::size_t i = 0; i < trace.events.size(); ++i) {
      const TraceEvent& at = trace.events[i];
      if (at.kind != log::TraceKind::Device) continue;
      const auto call = calls.find(at.correlation);
      const bool linked = at.correlation != 0 && call != calls.end();
      if (only_threads && !linked) continue;
      streams.insert({at.device, at.tid});
      work(i);
      if (linked) arrow("ac2g", *call->second, at, device_pid(at.device));
    }
    for (const auto& [forward, backward] : fold::backward_links(*process_)) {
      const TraceEvent &from = trace.events[forward], &to = trace.events[backward];
      if (selected(from.tid) && selected(to.tid)) arrow("fwdbwd", from, to, process_->pid);
    }
    metadata(streams);
  }

  using Selected = std::function<bool(std::uint32_t tid)>;

  // Tools divide a trace by these, and all have to have a number.
  void steps(const std::vector<fold::TraceStep>& loop, const Selected& selected) {
    step_names_.clear();
    for (const fold::TraceStep& step : loop) {
      const std::string name = profiler_step(step.number);
      if (step.event) {
        step_names_[*step.event] = name;
      } else if (selected(step.tid)) {
        span({name, "user_annotation"}, step.begin_monotonic_ns, step.end_monotonic_ns, process_->pid, step.tid, {});
      }
    }
  }

  void modules(const std::vector<ModuleSlice>& slices, const Selected& selected) {
    for (std::size_t i = 0; i < slices.size(); ++i) {
      const ModuleSlice& slice = slices[i];
      if (!selected(slice.tid)) continue;
      ChromeArgs args;
      args.add("Python id", correlation(static_cast<std::uint32_t>(i + 1)));
      args.add("Python parent id",
               slice.outer ? std::to_string(correlation(static_cast<std::uint32_t>(*slice.outer + 1))) : "null");
      args.add("Python module id", slice.number);
      span({fmt::format("nn.Module: {}_{}", slice.name, slice.number), "python_function"}, slice.begin_monotonic_ns,
           slice.end_monotonic_ns, process_->pid, slice.tid, args.text());
    }
  }

  ChromeTexts texts_of(std::size_t index) const {
    ChromeTexts texts = chrome_texts(*process_, process_->tree.trace->events[index]);
    if (const auto found = step_names_.find(index); found != step_names_.end()) texts.name = found->second;
    return texts;
  }

  // The number of an operator in this file.
  void add_external_id(std::size_t index, ChromeArgs& args) const {
    if (numbers_[index] != 0) args.add("External id", correlation(numbers_[index]));
  }

  void host(std::size_t index) {
    const TraceEvent& at = process_->tree.trace->events[index];
    const ChromeTexts texts = texts_of(index);
    if (at.kind == log::TraceKind::Range && at.node == 0) return loose(at, texts);
    ChromeArgs args;
    add_external_id(index, args);
    if (at.correlation != 0) args.add("correlation", correlation(at.correlation));
    if (at.bytes != 0 && (at.kind == log::TraceKind::Api || at.kind == log::TraceKind::Wait))
      args.add("bytes", at.bytes);
    add_operator(*process_, at, args);
    if (const std::string& caller = callers_->of(at); !caller.empty()) args.add("Caller", caller);
    span(texts, at.start_monotonic_ns, at.end_monotonic_ns, process_->pid, at.tid, args.text());
    ++result_.events;
  }

  void work(std::size_t index) {
    const TraceEvent& at = process_->tree.trace->events[index];
    const ChromeTexts texts = texts_of(index);
    ChromeArgs args;
    args.add("device", at.device);
    args.add("context", at.context);
    args.add("stream", at.tid);
    args.add("correlation", correlation(at.correlation));
    add_external_id(index, args);
    if (at.bytes != 0) {
      args.add("bytes", at.bytes);
      const std::uint64_t ns = at.end_monotonic_ns - at.start_monotonic_ns;
      if (ns != 0) {
        args.add("memory bandwidth (GB/s)",
                 fmt::format("{:.3f}", static_cast<double>(at.bytes) / static_cast<double>(ns)));
      }
    }
    span(texts, at.start_monotonic_ns, at.end_monotonic_ns, device_pid(at.device), at.tid, args.text());
    ++result_.events;
  }

  void span(const ChromeTexts& texts, std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t pid,
            std::uint32_t tid, const std::string& args) {
    event(
        fmt::format("{{\"ph\":\"X\",\"cat\":{},\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{:.3f},"
                    "\"args\":{{{}}}}}",
                    quoted(texts.category), quoted(texts.name), pid, tid, microseconds(begin_ns),
                    static_cast<double>(end_ns - begin_ns) / 1e3, args));
  }

  // A range that may end on another thread, and lies in no other: spans of a thread have to nest.
  void loose(const TraceEvent& at, const ChromeTexts& texts) {
    const std::uint64_t id = ++loose_;
    for (const char side : {'b', 'e'}) {
      event(fmt::format("{{\"ph\":\"{}\",\"cat\":{},\"id\":{},\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{}}}", side,
                        quoted(texts.category), id, quoted(texts.name), process_->pid, at.tid,
                        microseconds(side == 'b' ? at.start_monotonic_ns : at.end_monotonic_ns)));
    }
    ++result_.events;
  }

  // Each arrow has an id of its own: a graph's launch has many, and threads number their backward functions alike.
  void arrow(const char* category, const TraceEvent& from, const TraceEvent& to, std::uint64_t to_pid) {
    const std::uint64_t id = ++arrows_;
    const auto side = [&](char phase, std::uint64_t pid, const TraceEvent& at, const char* more) {
      event(fmt::format("{{\"ph\":\"{}\",\"id\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"cat\":\"{}\",\"name\":\"{}\"{}}}",
                        phase, id, pid, at.tid, microseconds(at.start_monotonic_ns), category, category, more));
    };
    side('s', process_->pid, from, "");
    side('f', to_pid, to, ",\"bp\":\"e\"");
  }

  void name(const char* what, std::uint64_t pid, std::uint64_t tid, const std::string& key, const std::string& value) {
    event(fmt::format("{{\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":0,\"args\":{{\"{}\":{}}}}}", what,
                      pid, tid, key, value));
  }

  void metadata(const std::set<std::pair<std::uint32_t, std::uint32_t>>& streams) {
    name("process_name", process_->pid, 0, "name", quoted(show::command_label(*process_, false)));
    name("process_labels", process_->pid, 0, "labels", "\"CPU\"");
    name("process_sort_index", process_->pid, 0, "sort_index", std::to_string(order_));
    for (const model::Thread& thread : process_->threads) {
      if (!subject_.selection.includes(thread)) continue;
      name("thread_name", process_->pid, thread.tid, "name",
           quoted(fmt::format("thread {} ({})", thread.tid, thread.display_name())));
    }
    std::set<std::uint32_t> devices;
    for (const auto& [device, stream] : streams) {
      if (devices.insert(device).second) {
        name("process_name", device_pid(device), 0, "name", quoted(show::command_label(*process_, false)));
        name("process_labels", device_pid(device), 0, "labels", quoted(fmt::format("GPU {}", device)));
        name("process_sort_index", device_pid(device), 0, "sort_index", std::to_string(5'000'000 + order_));
      }
      name("thread_name", device_pid(device), stream, "name", quoted(fmt::format("stream {}", stream)));
    }
  }

  const show::Subject& subject_;
  const Write& write_;
  ChromeResult result_;
  std::vector<std::size_t> chosen_;
  bool first_ = true;
  std::uint64_t arrows_ = 0, loose_ = 0;
  // Of the process in hand:
  std::size_t order_ = 0;
  const model::Process* process_ = nullptr;
  std::optional<ChromeCallers> callers_;
  std::vector<std::uint32_t> numbers_;                       // of operators, by event
  std::unordered_map<std::size_t, std::string> step_names_;  // by event
};

}  // namespace

ChromeResult chrome(const show::Subject& subject, const Write& write) { return Writer(subject, write).run(); }

}  // namespace prof::formats
