#include "report/fold/training/loading_cause.hpp"

#include <algorithm>
#include <cmath>

namespace prof::fold {

namespace {

double as_double(std::int64_t value) { return static_cast<double>(value); }

// Whether more of what computes would find a processor. Nothing: not known.
std::optional<bool> processors_free(const Loader& loader) {
  if (loader.all.run_queue_ns) {
    const double ready = as_double(*loader.all.run_queue_ns);
    const double wanted = ready + as_double(loader.all.work.cpu_ns) + as_double(loader.all.sending_cpu_ns);
    if (wanted > 0 && ready >= kQueued * wanted) return false;
  }
  if (loader.cpus) return loader.cpus_used < kAllUsed * *loader.cpus;
  // Others may have used them, but nobody waited for one.
  if (loader.all.run_queue_ns) return true;
  return std::nullopt;
}

// What workers load is packed by pickle to be sent, and unpacked by whoever takes it.
bool is_pickling(const Loader& loader) {
  const double sending = as_double(loader.all.sending_ns) + as_double(loader.all.sending_cpu_ns);
  return as_double(loader.wait.cpu_ns) >= kNamed * as_double(loader.wait.ns()) ||
         sending >= kNamed * as_double(loader.all.busy_ns());
}

}  // namespace

const char* to_string(Loader::Cause cause) {
  switch (cause) {
    case Loader::Cause::FastEnough:
      return "fast enough";
    case Loader::Cause::SlowDisk:
      return "slow disk";
    case Loader::Cause::SlowNetwork:
      return "slow network";
    case Loader::Cause::SlowDecoding:
      return "slow decoding";
    case Loader::Cause::TooFewWorkers:
      return "too few workers";
    case Loader::Cause::Pickling:
      return "pickling";
    case Loader::Cause::SlowStart:
      return "slow start of workers";
    case Loader::Cause::Unclear:
      break;
  }
  return "unclear";
}

Loader::Cause cause_of(const Loader& loader) {
  using Cause = Loader::Cause;
  if (loader.loop_ns <= 0 || loader.thread_of_its_own) return Cause::Unclear;
  if (as_double(loader.wait.ns()) < kFastEnough * as_double(loader.loop_ns)) return Cause::FastEnough;
  // Others would only take the processors that the loop computes on.
  if (loader.workers.empty())
    return loader.cpus && loader.cpus_used >= kAllUsed * *loader.cpus ? Cause::SlowDecoding : Cause::TooFewWorkers;
  const LoadingTime& all = loader.all;
  // Workers that start while the loop does something else are not waited for: then what they load explains the waiting.
  const double loading = as_double(all.work.ns()) / as_double(static_cast<std::int64_t>(loader.workers_at_once));
  const double half = kNamed * as_double(loader.wait.ns());
  if (as_double(loader.starts_ns()) >= half && loading < half) return Cause::SlowStart;
  if (all.busy_ns() > 0 && is_pickling(loader)) return Cause::Pickling;
  if (as_double(all.idle_ns) >= kMostlyIdle * as_double(all.wall_ns)) return Cause::Unclear;

  const double most = kNamed * as_double(all.busy_ns());
  if (most <= 0) return Cause::Unclear;
  const std::int64_t file = all.work.blocked_ns(log::WaitClass::File);
  // Reads of mapped files are page faults: the kernel's own account has them, where it keeps one.
  if (as_double(std::max(file, all.delay_ns.value_or(0))) >= most) return Cause::SlowDisk;
  if (as_double(all.work.blocked_ns(log::WaitClass::Network)) >= most) return Cause::SlowNetwork;
  // More workers would wait for the same locks and for the same reader.
  if (as_double(all.work.blocked_ns(log::WaitClass::Lock)) + as_double(all.sending_ns) >= most) return Cause::Unclear;

  const double ready = std::min(as_double(all.run_queue_ns.value_or(0)), as_double(all.rest_ns()));
  const bool computing = as_double(all.work.cpu_ns) + ready >= most;
  if (!computing && as_double(all.rest_ns()) - ready >= most) return Cause::Unclear;
  const auto free = processors_free(loader);
  if (!free) return Cause::Unclear;
  if (*free) return Cause::TooFewWorkers;
  return computing ? Cause::SlowDecoding : Cause::Unclear;
}

std::optional<std::size_t> workers_needed(const Loader& loader) {
  const double wait = as_double(loader.wait.ns()), rest = as_double(loader.loop_ns) - wait;
  if (rest <= 0 || wait <= 0) return std::nullopt;
  // Without workers the loop loads by itself: what it loads in `wait` must be loaded in `rest`. With n of them, they
  // load in `wait` and `rest` together.
  const double needed =
      loader.workers_at_once == 0 ? wait / rest : static_cast<double>(loader.workers_at_once) * (wait + rest) / rest;
  if (needed > 1e6) return std::nullopt;
  return static_cast<std::size_t>(std::max(1.0, std::ceil(needed)));
}

}  // namespace prof::fold
