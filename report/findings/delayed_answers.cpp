#include "report/findings/delayed_answers.hpp"

#include "agent/contract/format.hpp"
#include "report/findings/socket_calls.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/model/wait_class.hpp"

namespace prof::findings {
bool waits_for_acknowledgements(const model::Process& process, const ThreadOf& thread) {
  double all_ns = 0, delayed_ns = 0, delays = 0, parts = 0;
  for (const auto& row : process.tree.spreads) {
    if (row.slot != thread.slot) continue;
    const auto what = model::wait_class_of(process, row.frame);
    if (what != log::WaitClass::Network && what != log::WaitClass::Poll) continue;
    const bool sending = is_one_of(process.names[process.tree.frames[row.frame].name].name, kSends);
    for (std::uint32_t i = 0; i < log::kSpreadClasses; ++i) {
      const double count = real(row.metric.count[i]);
      const double ns = (real(log::spread_floor(i)) + real(log::spread_floor(i + 1))) / 2;
      if (sending) parts += count;
      if (count <= 0 || ns < kAnswerNs) continue;
      all_ns += count * ns;
      if (ns < kDelayedFromNs || ns > kDelayedToNs) continue;
      delayed_ns += count * ns;
      delays += count;
    }
  }
  return delays >= kManyDelays && delayed_ns >= kMostlyDelayed * all_ns && parts >= kPartsOfRequest * delays;
}

}  // namespace prof::findings
