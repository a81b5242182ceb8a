// A distributed program spends its time on exchanging data, and does not compute meanwhile.
#include <fmt/format.h>

#include <algorithm>

#include "report/findings/rules/all.hpp"
#include "report/findings/rules/training/ranks.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/gpu/gpu.hpp"
#include "report/fold/line_tree.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace communication {
namespace {

// What devices did for collectives, and how much of it nothing else ran beside.
struct OnDevices {
  std::int64_t ns = 0, exposed_ns = 0, span_ns = 0;
  std::vector<Place> places;
};

bool is_collective(const std::string& kernel) { return kernel.starts_with("nccl") || kernel.starts_with("rccl"); }

OnDevices on_devices(const Evidence& evidence) {
  OnDevices out;
  if (!evidence.lines().device_known()) return out;
  std::int64_t all = 0, busy = 0;
  const auto rows = fold::device_work(evidence.run(), evidence.lines(), evidence.selection(), fold::WorkKind::Kernels);
  std::vector<AtPlace<std::int64_t>> launchers;
  for (const fold::WorkRow& row : rows) {
    if (!is_collective(row.name.name)) continue;
    out.ns = model::saturated_sum(out.ns, row.work.ns);
    for (const fold::Launcher& by : row.launched_by) {
      if (by.location != fold::kNobody) launchers.push_back({place_of(evidence.symbols(), by.location), by.ns});
    }
  }
  if (out.ns <= 0) return out;
  for (const fold::DeviceRow& row : fold::devices(evidence.run(), evidence.selection())) {
    all = model::saturated_sum(all, model::saturated_sum(row.kernels.ns, row.copies.ns));
    busy = model::saturated_sum(busy, row.busy_ns);
    out.span_ns = model::saturated_sum(out.span_ns, row.span_ns);
  }
  // What all work takes beyond the time in which any of it ran, was at the same time; not all of it need have been
  // communication.
  const std::int64_t together = model::saturated_difference(all, busy);
  out.exposed_ns = out.ns - std::clamp<std::int64_t>(together, 0, out.ns);
  out.places = top_places(std::move(launchers), [](std::int64_t ns) { return ns; });
  return out;
}

const RankTime* waits_least(const std::vector<RankTime>& ranks) {
  const auto share = [](const RankTime& rank) {
    return rank.wall_ns > 0 ? real(rank.communication_ns) / real(rank.wall_ns) : 0;
  };
  const auto found = std::min_element(ranks.begin(), ranks.end(),
                                      [&](const RankTime& a, const RankTime& b) { return share(a) < share(b); });
  return found == ranks.end() ? nullptr : &*found;
}

std::vector<Place> places_of(const Evidence& evidence, const RankTime& rank) {
  const model::Process& process = evidence.run().processes[rank.thread.process];
  const std::vector<bool> in = communication_stacks(evidence, rank.thread.process);
  const std::vector<bool>& imports = evidence.imports(rank.thread.process);
  TimeByPlace sums(evidence);
  for (const StackTime& time : stack_times(process, rank.thread.slot)) {
    if (in[time.node] && !imports[time.node]) sums.add(rank.thread.process, time.node, time.ns());
  }
  return sums.top();
}

const char* cannot(const Evidence& evidence) {
  for (const RankTime& rank : rank_times(evidence)) {
    if (rank.communication_ns > 0) return nullptr;
  }
  return on_devices(evidence).ns > 0 ? nullptr : "no communication between processes of a distributed program was seen";
}

Finding finding_on_devices(const Evidence& evidence, OnDevices devices) {
  const double share = real(devices.exposed_ns) / real(std::max<std::int64_t>(1, devices.span_ns));
  Finding finding;
  finding.rule = kCommunicationRule.name;
  finding.title = "GPUs communicate and compute nothing meanwhile";
  finding.seen = fmt::format(
      "Collectives took {} % of the time of the GPUs, from their first work to their last ({}); at least {} % of that "
      "time they took alone, with no other kernel beside them.",
      show::percent(real(devices.ns), real(devices.span_ns)), show::duration(real(devices.ns)),
      show::percent(share, 1));
  finding.advice =
      "Let gradients be exchanged while the backward pass runs (DistributedDataParallel, larger bucket_cap_mb), "
      "exchange them less often (no_sync() while gradients are accumulated) or compressed (a communication hook), and "
      "give each GPU more to compute: a larger batch.";
  finding.places = std::move(devices.places);
  could_save(finding, evidence, share);
  return finding;
}

Finding finding_on_host(const Evidence& evidence, const RankTime& rank, std::size_t ranks) {
  const double share = real(rank.communication_ns) / real(std::max<std::int64_t>(1, rank.wall_ns));
  Finding finding;
  finding.rule = kCommunicationRule.name;
  finding.title = "The step waits for communication";
  const std::string who = ranks > 1 ? fmt::format("Of {} ranks the one that waits least, rank {},", ranks, rank.rank)
                                    : std::string("The program");
  finding.seen = fmt::format("{} spent {} % of its time in collectives and computed nothing meanwhile", who,
                             show::percent(share, 1));
  if (rank.steps > 0) {
    finding.seen += fmt::format(": {} of {} a step", show::duration(real(rank.communication_ns) / real(rank.steps)),
                                show::duration(real(rank.wall_ns) / real(rank.steps)));
  }
  finding.seen += '.';
  finding.advice =
      "Start collectives early and wait for them late (async_op=True), leave gradients to DistributedDataParallel, "
      "which exchanges them while the backward pass runs, join small messages into large ones, and exchange less often "
      "(no_sync() while gradients are accumulated).";
  const model::Process& process = evidence.run().processes[rank.thread.process];
  if (rank.gloo && saw_cuda(process)) {
    finding.seen += " They go through Gloo though there are GPUs.";
    finding.advice = "Use the backend nccl for tensors on GPUs. " + finding.advice;
  }
  finding.places = places_of(evidence, rank);
  could_save(finding, evidence, share);
  return finding;
}

std::vector<Finding> look(const Evidence& evidence) {
  OnDevices devices = on_devices(evidence);
  if (devices.span_ns > 0 && real(devices.exposed_ns) >= kCommunication * real(devices.span_ns)) {
    return {finding_on_devices(evidence, std::move(devices))};
  }
  // A rank waits in collectives for those that are late as well: the one that waits least shows what the exchange
  // itself takes.
  const std::vector<RankTime> ranks = rank_times(evidence);
  const RankTime* least = waits_least(ranks);
  if (least == nullptr || real(least->communication_ns) < kCommunication * real(least->wall_ns)) return {};
  if (least->communication_ns <= 0) return {};
  return {finding_on_host(evidence, *least, ranks.size())};
}

}  // namespace
}  // namespace communication

const Rule kCommunicationRule{"communication", "communication beyond a tenth of the time, or not overlapped",
                              communication::cannot, communication::look};

}  // namespace prof::findings
