// Files are read a few bytes at a time.
#include <fmt/format.h>

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
  could_save(finding, evidence, worst->share);
  return {finding};
}

}  // namespace

const Rule kSmallReadsRule{"small-reads", "files read in small parts", no_files, look};

}  // namespace prof::findings
