// Events and steps that a test adds to a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/model/process.hpp"

namespace prof::test {

// Adds to the trace of a process.
class TraceEdit {
 public:
  explicit TraceEdit(model::Process& process) : process_(process), events_(process_.tree.trace->events) {}

  model::Process& process() { return process_; }

  // From `begin_us` to `end_us` of the run, on the thread of the others.
  model::TraceEvent& add(log::TraceKind kind, const std::string& name, std::uint64_t begin_us, std::uint64_t end_us) {
    model::TraceEvent event;
    event.kind = kind;
    event.frame = frame(kind == log::TraceKind::Range ? log::NameKind::Range : log::NameKind::Operator, name);
    event.node = kind == log::TraceKind::Operator ? 0 : 1;
    event.start_monotonic_ns = at(begin_us);
    event.end_monotonic_ns = at(end_us);
    event.tid = 1000;
    return events_.emplace_back(event);
  }

  void step(std::int64_t first, std::int64_t count, std::uint64_t begin_us, std::uint64_t end_us) {
    model::Step step;
    step.first = first;
    step.count = count;
    step.begin_monotonic_ns = at(begin_us);
    step.end_monotonic_ns = at(end_us);
    process_.steps.tid = 1000;
    process_.steps.records.push_back(step);
  }

  std::uint64_t at(std::uint64_t us) const { return process_.start_monotonic_ns + us * 1000; }

 private:
  std::uint32_t frame(log::NameKind kind, const std::string& name) {
    process_.names.push_back({kind, name, kind == log::NameKind::Operator ? "forward" : "record_function"});
    model::Frame frame;
    frame.kind = model::Frame::Kind::Named;
    frame.name = static_cast<std::uint32_t>(process_.names.size() - 1);
    process_.tree.frames.push_back(frame);
    return static_cast<std::uint32_t>(process_.tree.frames.size() - 1);
  }

  model::Process& process_;
  std::vector<model::TraceEvent>& events_;
};

}  // namespace prof::test
