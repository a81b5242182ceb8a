#include "report/findings/rules/shared/file_use.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/model/wait_class.hpp"

namespace prof::findings {
namespace {

bool of_the_system(std::string_view path) {
  constexpr std::array<std::string_view, 6> kFolders = {"/proc/", "/sys/", "/dev/", "/etc/", "/usr/lib/", "/lib/"};
  constexpr std::array<std::string_view, 3> kPackages = {"/site-packages/", "/dist-packages/", "/lib/python3"};
  const auto holds = [&](std::string_view part) { return path.find(part) != std::string_view::npos; };
  const bool of_folder = !path.starts_with("/dev/shm/") &&
                         std::any_of(kFolders.begin(), kFolders.end(), [&](auto f) { return path.starts_with(f); });
  return of_folder || std::any_of(kPackages.begin(), kPackages.end(), holds) || path.ends_with(".py") ||
         path.ends_with(".pyc");
}

}  // namespace

namespace {

// A program that came with the system is as it is.
bool of_the_system(const model::Process& process) {
  constexpr std::array<std::string_view, 4> kFolders = {"/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/"};
  return !process.python && std::any_of(kFolders.begin(), kFolders.end(),
                                        [&](std::string_view folder) { return process.exe.starts_with(folder); });
}

}  // namespace

std::vector<FileUse> files_used(const Evidence& evidence, const IsUse& is) {
  std::vector<FileUse> out;
  const auto& processes = evidence.run().processes;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const model::Process& process = processes[i];
    if (!evidence.selection().includes(process) || of_the_system(process)) continue;
    std::map<std::uint32_t, model::FileMetric> by_frame;
    for (const auto& row : process.tree.files) by_frame[row.frame] += row.metric;
    FileUse all;
    all.process = i;
    for (const auto& [frame, use] : by_frame) {
      const std::uint32_t id = process.tree.frames[frame].name;
      if (id >= process.names.size()) continue;
      const model::Name& name = process.names[id];
      const bool alone = name.group == "file";
      if ((!alone && name.group != "files") || of_the_system(name.name) || !is(use, alone)) continue;
      all.use += use;
      ++all.files;
      if (all.worst.empty() || use.ns() > all.worst_ns) {
        all.worst = name.name;
        all.worst_ns = use.ns();
      }
    }
    if (all.files > 0) out.push_back(std::move(all));
  }
  return out;
}

void could_save(Finding& finding, const Evidence& evidence, const ShareOfTime& time) {
  time.of_run ? could_save_of_run(finding, evidence, time.share) : could_save(finding, evidence, time.share);
}

ShareOfTime share_of_process(const Evidence& evidence, std::size_t process, std::int64_t ns) {
  for (const fold::Loader& loader : evidence.loaders()) {
    const bool works = std::any_of(loader.workers.begin(), loader.workers.end(),
                                   [&](const fold::Loader::Worker& worker) { return worker.process == process; });
    if (!works || loader.loop_ns <= 0) continue;
    const std::int64_t busy = std::max<std::int64_t>(1, loader.all.busy_ns());
    const double share = std::min(1.0, real(ns) / real(busy) * real(static_cast<std::int64_t>(loader.workers.size()))) *
                         std::min(1.0, real(loader.wait.ns()) / real(loader.loop_ns));
    return {share, false, share};
  }
  // What another process takes is waited for at most.
  return {share_of_run(evidence, ns), true, evidence.share(ns)};
}

std::vector<Place> lines_calling(const Evidence& evidence, std::size_t process,
                                 const std::vector<std::string>& functions, Weight weight) {
  const model::Process& of = evidence.run().processes[process];
  const std::vector<bool>& imports = evidence.imports(process);
  TimeByPlace sums(evidence);
  for (const auto& row : of.tree.waits) {
    const model::Frame& frame = of.tree.frames[of.tree.nodes[row.node].frame];
    if (imports[row.node] || model::wait_class_of(of, of.tree.nodes[row.node].frame) != log::WaitClass::File) continue;
    const std::string& name = of.names[frame.name].name;
    if (std::find(functions.begin(), functions.end(), name) == functions.end()) continue;
    sums.add(process, row.node, weight == Weight::Time ? row.metric.ns : row.metric.calls());
  }
  return sums.top();
}

bool read_again(const model::FileMetric& use, bool told_alone) {
  return told_alone && use.opens >= kManyOpens && use.reads >= use.opens && use.read_bytes / use.reads >= kSmallRead;
}

const char* no_files(const Evidence& evidence) {
  return evidence.lines().waits_known() ? nullptr : "calls of files were not recorded";
}

std::optional<WorstUse> worst_use(const Evidence& evidence, const IsUse& is,
                                  const std::function<std::int64_t(const model::FileMetric&)>& ns) {
  std::optional<WorstUse> worst;
  for (FileUse& use : files_used(evidence, is)) {
    const ShareOfTime time = share_of_process(evidence, use.process, ns(use.use));
    if (time.most >= kFileReads && (!worst || time.most > worst->time.most)) worst = WorstUse{std::move(use), time};
  }
  return worst;
}

}  // namespace prof::findings
