#include "report/show/waiting/storage_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/fold/waiting/files.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"

namespace prof::show {
namespace {

constexpr std::size_t kToldProcesses = 3;

// "read 1.20 GiB and wrote 3.00 MiB; 120 page faults waited for it"
std::string storage_text(const fold::StorageUse& use) {
  std::vector<std::string> parts;
  if (use.read_bytes || use.written_bytes) {
    parts.push_back(fmt::format("read {} and wrote {}", bytes(real(use.read_bytes.value_or(0))),
                                bytes(real(use.written_bytes.value_or(0)))));
  }
  if (use.major_faults) {
    parts.push_back(counted(*use.major_faults, "page fault waited for it", "page faults waited for it"));
  }
  if (use.delay_ns && *use.delay_ns > 0) parts.push_back(duration(real(*use.delay_ns)) + " of waiting in all");
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace

std::vector<std::string> storage_captions(const Subject& subject) {
  const std::vector<fold::StorageUse> rows = fold::storage_use(subject.run, subject.selection);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < rows.size() && i < kToldProcesses; ++i) {
    out.push_back(fmt::format("Storage, as the kernel counts it for pid {} ({}): {}.", rows[i].pid,
                              command_label(subject.run.processes[rows[i].process], false), storage_text(rows[i])));
  }
  if (rows.size() > kToldProcesses) {
    fold::StorageUse rest;
    const auto add = [](std::optional<std::int64_t>& to, const std::optional<std::int64_t>& value) {
      if (value) to = model::saturated_sum(to.value_or(0), *value);
    };
    for (std::size_t i = kToldProcesses; i < rows.size(); ++i) {
      add(rest.read_bytes, rows[i].read_bytes);
      add(rest.written_bytes, rows[i].written_bytes);
      add(rest.major_faults, rows[i].major_faults);
      add(rest.delay_ns, rows[i].delay_ns);
    }
    out.push_back(fmt::format("Storage, for {} more together: {}.",
                              counted(static_cast<std::int64_t>(rows.size() - kToldProcesses), "process", "processes"),
                              storage_text(rest)));
  }
  return out;
}

}  // namespace prof::show
