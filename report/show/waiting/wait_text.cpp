#include "report/show/waiting/wait_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cstring>

#include "report/show/captions.hpp"

namespace prof::show {

std::optional<std::string> why_no_waits(const Subject& subject) {
  bool off = false, any = false;
  for (const model::Process& process : subject.run.processes) {
    if (!subject.selection.includes(process)) continue;
    if (process.waits_recorded) return std::nullopt;
    any = true;
    off |= ('\n' + process.options + '\n').find("\nPROF_WAIT=off\n") != std::string::npos;
  }
  if (!any) return "No process is selected.";
  if (off) return "Blocking calls were not recorded: PROF_WAIT=off was in force; run without it (prof run --wait on).";
  return "No selected process made a blocking call while it was recorded.";
}

std::vector<std::string> wait_captions(const Subject& subject, const ViewOptions& options) {
  std::vector<std::string> out = filters(subject, options);
  for (std::string& caption : loss_captions(subject.run)) out.push_back(std::move(caption));
  return out;
}

std::string thread_label(const model::Process& process, std::uint32_t tid) {
  const auto found = std::find_if(process.threads.begin(), process.threads.end(),
                                  [tid](const model::Thread& thread) { return thread.tid == tid; });
  if (found == process.threads.end() || found->display_name().empty()) return fmt::format("tid {}", tid);
  return fmt::format("{} (tid {})", found->display_name(), tid);
}

std::string errno_name(std::int64_t number) {
  if (number == 0) return {};
  const char* name = number > 0 && number <= INT_MAX ? strerrorname_np(static_cast<int>(number)) : nullptr;
  return name != nullptr ? name : std::to_string(number);
}

}  // namespace prof::show
