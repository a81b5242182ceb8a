#include "report/fold/training/loading_data.hpp"

#include <algorithm>
#include <utility>

#include "report/fold/training/loading_cause.hpp"
#include "report/fold/training/loading_parts.hpp"
#include "report/fold/waiting/files.hpp"
#include "report/model/text.hpp"

namespace prof::fold {
namespace {

void add(std::int64_t& to, std::int64_t value) { to = model::saturated_sum(to, value); }
void add(std::optional<std::int64_t>& to, const std::optional<std::int64_t>& value) {
  if (value) to = model::saturated_sum(to.value_or(0), *value);
}

std::int64_t not_negative(std::int64_t value) { return std::max<std::int64_t>(0, value); }

std::size_t most_at_once(const model::Run& run, const std::vector<Loader::Worker>& workers) {
  std::vector<std::pair<std::uint64_t, int>> events;
  for (const Loader::Worker& worker : workers) {
    const model::Process& process = run.processes[worker.process];
    events.emplace_back(process.start_monotonic_ns, 1);
    events.emplace_back(process.end_monotonic_ns, -1);
  }
  std::sort(events.begin(), events.end());  // at one moment, ends come before starts
  int now = 0, most = 0;
  for (const auto& [when, step] : events) most = std::max(most, now += step);
  return static_cast<std::size_t>(most);
}

// Processors that all processes of the run on that machine kept busy while there were workers.
double processors_used(const model::Run& run, const Loader& loader) {
  std::uint64_t begin = UINT64_MAX, end = 0;
  for (const Loader::Worker& worker : loader.workers) {
    begin = std::min(begin, run.processes[worker.process].start_monotonic_ns);
    end = std::max(end, run.processes[worker.process].end_monotonic_ns);
  }
  if (end <= begin) return 0;
  double busy = 0;
  for (const model::Process& process : run.processes) {
    if (process.boot_id != run.processes[loader.process].boot_id || process.wall_ns() == 0) continue;
    const std::uint64_t from = std::max(begin, process.start_monotonic_ns);
    const std::uint64_t to = std::min(end, process.end_monotonic_ns);
    if (to <= from) continue;
    busy +=
        static_cast<double>(process.cpu_ns) * static_cast<double>(to - from) / static_cast<double>(process.wall_ns());
  }
  return busy / static_cast<double>(end - begin);
}

}  // namespace

std::int64_t ThreadTime::blocked_ns() const {
  std::int64_t out = 0;
  for (const model::WaitMetric& wait : waits) add(out, wait.blocked_ns());
  return out;
}

ThreadTime& ThreadTime::operator+=(const ThreadTime& other) {
  add(cpu_ns, other.cpu_ns);
  add(ready_ns, other.ready_ns);
  for (std::size_t i = 0; i < waits.size(); ++i) waits[i] += other.waits[i];
  return *this;
}

std::int64_t LoadingTime::busy_ns() const {
  return not_negative(model::saturated_difference(wall_ns, model::saturated_sum(starting_ns, idle_ns)));
}

std::int64_t LoadingTime::rest_ns() const { return not_negative(model::saturated_difference(busy_ns(), work.ns())); }

std::int64_t Loader::starts_ns() const {
  if (workers.empty()) return 0;
  // What went by without a processor did so while starting as much as at work.
  const double seen = static_cast<double>(all.starting_ns), at_work = static_cast<double>(all.work.ns());
  const double starting = seen + (seen > 0 ? static_cast<double>(all.rest_ns()) * seen / (seen + at_work) : 0);
  return whole_number(starting / static_cast<double>(workers.size()) * static_cast<double>(rounds()));
}

LoadingTime& LoadingTime::operator+=(const LoadingTime& other) {
  add(wall_ns, other.wall_ns);
  add(starting_ns, other.starting_ns);
  add(idle_ns, other.idle_ns);
  work += other.work;
  add(sending_ns, other.sending_ns);
  add(sending_cpu_ns, other.sending_cpu_ns);
  add(storage_ns, other.storage_ns);
  add(read_bytes, other.read_bytes);
  add(read_ns, other.read_ns);
  add(run_queue_ns, other.run_queue_ns);
  add(major_faults, other.major_faults);
  add(delay_ns, other.delay_ns);
  return *this;
}

LoadingTime process_time(const model::Process& process) {
  LoadingTime out;
  out.wall_ns = model::to_signed(process.wall_ns());
  for (const auto& row : process.tree.files) {
    const std::uint32_t id = process.tree.frames[row.frame].name;
    if (id >= process.names.size() || !process.names[id].group.starts_with("file")) continue;
    add(out.read_bytes, row.metric.read_bytes);
    add(out.read_ns, row.metric.read_ns);
    add(out.storage_ns, row.metric.slow_read_ns);
  }
  for (const model::Thread& thread : process.threads) {
    if (thread.agent) continue;
    add(out.run_queue_ns, thread.use.run_queue_ns);
    add(out.major_faults, thread.use.major_faults);
    add(out.delay_ns, thread.use.storage_delay_ns);
  }
  return out;
}

void complete(const model::Run& run, Loader& loader) {
  std::stable_sort(loader.workers.begin(), loader.workers.end(), [&](const Loader::Worker& a, const Loader::Worker& b) {
    return run.processes[a.process].start_monotonic_ns < run.processes[b.process].start_monotonic_ns;
  });
  loader.all = {};
  for (const Loader::Worker& worker : loader.workers) loader.all += worker.time;
  loader.workers_at_once = most_at_once(run, loader.workers);
  loader.cpus = run.processes[loader.process].cpus;
  std::int64_t steps_ns = 0, steps_cpu_ns = 0;
  for (const model::Step& step : run.processes[loader.process].steps.records) {
    add(loader.steps, step.count);
    add(steps_ns, step.ns);
    add(steps_cpu_ns, step.process_cpu_ns);
  }
  loader.cpus_used = !loader.workers.empty() ? processors_used(run, loader)
                     : steps_ns > 0          ? static_cast<double>(steps_cpu_ns) / static_cast<double>(steps_ns)
                                             : 0;
  loader.cause = cause_of(loader);
}

std::vector<Loader> loaders(const model::Run& run, const symbols::Symbols& symbols, const Selection& selection) {
  std::vector<Loader> out = torch_loaders(run, symbols, selection);
  std::vector<bool> taken(run.processes.size());
  for (const Loader& loader : out) {
    taken[loader.process] = true;
    for (const Loader::Worker& worker : loader.workers) taken[worker.process] = true;
  }
  for (Loader& loader : pipe_loaders(run, selection, taken)) out.push_back(std::move(loader));
  for (Loader& loader : out) complete(run, loader);
  std::stable_sort(out.begin(), out.end(), [](const Loader& a, const Loader& b) { return a.wait.ns() > b.wait.ns(); });
  return out;
}

}  // namespace prof::fold
