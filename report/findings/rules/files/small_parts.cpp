// Files are read or written in parts that are far smaller than what a call costs.
#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/file_use.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace small_parts {
namespace {

struct Family {
  const char* rule;
  const char* title;
  const char* what;  // behind "3,349,842"
  const char* advice;
  std::int64_t model::FileMetric::*calls;
  std::int64_t model::FileMetric::*bytes;
  std::int64_t model::FileMetric::*ns;
  std::vector<std::string> functions;
};

const Family kReads{
    "small-reads",
    "Files are read a few bytes at a time",
    "reads",
    "Read larger blocks (a buffered file, readinto() of a large buffer, numpy.fromfile, mmap), or keep what is read by "
    "single records in one array.",
    &model::FileMetric::reads,
    &model::FileMetric::read_bytes,
    &model::FileMetric::read_ns,
    {"read", "pread", "pread64", "readv", "preadv"}};
const Family kWrites{
    "small-writes",
    "Files are written a few bytes at a time",
    "writes",
    "Let a buffer fill before it is written: '\\n' in place of std::endl, no flush after each line (flush=True, "
    "buffering=1, fflush), a BufferedWriter or BufferedOutputStream, or setvbuf() with a large buffer.",
    &model::FileMetric::writes,
    &model::FileMetric::write_bytes,
    &model::FileMetric::write_ns,
    {"write", "pwrite", "pwrite64", "writev", "pwritev"}};

// The functions through which such calls are reached from own code: what they take themselves is a part of each call.
std::set<std::uint32_t> on_the_way(const Evidence& evidence, const std::vector<LineTime>& times) {
  std::set<std::uint32_t> out;
  for (const LineTime& time : times) {
    if (time.waits != log::WaitClass::File || time.calls <= 0) continue;
    const fold::CallTree& lines = evidence.lines();
    for (std::uint32_t node = time.node; node != 0; node = lines.nodes()[node].parent) {
      out.insert(lines.function_id(node));
      if (evidence.own().function(lines.function_id(node))) break;
    }
  }
  return out;
}

// What those lines take for the calls of the time of the program's thread: each costs more than what the kernel takes.
// `all`: all that they take.
double share_of_lines(const Evidence& evidence, std::size_t process, const std::vector<Place>& places, bool all) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program || program->process != process || places.empty()) return 0;
  TimeByPlace sums(evidence);
  const double queue = queue_factor(evidence, *program);
  const std::vector<LineTime> times = line_times(evidence, *program);
  const std::set<std::uint32_t> way = on_the_way(evidence, times);
  for (const LineTime& time : times) {
    if (!all && !way.contains(evidence.lines().function_id(time.node))) continue;
    sums.add(time.node, model::saturated_sum(whole_number(queue * real(time.cpu_ns)), time.blocked_ns));
  }
  return share_of_run(evidence, sums.at(places.front()));
}

std::vector<Finding> look_for(const Evidence& evidence, const Family& family) {
  const auto in_small_parts = [&](const model::FileMetric& use, bool) {
    return use.*family.calls >= kManyReads && use.*family.bytes / (use.*family.calls) < kSmallRead;
  };
  const std::optional<WorstUse> worst =
      worst_use(evidence, in_small_parts, [&](const model::FileMetric& use) { return use.*family.ns; });
  if (!worst) return {};
  const FileUse& files = worst->files;
  const std::int64_t calls = files.use.*family.calls;
  Finding finding;
  finding.rule = family.rule;
  finding.title = family.title;
  finding.seen = fmt::format("{} {} of {} on average took {}, most of it of {}.", show::grouped(calls), family.what,
                             show::bytes(real(files.use.*family.bytes) / real(calls)),
                             show::duration(real(files.use.*family.ns)), files.worst);
  finding.advice = family.advice;
  // What is made for a file that is opened comes with it.
  const bool opened = real(files.use.opens) >= kOpenedForEach * real(calls);
  if (opened) {
    finding.title = "A file is opened and closed for each small part";
    finding.seen += fmt::format(" {} opens.", show::grouped(files.use.opens));
    finding.advice = "Open it once, outside of the loop, and close it at the end; flush where others must see it.";
  }
  finding.places = lines_calling(evidence, files.process, family.functions, Weight::Calls);
  ShareOfTime time = worst->time;
  // The lines' is of the run, as is that of the program's process.
  const double calls_alone = time.share;
  if (time.of_run) time.share = std::max(time.share, share_of_lines(evidence, files.process, finding.places, opened));
  finding.seen += time.share > calls_alone ? " What could be saved has what their line does for each, too."
                                           : " The calls alone are meant, without what the program does around each.";
  finding.saves_more = time.share <= calls_alone;
  could_save(finding, evidence, time);
  return {finding};
}

template <const Family& family>
std::vector<Finding> look(const Evidence& evidence) {
  return look_for(evidence, family);
}

}  // namespace
}  // namespace small_parts

const Rule kSmallReadsRule{"small-reads", "files read in small parts", no_files,
                           small_parts::look<small_parts::kReads>};
const Rule kSmallWritesRule{"small-writes", "files written in small parts", no_files,
                            small_parts::look<small_parts::kWrites>};

}  // namespace prof::findings
