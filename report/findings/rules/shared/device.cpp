#include "report/findings/rules/shared/device.hpp"

#include <algorithm>

#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/fold/gpu/gpu.hpp"
#include "report/model/text.hpp"

namespace prof::findings {

const char* no_cuda(const Evidence& evidence) {
  return evidence.lines().cuda_known() ? nullptr : "no process used CUDA, as far as was seen";
}

const char* no_device_times(const Evidence& evidence) {
  if (const char* why = no_cuda(evidence)) return why;
  return evidence.lines().device_known() ? nullptr : "what GPUs did was not recorded";
}

DeviceTime device_time(const fold::DeviceInSteps& device) {
  if (device.steps_ns > 0) return {true, device.steps_ns, device.idle_ns()};
  const std::int64_t idle = model::saturated_difference(device.row.span_ns, device.row.busy_ns);
  return {false, device.row.span_ns, std::max<std::int64_t>(0, idle)};
}

DeviceTime device_time(const Evidence& evidence) {
  DeviceTime out;
  for (const fold::DeviceInSteps& device : evidence.devices()) {
    if (device.row.at_work != 1 || device.row.span_ns <= 0) continue;
    const DeviceTime its = device_time(device);
    if (out.in_steps && !its.in_steps) continue;
    if (its.in_steps && !out.in_steps) out = {.in_steps = true};
    out.span_ns = model::saturated_sum(out.span_ns, its.span_ns);
    out.idle_ns = model::saturated_sum(out.idle_ns, its.idle_ns);
  }
  return out;
}

double share_of_idle(const Evidence& evidence, std::int64_t idle_ns, const DeviceTime& device) {
  if (device.span_ns <= 0) return 0;
  idle_ns = std::clamp<std::int64_t>(idle_ns, 0, device.idle_ns);
  if (device.in_steps) return static_cast<double>(idle_ns) / static_cast<double>(device.span_ns);
  const std::int64_t busy = model::saturated_difference(device.span_ns, device.idle_ns);
  const std::int64_t most = std::max<std::int64_t>(0, model::saturated_difference(evidence.whole_ns(), busy));
  return evidence.share(std::min(idle_ns, most));
}

std::int64_t recurring_idle_ns(const Evidence& evidence, const DeviceTime& device) {
  if (device.in_steps || evidence.lines().total().gpu.get().idle.empty()) return device.idle_ns;
  std::int64_t out = 0;
  for (std::uint32_t node = 1; node < evidence.lines().nodes().size(); ++node) {
    const model::IdleMetric& idle = evidence.lines().self().gpu[node].idle;
    // All of it can be a few gaps as long as the longest: those of the layers that share the context.
    const bool few = idle.gaps <= 1 || (idle.gaps > 4 * kFewGaps && idle.ns / kFewGaps < idle.max_ns);
    if (!few) out = model::saturated_sum(out, model::saturated_difference(idle.ns, idle.max_ns));
  }
  return std::min(out, device.idle_ns);
}

model::IdleMetric idle_within_steps(const Evidence& evidence) { return fold::sum_of(evidence.idle_in_steps()); }

std::int64_t host_ns(const model::IdleMetric& idle) {
  return model::saturated_sum(idle.launching_ns, model::saturated_sum(idle.python_ns, idle.native_ns));
}

std::map<std::uint32_t, model::IdleMetric> gaps_between_launches(const Evidence& evidence) {
  std::map<std::uint32_t, model::IdleMetric> out;
  for (const auto& [node, within] : evidence.idle_in_steps()) {
    // The first launch loads code and sets libraries up.
    const model::IdleMetric idle = fold::shorter_gaps(within, kSetUpNs);
    const std::int64_t computed = host_ns(idle) - idle.launching_ns;
    if (idle.gaps > 0 && computed / idle.gaps <= kBetweenLaunchesNs) out.emplace(node, idle);
  }
  return out;
}

model::IdleMetric idle_between_launches(const Evidence& evidence) {
  return fold::sum_of(gaps_between_launches(evidence));
}

bool is_call(const fold::CallTree& tree, std::uint32_t node, std::string_view part) {
  const symbols::Function& function = tree.function(node);
  return function.language == symbols::Language::Api && function.name.find(part) != std::string::npos;
}

std::vector<bool> in_device_libraries(const fold::CallTree& tree) {
  static constexpr std::string_view kLibraries[] = {"libcuda.so", "libcudart", "libcublas",    "libcudnn",
                                                    "libcufft",   "libcurand", "libcusparse",  "libcusolver",
                                                    "libnccl",    "libnvrtc",  "libnvJitLink", "libcupti"};
  std::vector<bool> functions(tree.symbols().function_count());
  for (std::uint32_t id = 0; id < functions.size(); ++id)
    functions[id] = begins_with_any(base_name(tree.symbols().function(id).module), kLibraries);
  const auto& nodes = tree.nodes();
  std::vector<bool> out(nodes.size());
  if (std::find(functions.begin(), functions.end(), true) == functions.end()) return out;
  for (std::uint32_t node = 1; node < nodes.size(); ++node)
    out[node] = out[nodes[node].parent] || functions[tree.function_id(node)];
  return out;
}

const model::ApiMetric& calls_at(const fold::CallTree& tree, std::uint32_t node) { return tree.self().gpu[node].api; }

bool moves_model(const symbols::Function& function) {
  static constexpr fold::FunctionAt kMoves[] = {{"/torch/nn/modules/module.py", "_apply"}};
  return fold::is_any(function, kMoves);
}

bool waits_for_device(const fold::CallTree& tree, std::uint32_t node) {
  if (is_call(tree, node, "Synchronize")) return true;
  if (!is_call(tree, node, "Memcpy")) return false;
  if (!is_call(tree, node, "Async")) return true;
  const auto children = tree.children(node);
  return std::any_of(children.begin(), children.end(), [&](std::uint32_t child) {
    return tree.function(child).name == symbols::copy_label({log::NameKind::Copy, "DtoH", "pageable"});
  });
}

}  // namespace prof::findings
