#include "report/show/waiting/wall_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/fold/own/doing.hpp"
#include "report/model/wait_class.hpp"
#include "report/show/numbers.hpp"

namespace prof::show {
namespace {

constexpr std::int64_t kMeaningfulNs = 20'000'000;

using Part = std::pair<std::string, std::int64_t>;

std::string noun(log::WaitClass what) {
  return what == log::WaitClass::Gpu ? "GPU" : log::kWaitClassNames[static_cast<std::size_t>(what)];
}

constexpr double kWorthAPart = 0.01;

std::vector<Part> parts_of(const fold::WallSplit& split, const IdleTimes& idle_ns) {
  std::vector<Part> parts;
  std::int64_t idle = 0;
  for (std::uint32_t i = 0; i < log::kWaitClasses; ++i) {
    const auto what = static_cast<log::WaitClass>(i);
    const std::int64_t for_work = std::min(split.of(what), idle_ns[i]);
    idle = model::saturated_sum(idle, for_work);
    parts.emplace_back(what == log::WaitClass::Other ? "other calls" : noun(what), split.of(what) - for_work);
  }
  parts.emplace_back("idle (waiting for work, or for its own threads or children)", idle);
  parts.emplace_back("waiting for CPU", split.run_queue_ns);
  parts.emplace_back("unaccounted", split.residual_ns);
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.second > b.second; });
  const auto small = std::find_if(parts.begin(), parts.end(), [&](const Part& part) {
    return static_cast<double>(part.second) < kWorthAPart * static_cast<double>(split.wall_ns);
  });
  std::int64_t rest = 0;
  for (auto part = small; part != parts.end(); ++part)
    rest = model::saturated_sum(rest, std::max<std::int64_t>(0, part->second));
  parts.erase(small, parts.end());
  if (rest > 0) parts.emplace_back("other", rest);
  return parts;
}

}  // namespace

std::string wall_sentence(const fold::WallSplit& split, const IdleTimes& idle_ns) {
  const auto wall = static_cast<double>(split.wall_ns);
  std::string out = fmt::format("wall {} = CPU {} %", duration(wall), percent(static_cast<double>(split.cpu_ns), wall));
  for (const auto& [name, ns] : parts_of(split, idle_ns)) {
    out += fmt::format(" + {} {} %", name, percent(static_cast<double>(ns), wall));
  }
  return out;
}

Figures<fold::WallSplit> wall_figures(const fold::WallSplit& all, bool roomy) {
  const auto blocked = [](auto of) {
    return [of](const fold::WallSplit& split) { return known_if(split.blocked_known, of(split)); };
  };
  Figures<fold::WallSplit> figures = {{{"blocked_ns", "blocked", Kind::Time, "", shown_if(all.blocked() > 0)},
                                       blocked([](auto& split) { return split.blocked(); })}};
  for (std::uint32_t i = 0; i < log::kWaitClasses; ++i) {
    const auto what = static_cast<log::WaitClass>(i);
    figures.push_back({{fmt::format("blocked_{}_ns", log::kWaitClassNames[i]), noun(what), Kind::Time, "",
                        shown_if(roomy && all.of(what) > 0)},
                       blocked([what](auto& split) { return split.of(what); })});
  }
  figures.push_back({{"run_queue_ns", "waiting for CPU", Kind::Time, "", shown_if(roomy && all.run_queue_ns > 0)},
                     [](auto& split) { return known_if(split.run_queue_known, split.run_queue_ns); }});
  figures.push_back({{"residual_ns", "unaccounted", Kind::Time, "", shown_if(roomy)}, &fold::WallSplit::residual_ns});
  return figures;
}

std::vector<std::string> wall_captions(const fold::WallSplit& all) {
  std::vector<std::string> out{
      "wall = cpu + blocked (in blocking calls, by what they waited for, without the CPU time in them) + waiting for "
      "CPU "
      "(ready to run, in the kernel's run queue, as far as not at the end of a call) + unaccounted (page faults, "
      "stops, "
      "calls that are not recorded)."};
  if (!all.blocked_known) {
    out.emplace_back("Some processes did not record blocking calls: what they waited for is in the unaccounted time.");
  }
  if (!all.run_queue_known) {
    out.emplace_back(
        "How long some threads waited for a CPU is not known: they ended before they were looked at, or the kernel "
        "does not tell.");
  }
  if (all.scaled) {
    out.emplace_back(
        "Blocked time of some threads was made smaller to fit: the CPU time in their calls is told by samples, and "
        "only "
        "roughly.");
  }
  return out;
}

std::unordered_map<std::uint32_t, IdleTimes> idle_times(const model::Run& run, const fold::CallTree& lines,
                                                        std::size_t index) {
  std::unordered_map<std::uint32_t, IdleTimes> out;
  const model::Process& process = run.processes[index];
  const std::vector<bool>& idle = fold::doing(lines).idle;
  for (const auto& row : process.tree.waits) {
    const std::uint32_t node = lines.node_of(index, row.node);
    if (node == fold::CallTree::kNoNode || !idle[node]) continue;
    const auto what = model::wait_class_of(process, process.tree.nodes[row.node].frame);
    if (!what) continue;
    std::int64_t& ns = out[row.slot][static_cast<std::size_t>(*what)];
    ns = model::saturated_sum(ns, row.metric.blocked_ns());
  }
  return out;
}

std::optional<MainWall> main_wall(const Subject& subject) {
  const model::Run& run = subject.run;
  std::optional<MainWall> most, first;
  for (const fold::ThreadWall& thread : fold::thread_walls(run, subject.selection)) {
    if (!thread.thread->main) continue;
    if (!first || thread.process < first->process) first = MainWall{thread.process, thread.split};
    if (most && run.processes[most->process].cpu_ns >= run.processes[thread.process].cpu_ns) continue;
    most = MainWall{thread.process, thread.split};
  }
  constexpr double kMuchLonger = 1.25;
  if (first && static_cast<double>(first->split.wall_ns) > kMuchLonger * static_cast<double>(most->split.wall_ns)) {
    most = first;
  }
  return most && most->split.wall_ns >= kMeaningfulNs ? most : std::nullopt;
}

std::optional<MainWall> main_wall(const Subject& subject, const fold::CallTree& lines) {
  std::optional<MainWall> main = main_wall(subject);
  if (!main) return main;
  const std::vector<model::Thread>& threads = subject.run.processes[main->process].threads;
  const auto thread = std::find_if(threads.begin(), threads.end(), [](const model::Thread& one) { return one.main; });
  if (thread != threads.end()) main->idle_ns = idle_times(subject.run, lines, main->process)[thread->slot];
  return main;
}

}  // namespace prof::show
