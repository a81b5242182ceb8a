#include "report/show/training/loading_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/fold/line_tree.hpp"
#include "report/fold/training/loading_cause.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"
#include "report/show/stack_text.hpp"

namespace prof::show {
namespace {

using fold::Loader;
using log::WaitClass;

std::string workers(const Loader& loader) {
  const auto at_once = static_cast<std::int64_t>(loader.workers_at_once);
  return at_once == 1 ? "its worker" : fmt::format("its {} workers", at_once);
}

const char* their(const Loader& loader) { return loader.workers_at_once == 1 ? "its" : "their"; }

std::string share_of(std::int64_t part, std::int64_t whole) { return percent(real(part), real(whole)) + " %"; }

std::string processors(const Loader& loader) {
  if (!loader.cpus) return fmt::format("{:.1f} processors busy; how many there were is not known", loader.cpus_used);
  return fmt::format("{:.1f} of {:g} processors busy", loader.cpus_used, *loader.cpus);
}

// "computing 60.0 %, files 30.0 %, not accounted for 10.0 %", largest first, what is under a percent left out.
std::string parts_of(const fold::LoadingTime& time) {
  const std::int64_t ready = std::min(time.rest_ns(), time.run_queue_ns.value_or(0));
  std::vector<std::pair<std::int64_t, std::string>> parts = {{time.work.cpu_ns, "computing"},
                                                             {ready, "waiting for a processor"},
                                                             {time.rest_ns() - ready, "what is not accounted for"}};
  for (std::uint32_t i = 0; i < log::kWaitClasses; ++i) {
    parts.emplace_back(time.work.blocked_ns(static_cast<WaitClass>(i)),
                       fmt::format("waiting ({})", log::kWaitClassNames[i]));
  }
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> out;
  for (const auto& [ns, words] : parts) {
    if (ns > 0 && real(ns) >= 0.01 * real(time.busy_ns())) {
      out.push_back(fmt::format("{} {}", words, share_of(ns, time.busy_ns())));
    }
  }
  return out.empty() ? "nothing" : fmt::format("{}", fmt::join(out, ", "));
}

// Of a loader without workers: what the loop did while it loaded.
std::string parts_of(const fold::ThreadTime& time) {
  return fmt::format("{} of that computing, {} waiting for files", share_of(time.cpu_ns, time.ns()),
                     share_of(time.blocked_ns(WaitClass::File), time.ns()));
}

std::string speed(const fold::LoadingTime& time) {
  if (time.read_ns <= 0) return {};
  const double per_s = real(time.read_bytes) / real(time.read_ns) * 1e9;
  const Unit unit = byte_rate_unit(per_s);
  return fmt::format(" ({} {} while reading, {} of that time in reads that memory cannot explain)",
                     in_unit(per_s, unit), unit.name, share_of(time.storage_ns, time.read_ns));
}

// Less than it takes to hand a batch over from another process.
constexpr double kSmallBatchNs = 1e6;

// Of the time at work, what is no waiting: as many workers more as wait meanwhile can take turns on a processor.
double computing_of(const Loader& loader) {
  constexpr double kLeast = 0.05;
  const fold::ThreadTime& work = loader.workers.empty() ? loader.wait : loader.all.work;
  return work.ns() <= 0 ? 1 : std::clamp(1 - real(work.blocked_ns()) / real(work.ns()), kLeast, 1.0);
}

constexpr double kComputes = 0.5;  // of the time of loading

std::string more_workers(const Loader& loader) {
  if (loader.workers.empty() && loader.steps > 0 && real(loader.wait.ns()) < kSmallBatchNs * real(loader.steps)) {
    return fmt::format(
        "A batch takes {} to load, less than handing it over from another process: take larger batches, "
        "or make tensors of all samples once and take parts of them.",
        duration(real(loader.wait.ns()) / real(loader.steps)));
  }
  // What the loop computes to load is done again in each pass, and workers have to be started first.
  const bool computes = loader.workers.empty() && computing_of(loader) >= kComputes;
  const char* const first =
      computes
          ? "Prepare once what is the same in each pass over the data (parsed, decoded, as tensors); or load in other "
            "processes, which start anew for each pass without persistent_workers=True. "
          : "";
  const auto needed = fold::workers_needed(loader);
  if (!needed) return std::string(first) + "Try more workers (num_workers).";
  const auto count = std::max<std::size_t>(*needed, loader.workers_at_once + 1);
  // What the loop computes on is taken.
  const double left = loader.cpus && loader.workers.empty() ? std::floor(*loader.cpus - loader.cpus_used) : 0;
  const double computing = computing_of(loader);
  const auto fitting = [&](double processors, const char* which) {
    const double most = std::max(1.0, std::floor(processors / computing));
    if (static_cast<double>(count) <= most) return std::string();
    return fmt::format(
        "{}Try num_workers={:.0f}: {}{}. {} would be needed for the loop not to wait at this speed.", first, most,
        most > processors ? "they have enough to compute for every processor" : "one for each processor", which, count);
  };
  if (left >= 1) {
    if (std::string text = fitting(left, " that is free in the steps"); !text.empty()) return text;
  }
  if (loader.cpus) {
    if (std::string text = fitting(*loader.cpus, ""); !text.empty()) return text;
  }
  return fmt::format("{}Try num_workers={}: with so many the loop would not wait at this speed.", first, count);
}

bool mostly_idle(const Loader& loader) {
  const fold::LoadingTime& all = loader.all;
  return !loader.workers.empty() && all.wall_ns > 0 && real(all.idle_ns) >= fold::kMostlyIdle * real(all.wall_ns);
}

std::string unclear(const Loader& loader) {
  const fold::LoadingTime& all = loader.all;
  if (loader.thread_of_its_own) {
    return "the data is read by a thread of its own, so that its waiting does not tell how long the program waited";
  }
  if (loader.workers.empty() || all.wall_ns <= 0) return "there is nothing to compare with";
  if (mostly_idle(loader)) {
    return fmt::format("it waited although {} had nothing to do for {} of {} time, and {} of its waiting was computing",
                       workers(loader), share_of(all.idle_ns, all.wall_ns), their(loader),
                       share_of(loader.wait.cpu_ns, loader.wait.ns()));
  }
  return fmt::format("{} spent {} time at work on {}; sending took {}; {}", workers(loader), their(loader),
                     parts_of(all), duration(real(all.sending_ns)), processors(loader));
}

}  // namespace

std::string loop_name(const Subject& subject, const Loader& loader, bool wide) {
  if (loader.location != fold::kNobody) return place_name(subject.symbols, loader.location, wide);
  return command_label(subject.run.processes[loader.process], wide);
}

std::vector<std::string> loading_sentences(const Subject& subject) {
  std::vector<std::string> out;
  const std::vector<Loader> loaders = fold::loaders(subject.run, subject.symbols, subject.selection);
  for (const Loader& loader : loaders) {
    if (loader.kind != Loader::Kind::Torch) continue;
    const std::string whose =
        loaders.size() > 1 ? fmt::format("pid {}: ", subject.run.processes[loader.process].pid) : std::string();
    out.push_back(fmt::format("{}{}: {} waited {} ({} of its time) for its data; --view loading.", whose,
                              fold::to_string(loader.cause), loop_name(subject, loader, false),
                              duration(real(loader.wait.ns())), share_of(loader.wait.ns(), loader.loop_ns)));
  }
  return out;
}

std::string loading_reason(const Loader& loader) {
  const fold::LoadingTime& all = loader.all;
  switch (loader.cause) {
    case Loader::Cause::FastEnough:
      break;
    case Loader::Cause::SlowDisk:
      return fmt::format("{} spent {} of the time at work waiting for files{}", workers(loader),
                         share_of(all.work.blocked_ns(WaitClass::File), all.busy_ns()), speed(all));
    case Loader::Cause::SlowNetwork:
      return fmt::format("{} spent {} of the time at work waiting for the network", workers(loader),
                         share_of(all.work.blocked_ns(WaitClass::Network), all.busy_ns()));
    case Loader::Cause::SlowDecoding:
      if (loader.workers.empty()) {
        return fmt::format("it loaded by itself (num_workers=0), {}, with {} in the steps", parts_of(loader.wait),
                           processors(loader));
      }
      return fmt::format("{} spent {} time at work on {}, with {}", workers(loader), their(loader), parts_of(all),
                         processors(loader));
    case Loader::Cause::TooFewWorkers:
      if (loader.workers.empty()) {
        return fmt::format("it loaded by itself (num_workers=0), {}", parts_of(loader.wait));
      }
      return fmt::format("{} spent {} time at work on {}, with only {}", workers(loader), their(loader), parts_of(all),
                         processors(loader));
    case Loader::Cause::Pickling:
      return fmt::format(
          "{} of that waiting was computing in the loop's own process, which unpacked what {} sent, and {} spent {} on "
          "sending",
          share_of(loader.wait.cpu_ns, loader.wait.ns()), workers(loader), loader.workers.size() == 1 ? "it" : "they",
          duration(real(all.sending_ns) + real(all.sending_cpu_ns)));
    case Loader::Cause::SlowStart:
      return fmt::format("{} took {} to start, {}before anything was loaded", workers(loader),
                         duration(real(loader.starts_ns()) /
                                  real(std::max<std::int64_t>(1, static_cast<std::int64_t>(loader.rounds())))),
                         loader.rounds() > 1 ? fmt::format("{} times, ", loader.rounds()) : "");
    case Loader::Cause::Unclear:
      return unclear(loader);
  }
  return {};
}

std::string loading_advice(const Loader& loader) {
  switch (loader.cause) {
    case Loader::Cause::FastEnough:
      return {};
    case Loader::Cause::SlowDisk:
      return "Try a local or faster disk, fewer and larger files, or a cache of what is read again; more workers help "
             "only as far as the storage serves several at once.";
    case Loader::Cause::SlowNetwork:
      return "Try larger requests, a local copy, or more workers, so that more requests are under way at once.";
    case Loader::Cause::SlowDecoding:
      return "More workers would not help: make a sample cheaper (prepare it once and store that, a faster decoder, "
             "work moved to the GPU), or use more processors.";
    case Loader::Cause::TooFewWorkers:
      return more_workers(loader);
    case Loader::Cause::Pickling:
      return "Let workers hand over tensors (they go through shared memory) or few large arrays in place of lists and "
             "dicts of Python objects, and batch in the worker (collate_fn).";
    case Loader::Cause::SlowStart:
      return fmt::format(
          "{}A worker starts sooner by fork, or from a main module that imports less (what it imports is imported "
          "again "
          "by each spawned worker); a small data set may need none (num_workers=0).",
          loader.rounds() > 1 ? "DataLoader(..., persistent_workers=True) keeps the workers for the next pass. " : "");
    case Loader::Cause::Unclear:
      break;
  }
  if (loader.thread_of_its_own || loader.workers.empty()) return {};
  if (mostly_idle(loader)) {
    return "Look at batches that take much longer than others, at the start of workers for each epoch "
           "(persistent_workers), and at what the loop itself does to take a batch.";
  }
  return "Look at what the workers do: --view loading.";
}

std::string loading_verdict(const Loader& loader) {
  std::string out = fmt::format("{}: the loop waited {} ({} of its time) for its data", fold::to_string(loader.cause),
                                duration(real(loader.wait.ns())), share_of(loader.wait.ns(), loader.loop_ns));
  const std::string reason = loading_reason(loader), advice = loading_advice(loader);
  if (!reason.empty()) out += "; " + reason;
  out += '.';
  if (!advice.empty()) out += ' ' + advice;
  return out;
}

}  // namespace prof::show
