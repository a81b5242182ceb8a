// The same file is opened and read again and again.
#include <fmt/format.h>

#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/file_use.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace repeated_reads {
namespace {

std::int64_t reading_ns(const model::FileMetric& use) { return model::saturated_sum(use.open_ns, use.read_ns); }

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<WorstUse> worst = worst_use(evidence, read_again, reading_ns);
  if (!worst || worst->time.most < kActivity) return {};
  const FileUse& files = worst->files;
  const model::FileMetric& use = files.use;
  Finding finding;
  finding.rule = kRepeatedReadsRule.name;
  finding.title = "The same files are opened and read again and again";
  finding.seen = fmt::format("{} opened {} times, {} read in all in {}; {} has most of it.",
                             files.files == 1 ? std::string("A file was") : show::grouped(files.files) + " files were",
                             show::grouped(use.opens), show::bytes(real(use.read_bytes)),
                             show::duration(real(reading_ns(use))), files.worst);
  finding.advice =
      "Keep what was read (functools.cache, a dict that is filled once), open the file once and keep it open, or map "
      "it "
      "(mmap, numpy.load with mmap_mode).";
  finding.places = lines_calling(
      evidence, files.process, {"open", "open64", "openat", "openat64", "read", "pread", "pread64", "fopen", "fopen64"},
      Weight::Time);
  could_save(finding, evidence, worst->time);
  return {finding};
}

}  // namespace
}  // namespace repeated_reads

const Rule kRepeatedReadsRule{"repeated-reads", "the same files read again and again", no_files, repeated_reads::look};

}  // namespace prof::findings
