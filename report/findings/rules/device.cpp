#include "report/findings/rules/device.hpp"

#include <algorithm>

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

DeviceTime device_time(const Evidence& evidence) {
  DeviceTime out;
  for (const fold::DeviceRow& row : fold::devices(evidence.run(), evidence.selection())) {
    if (row.at_work != 1 || row.span_ns <= 0) continue;  // each of several processes sees its own gaps
    out.span_ns = model::saturated_sum(out.span_ns, row.span_ns);
    out.idle_ns = model::saturated_sum(
        out.idle_ns, std::max<std::int64_t>(0, model::saturated_difference(row.span_ns, row.busy_ns)));
  }
  return out;
}

double share_of_idle(const Evidence& evidence, std::int64_t idle_ns, std::int64_t busy_ns) {
  const std::int64_t most = std::max<std::int64_t>(0, model::saturated_difference(evidence.whole_ns(), busy_ns));
  return evidence.share(std::min(idle_ns, most));
}

bool is_call(const fold::CallTree& tree, std::uint32_t node, std::string_view part) {
  const symbols::Function& function = tree.function(node);
  return function.language == symbols::Language::Api && function.name.find(part) != std::string::npos;
}

std::vector<bool> in_device_libraries(const fold::CallTree& tree) {
  static constexpr std::string_view kLibraries[] = {"libcuda.so", "libcudart", "libcublas",    "libcudnn",
                                                    "libcufft",   "libcurand", "libcusparse",  "libcusolver",
                                                    "libnccl",    "libnvrtc",  "libnvJitLink", "libcupti"};
  const auto& nodes = tree.nodes();
  std::vector<bool> out(nodes.size());
  for (std::uint32_t node = 1; node < nodes.size(); ++node)
    out[node] = out[nodes[node].parent] || begins_with_any(base_name(tree.function(node).module), kLibraries);
  return out;
}

const model::ApiMetric& calls_at(const fold::CallTree& tree, std::uint32_t node) { return tree.self().gpu[node].api; }

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
