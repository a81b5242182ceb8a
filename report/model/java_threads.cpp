#include "report/model/java_threads.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "report/model/text.hpp"
#include "report/model/wait_class.hpp"

namespace prof::model {
namespace {

constexpr int kMostFrames = 8;  // between Thread.sleep() and the call of libc, the VM's own

bool sleeps(const Process& process, std::uint32_t node) {
  const Tree& tree = process.tree;
  for (int i = 0; i < kMostFrames && node != 0; ++i, node = tree.nodes[node].parent) {
    const Frame& frame = tree.frames[tree.nodes[node].frame];
    if (frame.kind != Frame::Kind::Anonymous || frame.name == kNoName) continue;
    const Name& name = process.names[frame.name];
    if (name.kind == log::NameKind::Method) return name.name.starts_with("java.lang.Thread.sleep");
  }
  return false;
}

// The frame of the same call, as one that sleeps.
std::uint32_t sleeping_frame(Process& process, std::uint32_t frame, std::map<std::uint32_t, std::uint32_t>& made) {
  const auto [found, is_new] = made.try_emplace(frame);
  if (!is_new) return found->second;
  Frame same = process.tree.frames[frame];
  Name name = process.names[same.name];
  name.group = log::kWaitClassNames[static_cast<std::size_t>(log::WaitClass::Sleep)];
  same.name = static_cast<std::uint32_t>(process.names.size());
  process.names.push_back(std::move(name));
  found->second = static_cast<std::uint32_t>(process.tree.frames.size());
  process.tree.frames.push_back(same);
  return found->second;
}

}  // namespace

void choose_java_main(Process& process) {
  const bool launched = has_library(process, "/libjli.so");
  const auto launcher =
      std::find_if(process.threads.begin(), process.threads.end(), [](const Thread& thread) { return thread.main; });
  if (!launched || launcher == process.threads.end()) return;
  Thread* first = nullptr;
  for (Thread& thread : process.threads) {
    if (thread.main || thread.agent) continue;
    if (first == nullptr || thread.start_monotonic_ns < first->start_monotonic_ns) first = &thread;
  }
  if (first == nullptr) return;
  launcher->main = false;
  first->main = true;
}

void tell_java_sleeps(Process& process) {
  if (!has_library(process, "/libjvm.so")) return;
  Tree& tree = process.tree;
  std::map<std::uint32_t, std::uint32_t> made;    // frames, by those of the calls
  std::map<std::uint32_t, std::uint32_t> before;  // of nodes that are told, the frames that they had
  for (std::uint32_t node = 1; node < tree.nodes.size(); ++node) {
    const std::uint32_t frame = tree.nodes[node].frame;
    if (wait_class_of(process, frame) != log::WaitClass::Lock || !sleeps(process, tree.nodes[node].parent)) continue;
    before[node] = frame;
    tree.nodes[node].frame = sleeping_frame(process, frame, made);
  }
  if (before.empty()) return;
  std::map<std::pair<std::uint32_t, std::uint32_t>, WaitMetric> moved;  // by slot and frame
  for (const auto& row : tree.waits) {
    if (const auto found = before.find(row.node); found != before.end()) moved[{row.slot, found->second}] += row.metric;
  }
  for (const auto& [key, metric] : moved) {
    const auto& [slot, frame] = key;
    const auto total =
        std::find_if(tree.wait_totals.begin(), tree.wait_totals.end(),
                     [slot = slot, frame = frame](const auto& row) { return row.slot == slot && row.frame == frame; });
    if (total == tree.wait_totals.end()) continue;
    WaitTotal slept;
    slept.calls = std::min(metric.calls(), total->metric.calls);
    slept.failed = std::min(slept.calls, total->metric.failed);  // by their time
    slept.ns = std::min(metric.ns, total->metric.ns);
    slept.cpu_ns = std::min(metric.cpu_ns, total->metric.cpu_ns);
    total->metric.calls -= slept.calls;
    total->metric.failed -= slept.failed;
    total->metric.ns -= slept.ns;
    total->metric.cpu_ns -= slept.cpu_ns;
    slept.each = total->metric.each;
    tree.wait_totals.push_back({made.at(frame), slot, slept});
  }
}

}  // namespace prof::model
