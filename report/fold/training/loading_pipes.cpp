#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "report/fold/training/loading_parts.hpp"
#include "report/model/wait_class.hpp"

namespace prof::fold {
namespace {

// Less than this is no data: orders, acknowledgements, the end of a child.
constexpr std::int64_t kLeastBytes = 64 << 10;

using model::Process;

// Pipes of one process, by the name that is the same in all processes.
struct Pipe {
  model::FileMetric use;
  std::map<std::uint32_t, model::FileMetric> by_slot;
};
using Pipes = std::map<std::string, Pipe>;

Pipes pipes_of(const Process& process) {
  Pipes out;
  for (const auto& row : process.tree.files) {
    const std::uint32_t id = process.tree.frames[row.frame].name;
    if (id >= process.names.size()) continue;
    const model::Name& name = process.names[id];
    if (name.group != "pipe" || !name.name.starts_with("pipe:[")) continue;
    Pipe& pipe = out[name.name];
    pipe.use += row.metric;
    pipe.by_slot[row.slot] += row.metric;
  }
  return out;
}

bool moves_data(const Pipes& pipes, std::int64_t model::FileMetric::*bytes) {
  std::int64_t all = 0;
  for (const auto& [name, pipe] : pipes) all = model::saturated_sum(all, pipe.use.*bytes);
  return all >= kLeastBytes;
}

// Processes of one program that share its work: forked ones, and those that multiprocessing starts anew. What a shell
// or a build runs is other programs.
bool is_helper(const Process& process) {
  return process.origin == log::Origin::Forked || process.command().find("multiprocessing") != std::string::npos;
}

class PipeFinder {
 public:
  explicit PipeFinder(const model::Run& run) : run_(run) {
    for (std::size_t i = 0; i < run.processes.size(); ++i) {
      pipes_.push_back(pipes_of(run.processes[i]));
      if (moves_data(pipes_[i], &model::FileMetric::write_bytes) && is_helper(run.processes[i])) writers_.push_back(i);
    }
  }

  Loader find(std::size_t reader) const {
    Loader loader;
    loader.kind = Loader::Kind::Pipes;
    loader.process = reader;
    std::map<std::uint32_t, model::FileMetric> by_slot;
    if (!moves_data(pipes_[reader], &model::FileMetric::read_bytes)) return loader;
    for (const std::size_t i : writers_) {
      if (i == reader || !below(i, reader)) continue;
      std::int64_t sent = 0;
      for (const auto& [name, pipe] : pipes_[i]) {
        if (pipes_[reader].contains(name)) sent = model::saturated_sum(sent, pipe.use.write_bytes);
      }
      if (sent >= kLeastBytes) loader.workers.push_back({i, worker(i, reader)});
    }
    std::set<std::string> names;
    for (const Loader::Worker& from : loader.workers) {
      for (const auto& [name, pipe] : pipes_[from.process]) {
        if (pipe.use.write_bytes > 0) names.insert(name);
      }
    }
    for (const std::string& name : names) {
      const auto found = pipes_[reader].find(name);
      if (found == pipes_[reader].end()) continue;
      for (const auto& [slot, use] : found->second.by_slot) by_slot[slot] += use;
    }
    add_reader(reader, by_slot, loader);
    return loader;
  }

 private:
  // Whether a process is a child, or a child's child, of another one.
  bool below(std::size_t process, std::size_t above) const {
    std::size_t at = process;
    for (std::size_t steps = 0; steps < run_.processes.size(); ++steps) {
      const auto next = run_.processes[at].parent ? run_.processes[at].parent : run_.processes[at].previous_image;
      if (!next || *next >= run_.processes.size()) return false;
      at = *next;
      if (at == above) return true;
    }
    return false;
  }

  // The one thread that reads most of it.
  void add_reader(std::size_t reader, const std::map<std::uint32_t, model::FileMetric>& by_slot, Loader& loader) const {
    const Process& process = run_.processes[reader];
    const auto most = std::max_element(by_slot.begin(), by_slot.end(), [](const auto& a, const auto& b) {
      return a.second.read_bytes < b.second.read_bytes;
    });
    if (most == by_slot.end() || most->second.read_bytes < kLeastBytes) return;
    const auto thread = std::find_if(process.threads.begin(), process.threads.end(),
                                     [&](const model::Thread& one) { return one.slot == most->first; });
    if (thread == process.threads.end()) return;
    loader.wait.waits[static_cast<std::size_t>(log::WaitClass::Pipe)].ns = most->second.read_ns;
    loader.wait.waits[static_cast<std::size_t>(log::WaitClass::Poll)].ns = most->second.poll_ns;
    if (thread->end_monotonic_ns > thread->start_monotonic_ns) {
      loader.loop_ns = model::to_signed(thread->end_monotonic_ns - thread->start_monotonic_ns);
    }
    loader.thread_of_its_own = !thread->main;
  }

  // Orders come by pipes that the reader writes to.
  LoadingTime worker(std::size_t index, std::size_t reader) const {
    const Process& process = run_.processes[index];
    LoadingTime out = process_time(process);
    std::int64_t orders_read = 0, orders_polled = 0;
    for (const auto& [name, pipe] : pipes_[index]) {
      const auto there = pipes_[reader].find(name);
      if (there == pipes_[reader].end()) continue;
      if (there->second.use.writes > 0) {
        orders_read = model::saturated_sum(orders_read, pipe.use.read_ns);
        orders_polled = model::saturated_sum(orders_polled, pipe.use.poll_ns);
      }
      if (there->second.use.reads > 0) out.sending_ns = model::saturated_sum(out.sending_ns, pipe.use.write_ns);
    }
    const auto main = std::find_if(process.threads.begin(), process.threads.end(),
                                   [](const model::Thread& thread) { return thread.main; });
    const std::uint32_t slot = main != process.threads.end() ? main->slot : 0;
    for (const auto& row : process.tree.cpu) {
      if (row.slot == slot) out.work.cpu_ns = model::saturated_sum(out.work.cpu_ns, row.metric.ns);
    }
    for (const auto& row : process.tree.waits) {
      const auto what = model::wait_class_of(process, process.tree.nodes[row.node].frame);
      if (row.slot == slot)
        out.work.waits[static_cast<std::size_t>(what.value_or(log::WaitClass::Other))] += row.metric;
    }
    out.idle_ns = model::saturated_sum(take(out.work, log::WaitClass::Pipe, orders_read),
                                       take(out.work, log::WaitClass::Poll, orders_polled));
    return out;
  }

  // Moves up to `ns` out of the waits of a class: how much that was.
  static std::int64_t take(ThreadTime& from, log::WaitClass what, std::int64_t ns) {
    model::WaitMetric& waits = from.waits[static_cast<std::size_t>(what)];
    const std::int64_t taken = std::min(ns, waits.blocked_ns());
    waits.ns = model::saturated_difference(waits.ns, taken);
    return taken;
  }

  const model::Run& run_;
  std::vector<Pipes> pipes_;          // by process
  std::vector<std::size_t> writers_;  // helpers that write as much as data is
};

}  // namespace

std::vector<Loader> pipe_loaders(const model::Run& run, const Selection& selection, const std::vector<bool>& taken) {
  std::vector<Loader> out;
  const PipeFinder finder(run);
  for (std::size_t i = 0; i < run.processes.size(); ++i) {
    if (taken[i] || !selection.includes(run.processes[i])) continue;
    Loader loader = finder.find(i);
    if (!loader.workers.empty() && loader.loop_ns > 0) out.push_back(std::move(loader));
  }
  return out;
}

}  // namespace prof::fold
