// A run of one process that is written piece by piece, and what the rules find in it.
//
//   process 500 "python3 train.py", two seconds long, its main thread in train() of /app/train.py
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/findings/rules/look.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/loaded_run.hpp"
#include "tests/unit/support/units.hpp"

namespace prof::test {

class FindingsRun : public LoadedRun {
 public:
  // `python`: whether the process is said to run it; lines of its are there in any case.
  explicit FindingsRun(bool python = true) {
    log.header.pid = 500;
    log.header.log_id = 500;
    log.header.segments.epoch = log.header.tensors.epoch = 1;
    log.info(log::InfoKey::Argv, std::string("python3\0train.py", 16));
    log.info(log::InfoKey::Options, "PROF_WAIT=on");
    if (python) log.info(log::InfoKey::Python, "version=3.11.2\nframes=on\nmode=frames");
    log.thread(0).flags = log::kThreadMain;
    train_ = code("train", "/app/train.py");
  }

  // Code whose byte 2 * (n - 1) is on line n.
  std::uint32_t code(const std::string& name, const std::string& file, std::int32_t first_line = 0) {
    return log.code(name.substr(name.rfind('.') + 1), name, file, first_line, table(100), log::CodeKind::Code, 10);
  }
  std::uint32_t line(std::uint32_t above, std::uint32_t of, std::uint32_t number) {
    return log.node(above, log.python(of, 2 * (number - 1)));
  }
  // A line of train().
  std::uint32_t train(std::uint32_t number) { return line(0, train_, number); }

  std::uint32_t api(std::uint32_t above, const char* name, std::uint64_t calls, std::uint64_t ns,
                    std::uint64_t bytes = 0) {
    const std::uint32_t node = log.node(above, log.named(log::NameKind::Api, name, "CUDA runtime"));
    log.record(log::RecordClass::Api, node, log::ApiWords{calls, 0, ns, ns / calls, ns / calls, bytes, 0, 0});
    return node;
  }
  std::uint32_t kernel(std::uint32_t above, const char* name, std::uint64_t count, std::uint64_t ns) {
    return work(above, log.named(log::NameKind::Kernel, name), count, ns, 0);
  }
  std::uint32_t copy(std::uint32_t above, const char* kind, const char* memory, std::uint64_t count, std::uint64_t ns,
                     std::uint64_t bytes) {
    return work(above, log.named(log::NameKind::Copy, kind, memory), count, ns, bytes);
  }
  // The same frame for two names would be two frames to the reader, as the agent never writes it.
  std::uint32_t work(std::uint32_t above, std::uint32_t frame, std::uint64_t count, std::uint64_t ns,
                     std::uint64_t bytes) {
    const std::uint32_t node = log.node(above, frame);
    log.record(log::RecordClass::Device, node, log::DeviceWords{count, ns, ns / count, ns / count, bytes, 0});
    return node;
  }

  // Calls of an operator of PyTorch's, as it was counted, that took so long together.
  void count_operator(const char* name, const char* kind, std::uint64_t calls, std::uint64_t ns) {
    log::OperatorWords words{};
    words.calls = calls;
    words.total_ns = ns;
    words.min_ns = words.max_ns = ns / calls;
    const std::uint32_t root = log.node(0, log.special(log::SpecialFrame::Operators));
    log.record(log::RecordClass::Operator, log.node(root, log.named(log::NameKind::Operator, name, kind)), words);
  }

  // Calls of libc's that waited for something of a class, in a thread: at a place, and of all that the thread made.
  std::uint32_t wait(std::uint32_t above, const char* function, const char* what, std::uint64_t calls, std::uint64_t ns,
                     std::uint32_t slot = 0) {
    const std::uint32_t frame = log.named(log::NameKind::Wait, function, what), node = log.node(above, frame);
    log.record(log::RecordClass::Wait, node, log::WaitWords{calls * log::kCountUnit, ns, calls}, slot);
    log::WaitTotalWords total{};
    total.calls = calls;
    total.total_ns = ns;
    log.record(log::RecordClass::WaitTotal, log.node(log.node(0, log.special(log::SpecialFrame::Waits)), frame), total,
               slot);
    return node;
  }

  // The process asks a peer for something.
  void connects() { wait(train(1), "connect", "network", 1, 0); }

  // What the system says of threads, from slot 0 on.
  void use(std::vector<log::ThreadUseRecord> records) {
    for (log::ThreadUseRecord& record : records) {
      record.known |= log::kKnowsRunQueue | log::kKnowsFaults;
      record.noted_ns = 5;
    }
    log.thread_uses(records);
  }
  // How long the main thread was ready to run, without a processor.
  void queue(std::uint64_t ms) {
    log::ThreadUseRecord record{};
    record.run_queue_ns = ms * kMs;
    use({record});
  }

  // The interpreter's own code below a line, in a file without symbols.
  std::uint32_t interpreter(std::uint32_t above, std::uint64_t address = 0x100) {
    constexpr const char* kFile = "/nowhere/python3.11";
    if (interpreter_ == 0) {
      log.info(log::InfoKey::Python, std::string("path=") + kFile);
      interpreter_ = log.module(kFile);
    }
    return log.node(above, log.native(interpreter_, address));
  }

  // Makes this another process of a run, that `parent` started when the run was so old, and that lived so long.
  void becomes_child(std::uint32_t pid, std::uint32_t parent, std::uint64_t after_ms, std::uint64_t life_ms) {
    log.header.pid = pid;
    log.header.log_id = pid;
    log.header.ppid = parent;
    log.header.start_realtime_ns += after_ms * kMs;
    log.header.start_monotonic_ns += after_ms * kMs;
    log.header.end_monotonic_ns = log.header.start_monotonic_ns + life_ms * kMs;
  }
  void write_into(const FindingsRun& parent) const {
    log.write(parent.directory() / (std::to_string(log.header.pid) + ".1.proflog"));
  }

  // A device that was at work from 100 ms to 100 + `span_ms` ms; see log::DeviceRecord.
  log::DeviceRecord& device(std::uint64_t span_ms, std::uint64_t busy_ms) {
    if (!device_) {
      log.info(log::InfoKey::Cuda, "state=active\ncupti=130001\ndriver=12040");
      device_.emplace();
      device_->state = 1;
      device_->compute_major = 8;
      device_->multiprocessors = 108;
      device_->clock_khz = 1'410'000;
      device_->memory_bytes = 40ULL << 30;
      device_->uuid[15] = 1;
    }
    device_->first_ns = log.header.start_monotonic_ns + 100 * kMs;
    device_->last_ns = device_->first_ns + span_ms * kMs;
    device_->busy_ns = busy_ms * kMs;
    return *device_;
  }

  // That many steps of `ms` each, one after the other from 100 ms on, of which a part took `part_ms`.
  void steps(std::uint64_t count, std::uint64_t ms, log::StepPart part = log::StepPart::Other,
             std::uint64_t part_ms = 0) {
    std::vector<log::StepRecord> records(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      log::StepRecord& step = records[i];
      step.count = 1;
      step.first = step.longest = i + 1;
      step.begin_ns = log.header.start_monotonic_ns + (100 + i * ms) * kMs;
      step.end_ns = step.begin_ns + ms * kMs;
      step.ns = step.shortest_ns = step.longest_ns = ms * kMs;
      step.sum.parts_ns[static_cast<std::size_t>(log::StepPart::Other)] = ms * kMs;
      if (part_ms > 0) {
        step.sum.parts_ns[static_cast<std::size_t>(log::StepPart::Other)] -= part_ms * kMs;
        step.sum.parts_ns[static_cast<std::size_t>(part)] += part_ms * kMs;
      }
      step.longest_figures = step.sum;
    }
    log::StepsHeader head{};
    head.source = log::StepSource::Range;
    head.tid = 1000;
    head.per = 1;
    log.steps(head, records, log::kStepRecords);
  }

  // Writes the log, once, and reads it.
  void finish() {
    if (!run.processes.empty()) return;
    if (device_) log.devices({*device_});
    log.write(directory() / "500.1.proflog");
    load();
  }
  show::Subject subject() {
    finish();
    return {run, symbols, selection};
  }
  findings::Outcome look() {
    finish();
    return findings::look_for_all(findings::Evidence(run, symbols, selection));
  }
  // What one rule finds.
  std::vector<findings::Finding> look(const std::string& rule) {
    std::vector<findings::Finding> out;
    const findings::Outcome all = look();
    for (const findings::Finding& finding : all.findings) {
      if (finding.rule == rule) out.push_back(finding);
    }
    const bool clear =
        std::any_of(all.clear.begin(), all.clear.end(), [&](const findings::Rule* its) { return its->name == rule; });
    if (!why_not(all, rule)) CHECK(clear == out.empty());
    return out;
  }
  // Why a rule cannot tell.
  static std::optional<std::string> why_not(const findings::Outcome& outcome, const std::string& rule) {
    for (const auto& [its, why] : outcome.unknown) {
      if (its->name == rule) return why;
    }
    return std::nullopt;
  }

  LogBuilder log;

 private:
  std::uint32_t train_ = 0, interpreter_ = 0;
  std::optional<log::DeviceRecord> device_;
};

// Line 5 of a function, below a node.
inline std::uint32_t below(FindingsRun& run, std::uint32_t above, const char* function, const char* file) {
  return run.line(above, run.code(function, file), 5);
}

// Of CPU time, unless it is said to be something else.
inline void add(log::StepRecord& step, log::StepPart part, std::uint64_t ns) {
  step.ns += ns;
  step.cpu_ns += ns;
  step.sum.parts_ns[static_cast<std::size_t>(part)] += ns;
}

// Steps of an optimizer, one after the other from 100 ms on, of 10 ms each, all of it forward pass, but for what `more`
// makes of one (a number from 1 on).
template <typename More>
void write_steps(FindingsRun& run, std::uint64_t count, More more) {
  std::vector<log::StepRecord> records(count);
  std::uint64_t at = run.log.header.start_monotonic_ns + 100 * kMs;
  for (std::uint64_t i = 0; i < count; ++i) {
    log::StepRecord& step = records[i];
    step.count = 1;
    step.first = step.longest = i + 1;
    step.ns = step.cpu_ns = 10 * kMs;
    step.sum.parts_ns[static_cast<std::size_t>(log::StepPart::Forward)] = 10 * kMs;
    more(i + 1, step);
    step.begin_ns = at;
    step.end_ns = at += step.ns;
    step.shortest_ns = step.longest_ns = step.ns;
    step.longest_cpu_ns = step.cpu_ns;
    step.longest_figures = step.sum;
  }
  log::StepsHeader head{};
  head.source = log::StepSource::Optimizer;
  head.tid = 1000;
  head.per = 1;
  run.log.steps(head, records, log::kStepRecords);
}

// `profiling_ms`: what recording each of them took; `sleeps_ms`: what each slept.
inline void add_children(FindingsRun& run, std::uint32_t count, std::uint64_t profiling_ms = 0,
                         std::uint64_t sleeps_ms = 0) {
  for (std::uint32_t i = 0; i < count; ++i) {
    FindingsRun child;
    child.log.header.pid = 501 + i;
    child.log.header.log_id = 501 + i;
    child.log.header.ppid = 500;
    child.log.header.parent_log_id = 500;
    child.log.header.cpu_ns = child.log.thread(0).cpu_ns = 2 * profiling_ms * kMs;
    child.log.thread(0).agent_ns = profiling_ms * kMs;
    // One after the other.
    child.log.header.start_monotonic_ns += i * 150 * kMs;
    child.log.header.end_monotonic_ns = child.log.header.start_monotonic_ns + 140 * kMs;
    if (sleeps_ms > 0) child.wait(child.train(3), "clock_nanosleep", "sleep", 1, sleeps_ms * kMs);
    child.log.write(run.directory() / (std::to_string(501 + i) + ".1.proflog"));
  }
}

// Lines of /app/train.py.
inline std::vector<std::int64_t> lines_of(const findings::Finding& finding) {
  std::vector<std::int64_t> out;
  for (const findings::Place& place : finding.places) {
    CHECK(place.file == "/app/train.py");
    CHECK(place.function == "train");
    out.push_back(place.line);
  }
  return out;
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace prof::test
