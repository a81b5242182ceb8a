#include "report/findings/rules/waiting/asked_at_once.hpp"

#include <algorithm>

#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"

namespace prof::findings {

namespace {

// Peers of the run have as much to compute; other processes do half of it while the loop computes.
std::int64_t idle_of(const Evidence& evidence, const ThreadOf& program, std::int64_t waits_ns) {
  const std::int64_t work = peers_in_run(evidence, program).elsewhere_ns / 2;
  return std::max<std::int64_t>(0, model::saturated_difference(waits_ns, work));
}

}  // namespace

void could_save_at_once(Finding& finding, const Evidence& evidence, const ThreadOf& program, std::int64_t waits_ns,
                        const Asked& asked) {
  if (asked.answers <= 0) return;
  const double part = 1 - 1 / real(asked.answers);
  const std::int64_t awaited = std::min(idle_of(evidence, program, waits_ns), asked.awaited_ns);
  could_save_of_run(finding, evidence, share_of_life(evidence, program, whole_number(part * real(awaited))));
}

// At most, what a request awaits takes as long as one of its questions: a share of the time in which the loop waits,
// has a request to answer, and awaits peers.
//
// Requests that are answered at once share that time: who asks one after the other on each of several connections
// waits for his own alone, and goes on sooner by what these wait on average. At least, all connections were used so.
void could_save_at_once(Finding& finding, const Evidence& evidence, const ThreadOf& program, std::int64_t waits_ns,
                        const Messages& messages) {
  if (messages.answers <= 0 || messages.questions <= messages.answers) return;
  const std::int64_t idle = idle_of(evidence, program, waits_ns);
  const double part = 1 - real(messages.answers) / real(messages.questions);
  const double most = part * real(std::min({idle, messages.awaited_ns, messages.asked_ns}));
  const std::int64_t connections = taken_connections(evidence.run().processes[program.process]);
  const bool kept = connections > 0 && real(messages.answers) >= kKeptConnection * real(connections);
  const double least = kept ? std::min(most, part * real(messages.asked_each_ns) / real(connections)) : most;
  could_save_of_run(finding, evidence, share_of_life(evidence, program, whole_number((most + least) / 2)));
  finding.error_ns = whole_number((most - least) / 2);
}

}  // namespace prof::findings
