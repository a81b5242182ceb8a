#include "report/show/python/exact_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "report/model/loss_text.hpp"
#include "report/show/numbers.hpp"

namespace prof::show {

NameOrFile::NameOrFile(const std::string& pattern) {
  if (!pattern.empty()) pattern_.emplace(pattern);
}

bool NameOrFile::matches(const std::string& name, const std::string& file) const {
  return !pattern_ || pattern_->matches(name) || pattern_->matches(file);
}

std::int64_t total_calls(const fold::ExactCalls& calls) {
  std::int64_t total = 0;
  for (const fold::CalledFunction& function : calls.functions) {
    total = model::saturated_sum(total, function.total.calls);
  }
  return total;
}

std::vector<std::string> exact_captions(const Subject& subject, const ViewOptions& options) {
  std::vector<std::string> out;
  const fold::Selection& selection = subject.selection;
  if (!options.focus.empty())
    out.push_back(fmt::format("Only functions whose name or file matches '{}'.", options.focus));
  if (!selection.pids.empty()) out.push_back(fmt::format("Only pid {}.", fmt::join(selection.pids, ", ")));
  if (!selection.threads.empty()) out.push_back(fmt::format("Only threads {}.", fmt::join(selection.threads, ", ")));
  std::set<std::string> notes;
  for (const model::Process& process : subject.run.processes) {
    if (!selection.includes(process) || !process.python || process.python->note.empty()) continue;
    if (notes.insert(process.python->note).second) {
      out.push_back(fmt::format("Note (pid {}): {}", process.pid, process.python->note));
    }
  }
  for (const log::Loss reason : {log::Loss::CallTableFull, log::Loss::CodeTableFull, log::Loss::RecordNoSpace}) {
    const std::uint64_t lost = subject.run.loss[static_cast<std::size_t>(reason)];
    if (lost == 0) continue;
    out.push_back(fmt::format("Lost: {} {}.", grouped(model::to_signed(lost)),
                              model::loss_text(static_cast<std::size_t>(reason), lost)));
  }
  return out;
}

}  // namespace prof::show
