#include "report/findings/rules/waiting/lock_holder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/findings/places.hpp"
#include "report/fold/waiting/locks.hpp"
#include "report/show/names.hpp"

namespace prof::findings {

std::string holder_words(const Evidence& evidence, std::size_t process, const std::vector<Place>& places) {
  const std::vector<fold::LockRow> locks = fold::locks(evidence.run(), evidence.symbols(), evidence.selection());
  const auto longest = std::find_if(locks.begin(), locks.end(), [&](const fold::LockRow& row) {
    const bool held =
        row.kind == log::LockKind::Mutex || row.kind == log::LockKind::ReadWrite || row.kind == log::LockKind::Spin;
    if (!held || row.process != process || row.waiter == fold::kNobody) return false;
    const Place waiter = place_of(evidence.symbols(), row.waiter);
    return std::any_of(places.begin(), places.end(),
                       [&](const Place& place) { return place.file == waiter.file && place.line == waiter.line; });
  });
  if (longest == locks.end() || longest->holder == fold::kNobody) return {};
  const Place place = place_of(evidence.symbols(), longest->holder);
  if (!evidence.is_own(place)) return {};
  return fmt::format(" Whoever held the one that cost most was seen last in {} ({}:{}).", place.function,
                     show::short_file(place.file), place.line);
}

}  // namespace prof::findings
