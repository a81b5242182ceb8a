#include "report/findings/unread_sources.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include "report/findings/thresholds.hpp"
#include "report/model/metrics_base.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {

UnreadSources::UnreadSources(const Evidence& evidence) : evidence_(evidence) {
  std::map<std::string, std::int64_t> by_file;
  std::int64_t all = 0;
  const fold::Columns& self = evidence.lines().self();
  for (const std::uint32_t node : evidence.timed()) {
    const std::uint32_t at = evidence.own_location(node);
    if (at == 0 || evidence.idle()[node]) continue;
    const std::int64_t ns = model::saturated_sum(self.cpu[node].ns, self.wait[node].ns);
    const symbols::Location& location = evidence.symbols().location(at);
    const std::string& file =
        location.file.empty() ? evidence.symbols().function(location.function).file : location.file;
    std::int64_t& of_file = by_file[file];
    of_file = model::saturated_sum(of_file, ns);
    all = model::saturated_sum(all, ns);
  }
  for (const auto& [file, ns] : by_file) {
    if (!file.empty() && static_cast<double>(ns) >= kActivity * static_cast<double>(all)) heavy_.insert(file);
  }
  asked_for();  // what others have asked for before
}

bool UnreadSources::asked_for() {
  const std::set<std::string> missing = evidence_.sources().take_missing();
  return std::any_of(missing.begin(), missing.end(), [&](const std::string& name) { return heavy_.contains(name); });
}

}  // namespace prof::findings
