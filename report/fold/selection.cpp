#include "report/fold/selection.hpp"

#include <algorithm>

namespace prof::fold {

bool Selection::includes(const model::Process& process) const {
  if (log_id && *log_id != process.log_id) return false;
  const auto of_process = [&](std::int32_t rank) { return process.rank == rank; };
  if (!ranks.empty() && std::none_of(ranks.begin(), ranks.end(), of_process)) return false;
  return pids.empty() || std::find(pids.begin(), pids.end(), process.pid) != pids.end();
}

bool Selection::includes(const model::Thread& thread) const {
  const auto is_it = [&](const std::string& wanted) {
    return wanted == thread.name || wanted == thread.python_name || wanted == std::to_string(thread.tid);
  };
  return threads.empty() || std::any_of(threads.begin(), threads.end(), is_it);
}

}  // namespace prof::fold
