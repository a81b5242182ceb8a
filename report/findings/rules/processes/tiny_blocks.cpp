// dd goes through its data in blocks of a few bytes: bs=1, to cut at any byte.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/processes/command_lines.hpp"
#include "report/findings/rules/shared/file_use.hpp"
#include "report/findings/rules/shared/process_tree.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace tiny_blocks {
namespace {

struct Blocks {
  std::int64_t calls = 0, bytes = 0;
};

// What a process read and wrote, of files, pipes and sockets.
Blocks blocks_of(const model::Process& process) {
  Blocks out;
  for (const auto& row : process.tree.files) {
    out.calls = model::saturated_sum(out.calls, model::saturated_sum(row.metric.reads, row.metric.writes));
    out.bytes = model::saturated_sum(out.bytes, model::saturated_sum(row.metric.read_bytes, row.metric.write_bytes));
  }
  return out;
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::map<std::uint32_t, Whole> all = processes_of(evidence);
  Blocks blocks;
  std::vector<const Whole*> copying;
  for (const auto& [pid, whole] : all) {
    // Others read and write as their input comes, or as those wait for them who ask them line by line.
    if (program_of(evidence, whole) != "dd") continue;
    const Blocks its = blocks_of(evidence.run().processes[whole.last_image]);
    if (its.calls < kManyBlocks || its.bytes > kTinyBlock * its.calls) continue;
    blocks.calls = model::saturated_sum(blocks.calls, its.calls);
    blocks.bytes = model::saturated_sum(blocks.bytes, its.bytes);
    copying.push_back(&whole);
  }
  if (copying.empty()) return {};
  const std::int64_t recording = model::saturated_sum(whole_number(kBlockUnseenNs * real(blocks.calls)),
                                                      profiling_ns(evidence, all, copying)),
                     saved = std::max<std::int64_t>(0, covered_ns(copying) - recording);
  if (share_of_run(evidence, saved) < kActivity || saved < kLeastActivityNs) return {};
  Finding finding;
  finding.rule = kTinyBlocksRule.name;
  finding.title = "dd copies its data in tiny blocks";
  finding.seen = fmt::format("{} calls read and wrote {} on average; {} lived for {}.", show::grouped(blocks.calls),
                             show::bytes(real(blocks.bytes) / real(blocks.calls)),
                             show::counted(static_cast<std::int64_t>(copying.size()), "process", "processes"),
                             show::duration(real(covered_ns(copying))));
  finding.advice =
      "Give it a block size (bs=1M; where offsets are in bytes: iflag=skip_bytes,count_bytes oflag=seek_bytes), or cut "
      "by tail -c +N | head -c N.";
  finding.places = {place_of_command(evidence, *copying.front())};
  symbols::SourceFiles& files = evidence.sources();
  if (std::optional<CommandLine> line = line_of_command(evidence, files, all, *copying.front()))
    finding.places.insert(finding.places.begin(), std::move(line->place));
  finding.when = lives_of(copying);
  could_save_time(finding, evidence, saved);
  return {finding};
}

}  // namespace
}  // namespace tiny_blocks

const Rule kTinyBlocksRule{"tiny-blocks", "dd that copies in tiny blocks", no_files, tiny_blocks::look};

}  // namespace prof::findings
