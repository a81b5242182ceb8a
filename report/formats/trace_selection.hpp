// Which events of a process's trace are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "report/show/view.hpp"

namespace prof::formats {

// Selected processes with a trace: indices into Run::processes.
std::vector<std::size_t> selected_traces(const show::Subject& subject);

// Where threads are selected: their events, and what devices did for these. Keeps references.
class TraceSelection {
 public:
  // `process` has a trace.
  TraceSelection(const fold::Selection& selection, const model::Process& process);

  bool thread(std::uint32_t tid) const { return !by_thread_ || tids_.contains(tid); }
  bool event(const model::TraceEvent& event) const;
  // The selected call that made a device do that; null: it is not in the trace.
  const model::TraceEvent* call_of(const model::TraceEvent& event) const;

 private:
  bool by_thread_;
  std::unordered_set<std::uint32_t> tids_;
  std::unordered_map<std::uint32_t, const model::TraceEvent*> calls_;  // by correlation
};

}  // namespace prof::formats
