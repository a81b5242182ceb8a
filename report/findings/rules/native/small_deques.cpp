// Many deques of the C++ library that hold little or nothing: each makes room for 512 bytes when it begins.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "report/findings/peak_line.hpp"
#include "report/findings/places.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/when.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace small_deques {
namespace {

bool is_of_deque(const symbols::Function& function, std::string_view member) {
  const std::string_view name = function.name;
  return function.language == symbols::Language::Native && contains(name, member) &&
         (contains(name, "::deque") || contains(name, "_Deque_base"));
}
bool begins(const symbols::Function& function) { return is_of_deque(function, "_M_initialize_map"); }
bool grows(const symbols::Function& function) {
  return is_of_deque(function, "_M_push_back_aux") || is_of_deque(function, "_M_push_front_aux");
}

const char* cannot(const Evidence& evidence) {
  return evidence.lines().live_known() ? nullptr : "what lived at the peak is not known of single threads";
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::vector<bool> beginning = all_below(evidence.lines(), begins), growing = all_below(evidence.lines(), grows);
  const fold::Columns& self = evidence.lines().self();
  std::int64_t begun = 0, grown = 0;
  TimeByPlace bytes(evidence);
  for (std::uint32_t node = 1; node < beginning.size(); ++node) {
    const std::int64_t held = self.heap[node].peak_bytes;
    if (held <= 0) continue;
    if (beginning[node]) {
      begun = model::saturated_sum(begun, held);
      bytes.add(node, held);
    } else if (growing[node]) {
      grown = model::saturated_sum(grown, held);
    }
  }
  const std::int64_t whole = peak_line(evidence).all;
  if (begun < kPeakCopy || real(begun) < kDequesOfPeak * real(whole) || real(grown) > kGrownDeques * real(begun))
    return {};
  Finding finding;
  finding.rule = kSmallDequesRule.name;
  finding.title = "Many deques hold little";
  finding.seen = fmt::format(
      "{} of the {} at the peak is what std::deque takes when it is made: 576 bytes each, also of an empty one.",
      show::bytes(real(begun)), show::bytes(real(whole)));
  finding.advice =
      "std::vector for lists that are short or often empty (with an index where they are taken from the front), or "
      "make "
      "the deque when its first element comes (std::unique_ptr, std::optional, a map of those that have any).";
  finding.places = bytes.top();
  finding.saves_bytes = begun;
  finding.when = at_heap_peak(evidence);
  return {finding};
}

}  // namespace
}  // namespace small_deques

const Rule kSmallDequesRule{"small-deques", "many deques that hold little", small_deques::cannot, small_deques::look};

}  // namespace prof::findings
