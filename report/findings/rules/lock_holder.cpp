#include "report/findings/rules/lock_holder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/findings/places.hpp"
#include "report/fold/waiting/locks.hpp"
#include "report/show/names.hpp"

namespace prof::findings {

std::string holder_words(const Evidence& evidence) {
  const std::vector<fold::LockRow> locks = fold::locks(evidence.run(), evidence.symbols(), evidence.selection());
  const auto longest = std::find_if(locks.begin(), locks.end(), [](const fold::LockRow& row) {
    return row.kind == log::LockKind::Mutex || row.kind == log::LockKind::ReadWrite || row.kind == log::LockKind::Spin;
  });
  if (longest == locks.end() || longest->holder == fold::kNobody) return {};
  const Place place = place_of(evidence.symbols(), longest->holder);
  if (!evidence.is_own(place)) return {};
  return fmt::format(" Whoever held the one that cost most was seen last in {} ({}:{}).", place.function,
                     show::short_file(place.file), place.line);
}

}  // namespace prof::findings
