// The threads that asyncio.to_thread() shares are fewer than what waits in them: most of the tasks wait for a thread.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/event_loop.hpp"
#include "report/findings/keeper_python.hpp"
#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/python/tasks.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace default_executor {
namespace {

constexpr std::string_view kThreads = "asyncio_";  // as loop.run_in_executor(None, ...) names them

struct Pool {
  std::int64_t threads = 0, life_ns = 0, waited_ns = 0;
};

// The threads of the default executor, and what they waited for peers, files, children and times.
Pool pool_of(const Evidence& evidence, const ThreadOf& program) {
  Pool out;
  for (const fold::ThreadWall& row : evidence.thread_walls()) {
    const model::Thread& thread = *row.thread;
    if (row.process != program.process || !thread.display_name().starts_with(kThreads)) continue;
    ++out.threads;
    out.life_ns =
        model::saturated_sum(out.life_ns, model::to_signed(thread.end_monotonic_ns - thread.start_monotonic_ns));
    for (const LineTime& time : line_times(evidence, {row.process, thread.slot})) {
      if (time.waits && *time.waits != log::WaitClass::Lock)
        out.waited_ns = model::saturated_sum(out.waited_ns, time.blocked_ns);
    }
  }
  return out;
}

// Where the loop waited meanwhile, and how long.
std::int64_t add_awaits(const Evidence& evidence, const ThreadOf& program, TimeByPlace& lines) {
  const fold::CallTree& tree = evidence.lines();
  std::int64_t ns = 0;
  for (const LineTime& time : line_times(evidence, program)) {
    std::uint32_t at = time.node;
    while (at != 0 && !fold::is_wait_of_loop(tree, at)) at = tree.nodes()[at].parent;
    if (at == 0) continue;
    ns = model::saturated_sum(ns, time.blocked_ns);
    lines.add(time.node, time.blocked_ns);
  }
  return ns;
}

// The line of that file that hands work to the executor, where there is just one.
std::optional<Place> handing_line(symbols::SourceFiles& files, const Place& beside) {
  const Lines& lines = files.file(beside.file).lines;
  std::optional<Place> found;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view code = code_of(lines[i], "#");
    if (!contains(code, "to_thread(") && !contains(code, "run_in_executor(None")) continue;
    if (found) return std::nullopt;
    found = Place{beside.file, static_cast<std::int64_t>(i + 1), function_around(lines, i + 1)};
  }
  return found;
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return {};
  const Pool pool = pool_of(evidence, *program);
  const std::int64_t gathered = gathered_at_once(evidence, *program);
  if (pool.threads < 1 || gathered <= pool.threads || real(pool.waited_ns) < kWaitingWorker * real(pool.life_ns))
    return {};
  TimeByPlace lines(evidence);
  const std::int64_t awaited = add_awaits(evidence, *program, lines);
  const double for_them = real(std::min(awaited, pool.waited_ns / pool.threads));
  const std::int64_t saved = whole_number(for_them * (1 - real(pool.threads) / real(gathered)));
  const double share = share_of_life(evidence, *program, saved);
  if (saved < kLeastWaitNs || share < kWaitingLine) return {};
  Finding finding;
  finding.rule = kDefaultExecutorRule.name;
  finding.title = "Tasks wait for a thread: the loop's own executor has few";
  finding.seen = fmt::format(
      "asyncio.gather() waits for {} tasks, and {} of the default executor waited {} % of their lives for what these "
      "asked them for.",
      show::grouped(gathered), show::counted(pool.threads, "thread", "threads"),
      show::percent(real(pool.waited_ns), real(pool.life_ns)));
  finding.advice =
      "asyncio.to_thread() and run_in_executor(None, ...) share as many threads as there are processors, and four: "
      "loop.set_default_executor(ThreadPoolExecutor(max_workers=...)) has more, or use an asynchronous client.";
  finding.places = lines.top();
  symbols::SourceFiles& files = evidence.sources();
  if (!finding.places.empty()) {
    if (std::optional<Place> line = handing_line(files, finding.places.front()))
      finding.places.insert(finding.places.begin(), *std::move(line));
  }
  could_save_of_run(finding, evidence, share);
  return {finding};
}

}  // namespace
}  // namespace default_executor

const Rule kDefaultExecutorRule{"default-executor", "tasks that wait for a thread of the loop's executor",
                                no_python_waits, default_executor::look};

}  // namespace prof::findings
