// What processes did with single files, for the rules about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/thread_time.hpp"

namespace prof::findings {

// Files of one process that answer for a finding, added up.
struct FileUse {
  std::size_t process = 0;  // index into Run::processes
  model::FileMetric use;
  std::string worst;  // the name of that with the most time
  std::int64_t worst_ns = 0;
  std::int64_t files = 0;
};

// By process, the files and folders for which `is(metric, told_alone)` holds, `told_alone` being false of folders whose
// files are not told one by one. What interpreters and the system read for themselves is left out.
using IsUse = std::function<bool(const model::FileMetric&, bool told_alone)>;
std::vector<FileUse> files_used(const Evidence& evidence, const IsUse& is);

// Such a file that is opened and read again and again. Those that are read in small parts are told by that.
bool read_again(const model::FileMetric& use, bool told_alone);

// Why nothing can be told of files; null: it can.
const char* no_files(const Evidence& evidence);

// A share of the wall time that savings are told of, or of the run's.
struct ShareOfTime {
  double share = 0;
  bool of_run = false;
  double most = 0;  // of the time that savings are told of, if all of it lies there: to be compared with thresholds
};
// Sets what heeding the finding could save to it.
void could_save(Finding& finding, const Evidence& evidence, const ShareOfTime& time);

// That of files_used() with the largest share of the time, by share_of_process() of `ns`; nothing below kFileReads.
struct WorstUse {
  FileUse files;
  ShareOfTime time;
};
std::optional<WorstUse> worst_use(const Evidence& evidence, const IsUse& is,
                                  const std::function<std::int64_t(const model::FileMetric&)>& ns);

// Of the time that could be saved, `ns` in a process. What processes do that load data for a loop counts as far as the
// loop waits for them, of the steps' time.
ShareOfTime share_of_process(const Evidence& evidence, std::size_t process, std::int64_t ns);

// Lines of a process's own code that called these functions of libc's, by what they waited there, imports left out.
enum class Weight { Time, Calls };
std::vector<Place> lines_calling(const Evidence& evidence, std::size_t process,
                                 const std::vector<std::string>& functions, Weight weight);

}  // namespace prof::findings
