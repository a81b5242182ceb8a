#include "report/formats/trace_selection.hpp"

namespace prof::formats {

std::vector<std::size_t> selected_traces(const show::Subject& subject) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < subject.run.processes.size(); ++i) {
    const model::Process& process = subject.run.processes[i];
    if (subject.selection.includes(process) && process.tree.trace) out.push_back(i);
  }
  return out;
}

TraceSelection::TraceSelection(const fold::Selection& selection, const model::Process& process)
    : by_thread_(selection.by_thread()) {
  for (const model::Thread& thread : process.threads) {
    if (selection.includes(thread)) tids_.insert(thread.tid);
  }
  for (const model::TraceEvent& at : process.tree.trace->events) {
    if (at.kind != log::TraceKind::Device && at.correlation != 0 && thread(at.tid))
      calls_.try_emplace(at.correlation, &at);
  }
}

bool TraceSelection::event(const model::TraceEvent& event) const {
  if (event.kind != log::TraceKind::Device) return thread(event.tid);
  return !by_thread_ || call_of(event) != nullptr;
}

const model::TraceEvent* TraceSelection::call_of(const model::TraceEvent& event) const {
  if (event.correlation == 0) return nullptr;
  const auto found = calls_.find(event.correlation);
  return found == calls_.end() ? nullptr : found->second;
}

}  // namespace prof::formats
