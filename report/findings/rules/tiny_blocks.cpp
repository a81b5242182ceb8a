// dd goes through its data in blocks of a few bytes: bs=1, to cut at any byte.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/command_lines.hpp"
#include "report/findings/rules/process_tree.hpp"
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

const char* cannot(const Evidence& evidence) {
  return evidence.run().process_count() > 1 ? nullptr : "one process ran alone";
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::map<std::uint32_t, Whole> all = processes_of(evidence);
  std::map<std::string, std::pair<Blocks, std::vector<const Whole*>>> by_program;
  for (const auto& [pid, whole] : all) {
    const std::string program = program_of(evidence, whole);
    // Others read and write as their input comes, or as those wait for them who ask them line by line.
    if (program != "dd") continue;
    const Blocks blocks = blocks_of(evidence.run().processes[whole.last_image]);
    if (blocks.calls < kManyBlocks || blocks.bytes > kTinyBlock * blocks.calls) continue;
    auto& [sum, its] = by_program[program];
    sum.calls = model::saturated_sum(sum.calls, blocks.calls);
    sum.bytes = model::saturated_sum(sum.bytes, blocks.bytes);
    its.push_back(&whole);
  }
  symbols::SourceFiles files(evidence.run());
  std::vector<Finding> out;
  for (const auto& [program, found] : by_program) {
    const auto& [blocks, its] = found;
    const auto recording = whole_number(kBlockRecordedNs * real(blocks.calls));
    const std::int64_t saved =
        std::max<std::int64_t>(0, covered_ns(its) - model::saturated_sum(recording, profiling_ns(all, its)));
    if (share_of_run(evidence, saved) < kActivity || saved < kLeastActivityNs) continue;
    Finding finding;
    finding.rule = kTinyBlocksRule.name;
    finding.title = "A command copies its data in tiny blocks: " + program;
    finding.seen = fmt::format("{} calls read and wrote {} on average; {} lived for {}.", show::grouped(blocks.calls),
                               show::bytes(real(blocks.bytes) / real(blocks.calls)),
                               show::counted(static_cast<std::int64_t>(its.size()), "process", "processes"),
                               show::duration(real(covered_ns(its))));
    finding.advice =
        "Give it a block size (bs=1M; where offsets are in bytes: iflag=skip_bytes,count_bytes oflag=seek_bytes), "
        "or "
        "cut by tail -c +N | head -c N.";
    finding.places = {place_of_command(evidence, *its.front())};
    if (std::optional<CommandLine> line = line_of_command(evidence, files, all, *its.front()))
      finding.places.insert(finding.places.begin(), std::move(line->place));
    finding.when = lives_of(its);
    could_save_time(finding, evidence, saved);
    out.push_back(std::move(finding));
  }
  return out;
}

}  // namespace
}  // namespace tiny_blocks

const Rule kTinyBlocksRule{"tiny-blocks", "dd that copies in tiny blocks", tiny_blocks::cannot, tiny_blocks::look};

}  // namespace prof::findings
