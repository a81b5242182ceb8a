// More threads compute than there are processors, and wait for each other.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/findings/keeper_python.hpp"
#include "report/findings/processors.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace oversubscribed {
namespace {

// Processes by what their pools have: those that load data for others are told apart.
struct Who {
  std::int64_t processes = 0;
  Pool pool;
};

Who with_pools(const Evidence& evidence) {
  Who out;
  for (const model::Process& process : evidence.run().processes) {
    if (!evidence.selection().includes(process)) continue;
    const Pool pool = compute_pool(process);
    if (pool.cpu_ns <= 0) continue;
    ++out.processes;
    out.pool.threads += pool.threads;
    out.pool.cpu_ns = model::saturated_sum(out.pool.cpu_ns, pool.cpu_ns);
  }
  return out;
}

// Whether a parallel library is itself at work, and not what it was given to do: it waits.
bool in_parallel_library(const Evidence& evidence, std::uint32_t node) {
  return is_parallel_library(evidence.lines().function(node).module);
}

// The line that says how many threads there are to be, and not one, where the file of the first place has just one.
std::optional<Place> line_that_says(const Evidence& evidence, const std::vector<Place>& places) {
  constexpr std::string_view kSays[] = {"set_num_threads(", "OMP_NUM_THREADS", "omp_set_num_threads(",
                                        "threadpool_limits("};
  constexpr std::string_view kOne[] = {"threads(1)", "= \"1\"", "='1'", "= '1'", "limits(1"};
  if (places.empty() || places.front().file.empty()) return std::nullopt;
  symbols::SourceFiles& files = evidence.sources();
  const Lines& lines = files.file(places.front().file).lines;
  const char* const comment = places.front().file.ends_with(".py") ? "#" : "//";
  std::optional<Place> found;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view code = code_of(lines[i], comment);
    const std::string_view text = trimmed(code);
    if (text.starts_with('*') || text.starts_with("/*")) continue;
    if (!contains_any(code, kSays) || contains_any(code, kOne)) continue;
    if (found) return std::nullopt;
    const auto number = static_cast<std::int64_t>(i + 1);
    found = Place{places.front().file, number, comment[0] == '#' ? function_around(lines, i + 1) : std::string()};
  }
  return found;
}

const char* cannot(const Evidence& evidence) {
  const Processors all = processors(evidence);
  if (!all.there) return "how many processors there were was not recorded";
  return all.run_queue_known ? nullptr : "the kernel does not tell how long threads waited for a processor";
}

std::vector<Finding> look(const Evidence& evidence) {
  const Processors all = processors(evidence);
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program || !all.there) return {};
  if (all.queued() < kOversubscribed || all.wanted < kWantedOfProcessors * *all.there) return {};
  const Who who = with_pools(evidence);
  // Where the run kept fewer busy it was others that its threads waited for, unless one pool has many more threads than
  // there are processors: these then wait for each other to wake, too.
  const bool many = who.processes > 0 && real(who.pool.threads) >= kManyOfPool * *all.there * real(who.processes);
  if (all.used < (many ? kUsedByMany : kUsedOfProcessors) * *all.there) return {};
  Finding finding;
  finding.rule = kOversubscribedRule.name;
  finding.title = "More threads compute than there are processors";
  finding.seen = fmt::format(
      "Threads were ready to run on {:.1f} processors on average, and there were {:.3g}: {} % of that time they waited "
      "for "
      "one.",
      all.wanted, *all.there, show::percent(all.queued(), 1));
  if (who.pool.threads > 0) {
    finding.seen += fmt::format(" {} of them belong to pools of a library for parallel computing, in {}.",
                                show::counted(who.pool.threads, "thread", "threads"),
                                show::counted(who.processes, "process", "processes"));
  }
  const auto each = std::max<std::int64_t>(1, whole_number(*all.there) / std::max<std::int64_t>(1, who.processes));
  finding.advice = fmt::format(
      "Let threads and processes together be no more than the processors: OMP_NUM_THREADS={} (torch.set_num_threads), "
      "fewer workers, one thread in each worker.",
      each);
  finding.places = computing_lines(evidence, *program);
  if (std::optional<Place> line = line_that_says(evidence, finding.places))
    finding.places.insert(finding.places.begin(), *std::move(line));
  // Taking turns costs little of itself: what fewer threads save is what the others do while they wait, as threads of
  // parallel libraries spin.
  const CpuAt spins = cpu_at(evidence, [&](std::uint32_t node) { return in_parallel_library(evidence, node); });
  const double share = share_of_wall(evidence, spins);
  if (share < kSpins) return {};
  finding.seen += fmt::format(" They spun for {} of CPU time ({} %) until others were done.",
                              show::duration(static_cast<double>(spins.ns)), show::percent(spins.share(), 1));
  could_save_of_run(finding, evidence, share);
  return {finding};
}

}  // namespace
}  // namespace oversubscribed

const Rule kOversubscribedRule{"oversubscribed-processors", "more threads that compute than processors",
                               oversubscribed::cannot, oversubscribed::look};

}  // namespace prof::findings
