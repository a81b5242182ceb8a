// A coroutine gathers requests into batches that are larger than what may come at once: each batch waits until its time
// is over, while everybody waits for it.
#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/peers.hpp"
#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thread_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace batch_deadlines {
namespace {

// "batch.append(await asyncio.wait_for(self.queue.get(), remaining))" in a loop until the batch is full: "while
// len(batch) < self.limit:".
bool gathers(const Lines& lines, std::size_t number) {
  const std::string_view code = code_of(lines[number - 1], "#");
  if (!contains(code, "wait_for(") || !contains(code, ".get()")) return false;
  bool until_full = false;
  heads_above(lines, number, [&](std::string_view head, std::size_t) {
    until_full |= head.starts_with("while ") && contains(head, "len(") && contains(head, " < ");
    return !head.starts_with("async def ") && !head.starts_with("def ");
  });
  return until_full;
}

// The lines of the program that do so.
std::vector<Place> gathering_lines(const Evidence& evidence) {
  symbols::SourceFiles files(evidence.run());
  std::set<std::string> names;
  for (std::uint32_t id = 0; id < evidence.symbols().function_count(); ++id) {
    const symbols::Function& function = evidence.symbols().function(id);
    if (function.language == symbols::Language::Python && evidence.own().function(id)) names.insert(function.file);
  }
  std::vector<Place> out;
  for (const std::string& name : names) {
    const Lines& lines = files.file(name).lines;
    for (std::size_t number = 1; number <= lines.size(); ++number) {
      if (!gathers(lines, number)) continue;
      Place place;
      place.file = name;
      place.line = static_cast<std::int64_t>(number);
      heads_above(lines, number, [&](std::string_view head, std::size_t) {
        const std::size_t def = head.find("def ");
        if (def == std::string_view::npos) return true;
        place.function = head.substr(def + 4, head.find('(') - def - 4);
        return false;
      });
      out.push_back(std::move(place));
    }
  }
  return out;
}

const char* cannot(const Evidence& evidence) {
  if (const char* why = no_python_frames(evidence)) return why;
  return evidence.lines().waits_known() ? nullptr : "what threads waited for was not recorded";
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program || evidence.has_steps()) return {};
  // Where requests may come from elsewhere, nobody knows who might still have sent one.
  if (accepts_connections(evidence, program->process) || makes_connections(evidence, program->process)) return {};
  const model::Process& process = evidence.run().processes[program->process];
  std::int64_t idle = 0;
  for (const StackTime& time : stack_times(process, program->slot)) {
    if (time.waits == log::WaitClass::Poll) idle = model::saturated_sum(idle, time.blocked_ns);
  }
  const std::int64_t lost = std::max<std::int64_t>(0, idle - work_beside(evidence, *program));
  const double share = share_of_life(evidence, *program, lost);
  if (lost < kLeastWaitNs || share < kWaitingLine) return {};
  Finding finding;
  finding.places = gathering_lines(evidence);
  if (finding.places.empty()) return {};
  finding.rule = kBatchDeadlinesRule.name;
  finding.title = "Batches wait for requests that do not come, until their time is over";
  finding.seen = fmt::format("The event loop had nothing to do for {}, {} more than other threads were at work.",
                             show::duration(real(idle)), show::duration(real(lost)));
  finding.advice =
      "Let a batch end when the queue is empty and all who may ask are waiting (no more than there are callers at "
      "once), or after a shorter time.";
  could_save_of_run(finding, evidence, share);
  return {finding};
}

}  // namespace
}  // namespace batch_deadlines

const Rule kBatchDeadlinesRule{"batch-deadlines", "batches that wait until their time is over", batch_deadlines::cannot,
                               batch_deadlines::look};

}  // namespace prof::findings
