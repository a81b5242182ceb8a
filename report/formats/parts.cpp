#include "report/formats/parts.hpp"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "report/show/processes.hpp"

namespace prof::formats {

std::vector<Part> parts_of(const show::Subject& subject, bool by_thread) {
  std::vector<Part> parts;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;  // pid and tid: images of one process share them
  for (const model::Process& process : subject.run.processes) {
    if (!subject.selection.includes(process)) continue;
    Part part;
    part.process = fmt::format("{} (pid {})", show::command_label(process, false), process.pid);
    part.selection = subject.selection;
    part.selection.pids = {process.pid};
    if (!by_thread) {
      if (seen.insert({process.pid, 0}).second) parts.push_back(std::move(part));
      continue;
    }
    for (const model::Thread& thread : process.threads) {
      if (!subject.selection.includes(thread) || !seen.insert({process.pid, thread.tid}).second) continue;
      Part& of_thread = parts.emplace_back(part);
      if (process.threads.size() > 1) of_thread.thread = fmt::format("{} (tid {})", thread.display_name(), thread.tid);
      of_thread.selection.threads = {std::to_string(thread.tid)};
    }
  }
  return parts;
}

}  // namespace prof::formats
