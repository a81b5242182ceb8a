#include "report/formats/chrome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "report/formats/json_value.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/words.hpp"
#include "report/symbols/demangle.hpp"

namespace prof::formats {
namespace {

using model::TraceEvent;

std::string quoted(const std::string& value) {
  return Json(show::printable(value)).dump(-1, ' ', true, Json::error_handler_t::replace);
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

// As torch.profiler names copies: tools look for these words.
std::string copy_name(const model::Name& name) {
  const std::string side = name.group.empty() ? "Unknown" : capital(name.group);
  if (name.name == "memset") return fmt::format("Memset ({})", side);
  if (name.name == "HtoD") return fmt::format("Memcpy HtoD ({} -> Device)", side);
  if (name.name == "DtoH") return fmt::format("Memcpy DtoH (Device -> {})", side);
  return fmt::format("Memcpy {} (Device -> Device)", name.name);
}

struct Words {
  std::string name;
  const char* category = "";
};

Words words_of(const model::Process& process, const TraceEvent& event) {
  const std::uint32_t id = process.tree.frames[event.frame].name;
  if (event.kind == log::TraceKind::Wait) return {id == model::kNoName ? "wait" : process.names[id].name, "wait"};
  if (id == model::kNoName) return {"(unnamed)", event.kind == log::TraceKind::Device ? "kernel" : "cpu_op"};
  const model::Name& name = process.names[id];
  switch (name.kind) {
    case log::NameKind::Api:
      return {name.name, name.group == "CUDA runtime"  ? "cuda_runtime"
                         : name.group == "CUDA driver" ? "cuda_driver"
                                                       : "cpu_op"};
    case log::NameKind::Kernel:
      return {symbols::demangle(name.name), "kernel"};
    case log::NameKind::Copy:
      return {copy_name(name), name.name == "memset" ? "gpu_memset" : "gpu_memcpy"};
    case log::NameKind::Range:
      return {name.name, "user_annotation"};
    case log::NameKind::Operator:
    case log::NameKind::Stream:
      break;
  }
  return {name.name, "cpu_op"};
}

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
    if (ranked && ranks.size() == 1) write_(fmt::format("\"distributedInfo\":{{\"rank\": {}}},", *ranks.begin()));
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
    callers_.clear();
    const model::Trace& trace = *process_->tree.trace;
    result_.overwritten = model::saturated_sum(result_.overwritten, trace.overwritten);
    std::unordered_set<std::uint32_t> tids;
    for (const model::Thread& thread : process_->threads) {
      if (subject_.selection.includes(thread)) tids.insert(thread.tid);
    }
    std::unordered_map<std::uint32_t, const TraceEvent*> calls;  // by correlation
    std::set<std::pair<std::uint32_t, std::uint32_t>> streams;
    const bool by_thread = subject_.selection.by_thread();
    for (const TraceEvent& at : trace.events) {
      if (at.kind == log::TraceKind::Device || (by_thread && !tids.contains(at.tid))) continue;
      if (at.correlation != 0) calls.try_emplace(at.correlation, &at);
      host(at);
    }
    for (const TraceEvent& at : trace.events) {
      if (at.kind != log::TraceKind::Device) continue;
      const auto call = calls.find(at.correlation);
      const bool linked = at.correlation != 0 && call != calls.end();
      if (by_thread && !linked) continue;
      streams.insert({at.device, at.tid});
      work(at);
      if (linked) arrow(*call->second, at);
    }
    metadata(streams);
  }

  void host(const TraceEvent& at) {
    const Words words = words_of(*process_, at);
    if (at.kind == log::TraceKind::Range && at.node == 0) return loose(at, words);
    std::string args;
    if (at.correlation != 0) args = fmt::format("\"correlation\":{}", correlation(at.correlation));
    if (at.bytes != 0 && at.kind == log::TraceKind::Api)
      args += fmt::format("{}\"bytes\":{}", args.empty() ? "" : ",", at.bytes);
    if (const std::string& caller = caller_of(at.node); !caller.empty()) {
      args += fmt::format("{}\"Caller\":{}", args.empty() ? "" : ",", caller);
    }
    span(at, words, process_->pid, at.tid, args);
  }

  void work(const TraceEvent& at) {
    const Words words = words_of(*process_, at);
    std::string args = fmt::format("\"device\":{},\"context\":{},\"stream\":{},\"correlation\":{}", at.device,
                                   at.context, at.tid, correlation(at.correlation));
    if (at.bytes != 0) {
      args += fmt::format(",\"bytes\":{}", at.bytes);
      const std::uint64_t ns = at.end_monotonic_ns - at.start_monotonic_ns;
      if (ns != 0) {
        args +=
            fmt::format(",\"memory bandwidth (GB/s)\":{:.3f}", static_cast<double>(at.bytes) / static_cast<double>(ns));
      }
    }
    span(at, words, device_pid(at.device), at.tid, args);
  }

  void span(const TraceEvent& at, const Words& words, std::uint64_t pid, std::uint32_t tid, const std::string& args) {
    event(
        fmt::format("{{\"ph\":\"X\",\"cat\":\"{}\",\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{:.3f},"
                    "\"args\":{{{}}}}}",
                    words.category, quoted(words.name), pid, tid, microseconds(at.start_monotonic_ns),
                    static_cast<double>(at.end_monotonic_ns - at.start_monotonic_ns) / 1e3, args));
    ++result_.events;
  }

  // A range that may end on another thread, and lies in no other: spans of a thread have to nest.
  void loose(const TraceEvent& at, const Words& words) {
    const std::uint64_t id = ++loose_;
    for (const char side : {'b', 'e'}) {
      event(fmt::format("{{\"ph\":\"{}\",\"cat\":\"{}\",\"id\":{},\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{}}}", side,
                        words.category, id, quoted(words.name), process_->pid, at.tid,
                        microseconds(side == 'b' ? at.start_monotonic_ns : at.end_monotonic_ns)));
    }
    ++result_.events;
  }

  // Each arrow has an id of its own: a graph's launch has many.
  void arrow(const TraceEvent& call, const TraceEvent& at) {
    const std::uint64_t id = ++arrows_;
    event(fmt::format("{{\"ph\":\"s\",\"id\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"cat\":\"ac2g\",\"name\":\"ac2g\"}}",
                      id, process_->pid, call.tid, microseconds(call.start_monotonic_ns)));
    event(
        fmt::format("{{\"ph\":\"f\",\"id\":{},\"pid\":{},\"tid\":{},\"ts\":{},\"cat\":\"ac2g\",\"name\":\"ac2g\","
                    "\"bp\":\"e\"}}",
                    id, device_pid(at.device), at.tid, microseconds(at.start_monotonic_ns)));
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

  // The innermost Python line above a node, quoted; empty: there is none.
  const std::string& caller_of(std::uint32_t node) {
    const auto [found, is_new] = callers_.try_emplace(node);
    if (!is_new) return found->second;
    const model::Tree& tree = process_->tree;
    for (; node != 0; node = tree.nodes[node].parent) {
      if (tree.frames[tree.nodes[node].frame].kind != model::Frame::Kind::Python) continue;
      const auto locations = subject_.symbols.locations(chosen_[order_], tree.nodes[node].frame);
      if (locations.empty()) continue;
      found->second = quoted(fmt::format("{} ({})", show::location_label(subject_.symbols, locations.front(), false),
                                         show::location_place(subject_.symbols, locations.front(), false)));
      break;
    }
    return found->second;
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
  std::unordered_map<std::uint32_t, std::string> callers_;
};

}  // namespace

ChromeResult chrome(const show::Subject& subject, const Write& write) { return Writer(subject, write).run(); }

}  // namespace prof::formats
