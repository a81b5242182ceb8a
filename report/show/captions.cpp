#include "report/show/captions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "report/model/loss_text.hpp"
#include "report/show/measure.hpp"
#include "report/show/numbers.hpp"

namespace prof::show {

namespace {

struct Sampled {
  std::uint64_t longest = 0, samples = 0, cpu = 0;
};

Sampled sampled(const Subject& subject) {
  Sampled out;
  for (const model::Process& process : subject.run.processes) {
    if (!subject.selection.includes(process) || process.sample_period_ns == 0) continue;
    out.longest = std::max(out.longest, process.sample_period_ns);
    out.samples += process.totals.cpu_samples;
    out.cpu += process.cpu_ns;
  }
  return out;
}

}  // namespace

CpuSamples cpu_samples(const Subject& subject) {
  const Sampled all = sampled(subject);
  if (all.longest == 0) return {};
  // They come more often in a thread's first seconds: what one stands for on average is what a reader can use.
  const double each = all.samples == 0 ? real(all.longest) : real(all.cpu) / real(all.samples);
  return {duration(each), counted(static_cast<std::int64_t>(all.samples), "sample", "samples")};
}

bool too_few_samples(const Subject& subject) {
  constexpr std::uint64_t kFew = 5;
  const Sampled all = sampled(subject);
  return all.longest > 0 && all.samples < kFew && all.cpu < 10 * all.longest;
}

std::string cpu_sampling(const Subject& subject) {
  const CpuSamples known = cpu_samples(subject);
  if (known.period.empty()) return "CPU time was not sampled: only its sum is known";
  return fmt::format("CPU time is sampled about every {} ({})", known.period, known.count);
}

std::string heap_sampling(const Subject& subject) {
  std::uint64_t most = 0, first = 0;
  bool exact = false;
  bool sampled = false;
  for (const model::Process& process : subject.run.processes) {
    if (!subject.selection.includes(process)) continue;
    exact |= process.heap_mode == log::HeapMode::Exact;
    sampled |= process.heap_mode == log::HeapMode::Sampled;
    if (process.heap_mode != log::HeapMode::Sampled) continue;
    most = std::max(most, process.heap_interval);
    first = std::max(first, process.heap_interval_first);
  }
  if (sampled && first < most) {
    return fmt::format("estimated from samples, one in {} to {} on average, finer while little has been allocated",
                       bytes(static_cast<double>(first)), bytes(static_cast<double>(most)));
  }
  if (sampled) {
    return fmt::format("estimated from samples, one in {} on average", bytes(static_cast<double>(most)));
  }
  return exact ? "exact" : "not recorded";
}

std::string measuring(const Subject& subject, model::Measure measure) {
  if (measure == model::Measure::CpuTime || measure == model::Measure::CpuSamples) return cpu_sampling(subject);
  if (is_wait(measure)) {
    constexpr const char* kHow =
        "calls of 100 us and more are all in it (of threads that wait very often, of 6.4 ms), shorter ones by samples";
    if (measure == model::Measure::BlockingCalls) return fmt::format("blocking calls: {}", kHow);
    const std::string blocked = fmt::format("blocked: in blocking calls, less the CPU time in them; {}", kHow);
    return measure == model::Measure::Blocked ? blocked : fmt::format("{}; {}", cpu_sampling(subject), blocked);
  }
  const bool of_cuda = measure >= model::Measure::GpuTime;  // the last ones but those
  return fmt::format("{}: {}", names_of(measure).noun, of_cuda ? "exact" : heap_sampling(subject));
}

namespace {

// What --watch named in a run in which no such function was called: most often a mistyped name. Empty: none.
std::string watched_in_vain(const model::Run& run) {
  constexpr std::string_view kOption = "PROF_WATCH=";
  std::string patterns;
  for (const model::Process& process : run.processes) {
    if (!process.tree.calls.empty()) return {};
    const std::size_t at = process.options.find(kOption);
    if (at == std::string::npos) continue;
    const std::size_t from = at + kOption.size();
    patterns = process.options.substr(from, process.options.find('\n', from) - from);
  }
  return patterns;
}

}  // namespace

LossSentences losses(const model::Run& run, std::uint64_t but) {
  LossSentences out;
  for (std::size_t reason = 0; reason < run.loss.size(); ++reason) {
    if (run.loss[reason] == 0) continue;
    out.lost.push_back(
        fmt::format("{} {}", grouped(model::to_signed(run.loss[reason])), model::loss_text(reason, run.loss[reason])));
  }
  if (run.empty_logs > 0) {
    out.lost.push_back(fmt::format("{} before anything was recorded",
                                   counted(model::to_signed(run.empty_logs), "process ended", "processes ended")));
  }
  if (run.unreadable_logs > 0) {
    out.lost.push_back(fmt::format("what {} did: {} be used",
                                   counted(model::to_signed(run.unreadable_logs), "process", "processes"),
                                   run.unreadable_logs == 1 ? "its log cannot" : "their logs cannot"));
  }
  out.conditions = model::condition_sentences(run.conditions & ~but);
  if (const std::string patterns = watched_in_vain(run); !patterns.empty())
    out.conditions.push_back(fmt::format("no function of Python that --watch {} names was called", patterns));
  return out;
}

std::vector<std::string> loss_captions(const model::Run& run) {
  const LossSentences sentences = losses(run);
  std::vector<std::string> out;
  if (!sentences.lost.empty()) out.push_back(fmt::format("Lost: {}.", fmt::join(sentences.lost, "; ")));
  for (const std::string& condition : sentences.conditions) out.push_back("Note: " + condition);
  return out;
}

std::vector<std::string> filters(const Subject& subject, const ViewOptions& options) {
  std::vector<std::string> out;
  if (!options.focus.empty())
    out.push_back(fmt::format("Only stacks with a function that matches '{}'.", options.focus));
  if (!options.ignore.empty()) out.push_back(fmt::format("Without stacks that match '{}'.", options.ignore));
  if (subject.selection.fold.frames == fold::Frames::Python) {
    out.push_back("Only Python frames: the time of native code is that of the Python line that called it.");
  }
  if (subject.selection.fold.frames == fold::Frames::Native) out.push_back("Only native frames.");
  if (subject.selection.fold.ranges == fold::Ranges::Hide) out.push_back("Without the ranges around stacks.");
  if (subject.selection.fold.tasks == fold::Tasks::Hide) out.push_back("Without the tasks in stacks.");
  if (subject.selection.fold.backward == fold::Backward::Apart)
    out.push_back("Threads of PyTorch that run backward() are not below its callers.");
  if (subject.selection.fold.teams == fold::Teams::Apart)
    out.push_back("Threads of OpenMP and OpenBLAS are not below who shared work with them.");
  if (!subject.selection.pids.empty()) {
    out.push_back(fmt::format("Only pid {}.", fmt::join(subject.selection.pids, ", ")));
  }
  if (!subject.selection.ranks.empty()) {
    out.push_back(fmt::format("Only rank {}.", fmt::join(subject.selection.ranks, ", ")));
  }
  if (!subject.selection.threads.empty()) {
    out.push_back(fmt::format("Only threads {}; what is live cannot be told by thread.",
                              fmt::join(subject.selection.threads, ", ")));
  }
  return out;
}

std::vector<std::string> left_out(std::size_t shown, std::size_t all, const char* what) {
  if (shown >= all) return {};
  return {fmt::format("{} of {} {} shown; --limit 0 shows all.", grouped(static_cast<std::int64_t>(shown)),
                      grouped(static_cast<std::int64_t>(all)), what)};
}

}  // namespace prof::show
