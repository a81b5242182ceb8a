#include "report/findings/amounts_off.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "report/model/text.hpp"

namespace prof::findings {
namespace {

// By name: by how much nearly all trials differed from what mending saved, where that was more than a tenth and 0.2 s
// and nothing else explains it; rounded up to a twentieth. Behind each, what the amount does not know of.
constexpr AmountOff kOff[] = {
    {"anomaly-detection", 0.15},         // what the collector takes of the records
    {"array-choices", 0.15},             // what drawing takes in any case
    {"array-shifts", 0.2},               // what another structure takes for it
    {"awaits-for-each", 0.2},            // how unlike the answers of peers are
    {"awaits-in-turn", 0.2},             // peers that get in each other's way when all are asked at once
    {"broadcast-time", 0.25},            // what else the line computes
    {"buffer-sums", 0.3},                // copies that the collector makes later
    {"column-order", 0.3},               // what the loads take in order
    {"container-clears", 0.2},           // what making room anew takes
    {"container-copies", 0.2},           // what freeing the copies takes elsewhere
    {"container-reserves", 0.2},         // what the elements take that are moved at last
    {"dense-gradients", 0.15},           // what the rows take that are used
    {"distribution-calls", 0.2},         // what the density itself takes
    {"equal-hashes", 0.15},              // what a good hash takes
    {"garbage-collector", 0.2},          // collections that come in any case
    {"hand-overs", 0.15},                // what the other end waits for
    {"host-memory-grows", 0.15},         // what the allocator needs beside the blocks
    {"lock-contention", 0.2},            // who would wait for what instead
    {"loop-hashes", 0.35},               // what the loop computes meanwhile, on the same processors
    {"malloc-overhead", 0.2},            // what another arrangement of the same blocks would keep
    {"many-processes", 0.15},            // what the pieces take within one process
    {"oversubscribed-processors", 0.2},  // how much the threads spin
    {"pending-waits", 0.35},             // what the loop waits for in any case
    {"pickling", 0.2},                   // what the small rest takes to send
    {"promises-in-turn", 0.2},           // peers that get in each other's way when many are asked at once
    {"replaced-workers", 0.15},          // what workers do at their first piece
    {"retained-graphs", 0.15},           // what the part of the graph takes that is needed
    {"signatures", 0.15},                // what the loop around it takes
    {"slow-steps", 0.15},                // how long the steps would take otherwise
    {"small-deques", 0.4},               // what the elements take elsewhere
    {"small-locks", 0.45},               // threads that meet more often while they are recorded
    {"small-messages", 0.25},            // what the other end takes for each
    {"small-reads", 0.15},               // what the bytes take in large reads
    {"small-tensors", 0.15},             // what the same numbers take at once
    {"starved-workers", 0.15},           // how evenly the pieces are shared
    {"synchronised-streams", 0.25},      // what the numbers take to read
    {"tensor-loop", 0.15},               // how long an operator takes without being recorded
    {"thread-starts", 0.2},              // what a pool takes to hand the work out
    {"thrown-away-futures", 0.15},       // what runs beside it on the same processors
    {"unobserved-groups", 0.25},         // what the groups take that there are
    {"unoptimised", 0.35},               // how much faster the code becomes
    {"unused-gradients", 0.25},          // which operators would still run
    {"waiting-for-data", 0.25},          // what workers do on processors that are in use
};

}  // namespace

std::span<const AmountOff> amounts_off() { return kOff; }

void state_amount_off(Finding& finding) {
  const auto* found = std::lower_bound(std::begin(kOff), std::end(kOff), std::string_view(finding.rule),
                                       [](const AmountOff& off, std::string_view name) { return off.rule < name; });
  if (found == std::end(kOff) || found->rule != finding.rule) return;
  finding.error_ns = whole_number(std::hypot(real(finding.error_ns), found->part * real(finding.saves_ns)));
  finding.error_bytes = whole_number(std::hypot(real(finding.error_bytes), found->part * real(finding.saves_bytes)));
}

}  // namespace prof::findings
