// Threads of a free-threaded Python use one list, dict or set at once, each of which has a lock of its own.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/object_locks.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace shared_objects {
namespace {

struct OfThread {
  std::int64_t waited = 0, spun = 0, cpu = 0;
};

struct Sharing {
  explicit Sharing(const Evidence& evidence) : lines(evidence) {}
  std::int64_t waited_ns = 0, spun_ns = 0;  // without a processor, and on one
  std::int64_t cpu_ns = 0;                  // of these threads
  std::int64_t beside_ns = 0;               // of others, in their time
  std::int64_t threads = 0;
  std::uint64_t start_ns = UINT64_MAX, end_ns = 0;  // of the first of them, and of the last
  TimeByPlace lines;
  double share() const {
    const double all = real(waited_ns) + real(cpu_ns);
    return all > 0 ? (real(waited_ns) + real(spun_ns)) / all : 0;
  }
};

Sharing sharing(const Evidence& evidence, std::size_t index) {
  const model::Process& process = evidence.run().processes[index];
  const std::vector<bool>& waits = evidence.stacks(index, waits_for_object);
  Sharing out(evidence);
  std::map<std::uint32_t, OfThread> by_slot;
  for (const auto& row : process.tree.cpu) {
    OfThread& thread = by_slot[row.slot];
    thread.cpu = model::saturated_sum(thread.cpu, row.metric.ns);
    if (!waits[row.node]) continue;
    thread.spun = model::saturated_sum(thread.spun, row.metric.ns);
    out.lines.add(index, row.node, row.metric.ns);
  }
  for (const auto& row : process.tree.waits) {
    const std::int64_t ns = row.metric.blocked_ns();
    if (ns <= 0 || !waits[row.node]) continue;
    OfThread& thread = by_slot[row.slot];
    thread.waited = model::saturated_sum(thread.waited, ns);
    out.lines.add(index, row.node, ns);
  }
  for (const model::Thread& thread : process.threads) {
    const auto found = by_slot.find(thread.slot);
    if (found == by_slot.end() || found->second.waited + found->second.spun <= 0) continue;
    ++out.threads;
    out.waited_ns = model::saturated_sum(out.waited_ns, found->second.waited);
    out.spun_ns = model::saturated_sum(out.spun_ns, found->second.spun);
    out.cpu_ns = model::saturated_sum(out.cpu_ns, found->second.cpu);
    out.start_ns = std::min(out.start_ns, thread.start_monotonic_ns);
    out.end_ns = std::max(out.end_ns, thread.end_monotonic_ns);
  }
  for (const model::Thread& thread : process.threads) {
    const auto found = by_slot.find(thread.slot);
    const std::uint64_t from = std::max(out.start_ns, thread.start_monotonic_ns),
                        to = std::min(out.end_ns, thread.end_monotonic_ns);
    if (found == by_slot.end() || found->second.waited + found->second.spun > 0 || from >= to) continue;
    const double part = real(to - from) / real(thread.end_monotonic_ns - thread.start_monotonic_ns);
    out.beside_ns = model::saturated_sum(out.beside_ns, whole_number(part * real(found->second.cpu)));
  }
  return out;
}

// With an object for each, the threads would compute what they spun, and, as far as processors had nothing to do
// meanwhile, while they waited.
double could_be_saved(const Evidence& evidence, const Sharing& all, const model::Process& process) {
  const double processors = std::max(1.0, process.cpus.value_or(real(all.threads)));
  const double at_once = std::min(processors, real(all.threads));
  const double busy = real(all.cpu_ns) + real(all.beside_ns);
  const double free = std::max(0.0, processors * real(model::to_signed(all.end_ns - all.start_ns)) - busy);
  return share_of_run(evidence, whole_number((real(all.spun_ns) + std::min(real(all.waited_ns), free)) / at_once));
}

std::vector<Finding> look(const Evidence& evidence) {
  std::vector<Finding> out;
  for (std::size_t i = 0; i < evidence.run().processes.size(); ++i) {
    const model::Process& process = evidence.run().processes[i];
    if (!evidence.selection().includes(process)) continue;
    const Sharing all = sharing(evidence, i);
    if (all.threads < 2 || all.share() < kLockContention) continue;
    const double share = could_be_saved(evidence, all, process);
    if (share < kLockContentionOfWall) continue;
    Finding finding;
    finding.rule = kSharedObjectsRule.name;
    finding.places = all.lines.top();
    if (finding.places.empty()) continue;
    finding.title = "Threads wait for each other at objects of Python that they share";
    finding.seen = fmt::format(
        "{} threads waited {} for the locks that lists, dicts and other objects have in this Python, and took {} of "
        "CPU time to get them: {} % of what they computed and waited for them.",
        show::grouped(all.threads), show::duration(real(all.waited_ns)), show::duration(real(all.spun_ns)),
        show::percent(all.share(), 1));
    finding.advice =
        "Without the global lock each change of an object takes the object's own: give each thread a list or dict of "
        "its own and bring them together at the end, or change the shared one for many at a time (extend(), update(), "
        "a chunk in place of an item).";
    could_save_of_run(finding, evidence, share);
    out.push_back(std::move(finding));
  }
  return out;
}

}  // namespace
}  // namespace shared_objects

const Rule kSharedObjectsRule{"shared-objects", "objects of Python that threads share", no_python_frames,
                              shared_objects::look};

}  // namespace prof::findings
