#include "report/fold/training/trace_links.hpp"
#include "report/fold/training/trace_steps.hpp"
#include "report/formats/chrome_texts.hpp"
#include "report/formats/sqlite/tables.hpp"
#include "report/formats/trace_selection.hpp"
#include "report/show/processes.hpp"

namespace prof::formats {
namespace {

const char* kind_name(log::TraceKind kind) {
  switch (kind) {
    case log::TraceKind::Api:
      return "api";
    case log::TraceKind::Device:
      return "gpu";
    case log::TraceKind::Range:
      return "range";
    case log::TraceKind::Operator:
      return "operator";
    case log::TraceKind::Wait:
      return "wait";
    default:
      return "other";
  }
}

Database& with_trace_tables(Database& database) {
  database.run(
      "CREATE TABLE trace_events(id INTEGER PRIMARY KEY, process INTEGER REFERENCES processes(id), kind TEXT, "
      "category TEXT, name TEXT, start_ns INTEGER, end_ns INTEGER, tid INTEGER, device INTEGER, context INTEGER, "
      "stream INTEGER, correlation INTEGER, bytes INTEGER, operator INTEGER, node INTEGER REFERENCES nodes(id));"
      "CREATE TABLE trace_steps(process INTEGER REFERENCES processes(id), step INTEGER, tid INTEGER, "
      "start_ns INTEGER, end_ns INTEGER)");
  return database;
}

}  // namespace

TraceTables::TraceTables(Database& database, const show::Subject& subject)
    : subject_(subject),
      events_(with_trace_tables(database), "trace_events",
              "process, kind, category, name, start_ns, end_ns, tid, device, context, stream, correlation, bytes, "
              "operator, node"),
      steps_(database, "trace_steps", "process, step, tid, start_ns, end_ns") {}

void TraceTables::add(std::size_t process, const fold::CallTree& tree, std::int64_t root) {
  const model::Process& of = subject_.run.processes[process];
  if (!of.tree.trace) return;
  const model::Trace& trace = *of.tree.trace;
  const TraceSelection selected(subject_.selection, of);
  const auto since = [&](std::uint64_t ns) { return show::since_start(subject_.run, of, ns); };
  const std::vector<std::size_t> spans = fold::by_thread(trace);
  const std::vector<std::uint32_t> numbers = fold::operator_numbers(trace, spans);
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const model::TraceEvent& at = trace.events[i];
    if (!selected.event(at)) continue;
    const bool device = at.kind == log::TraceKind::Device;
    // Contexts of operators and of ranges that end anywhere are in trees of their own.
    const bool in_tree = at.kind == log::TraceKind::Api || at.kind == log::TraceKind::Wait;
    const std::uint32_t node = in_tree && at.node != 0 ? tree.node_of(process, at.node) : fold::CallTree::kNoNode;
    const ChromeTexts texts = chrome_texts(of, at);
    const auto of_device = [&](std::uint32_t value) { return device ? std::optional(value) : std::nullopt; };
    events_.row(process, kind_name(at.kind), texts.category, texts.name, since(at.start_monotonic_ns),
                since(at.end_monotonic_ns), device ? std::nullopt : std::optional(at.tid), of_device(at.device),
                of_device(at.context), of_device(at.tid), some(at.correlation), some(at.bytes), some(numbers[i]),
                node == fold::CallTree::kNoNode ? std::nullopt : std::optional(root + node));
  }
  for (const fold::TraceStep& step : fold::trace_steps(of, spans)) {
    if (!selected.thread(step.tid)) continue;
    steps_.row(process, step.number, step.tid, since(step.begin_monotonic_ns), since(step.end_monotonic_ns));
  }
}

}  // namespace prof::formats
