// Files are read a few bytes at a time.
#include <fmt/format.h>

#include <algorithm>

#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/file_use.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

bool in_small_parts(const model::FileMetric& use, bool) {
  return use.reads >= kManyReads && use.read_bytes / use.reads < kSmallRead;
}

std::int64_t reading_ns(const model::FileMetric& use) { return use.read_ns; }

// All that those lines take of the time of the program's thread: each call costs more than what the kernel takes.
double share_of_lines(const Evidence& evidence, std::size_t process, const std::vector<Place>& places) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program || program->process != process || places.empty()) return 0;
  TimeByPlace sums(evidence);
  for (const LineTime& time : line_times(evidence, *program)) {
    if (const auto place = evidence.own_place(time.node))
      sums.add(*place, model::saturated_sum(time.cpu_ns, time.blocked_ns));
  }
  return thread_share(evidence, *program, sums.at(places.front()));
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<WorstUse> worst = worst_use(evidence, in_small_parts, reading_ns);
  if (!worst) return {};
  const FileUse& files = worst->files;
  const model::FileMetric& use = files.use;
  Finding finding;
  finding.rule = kSmallReadsRule.name;
  finding.title = "Files are read a few bytes at a time";
  finding.seen = fmt::format(
      "{} reads of {} on average took {}, most of it of {}. The calls alone are meant; what the "
      "program does around each comes on top.",
      show::grouped(use.reads), show::bytes(real(use.read_bytes) / real(use.reads)), show::duration(real(use.read_ns)),
      files.worst);
  finding.advice =
      "Read larger blocks (a buffered file, readinto() of a large buffer, numpy.fromfile, mmap), or keep what is read "
      "by single records in one array.";
  finding.places =
      lines_calling(evidence, files.process, {"read", "pread", "pread64", "readv", "preadv"}, Weight::Calls);
  could_save(finding, evidence, std::max(worst->share, share_of_lines(evidence, files.process, finding.places)));
  return {finding};
}

}  // namespace

const Rule kSmallReadsRule{"small-reads", "files read in small parts", no_files, look};

}  // namespace prof::findings
