// Memory of devices that is nearly full, or held without being used.
#include <fmt/format.h>

#include <algorithm>

#include "report/findings/places.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/device.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/gpu/gpu.hpp"
#include "report/model/text.hpp"
#include "report/show/gpu/gpu_text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace device_memory {
namespace {

// Lines whose tensors were there at the peak, or without a framework's allocator the driver's memory.
std::vector<Place> peak_lines(const Evidence& evidence) {
  const fold::CallTree& tree = evidence.lines();
  const bool tensors = tree.total().gpu.get().tensors.peak_bytes > 0;
  auto sums = by_place<model::MemoryMetric>(evidence, [&](std::uint32_t node) -> std::optional<model::MemoryMetric> {
    const model::GpuMetrics& gpu = tree.self().gpu[node];
    const model::MemoryMetric& memory = tensors ? gpu.tensors : gpu.segments;
    return memory.peak_bytes > 0 ? std::optional(memory) : std::nullopt;
  });
  return top_places(std::move(sums), [](const model::MemoryMetric& its) { return its.peak_bytes; });
}

const char* no_memory_size(const Evidence& evidence) {
  if (const char* why = no_cuda(evidence)) return why;
  const auto devices = fold::devices(evidence.run(), evidence.selection());
  const bool any = std::any_of(devices.begin(), devices.end(),
                               [](const fold::DeviceRow& row) { return row.device.memory_bytes > 0; });
  return any ? nullptr : "how much memory the devices have is not known";
}

std::int64_t used_peak(const fold::DeviceRow& row) {
  return std::max(model::to_signed(row.used_peak_bytes.value_or(0)), row.device.segments_peak);
}

std::vector<Finding> look_for_full(const Evidence& evidence) {
  std::vector<Finding> out;
  for (const fold::DeviceRow& row : fold::devices(evidence.run(), evidence.selection())) {
    const auto size = static_cast<double>(row.device.memory_bytes);
    // The driver counts what it keeps for itself as used.
    const std::int64_t used = std::min(used_peak(row), model::to_signed(row.device.memory_bytes));
    if (size <= 0 || real(used) <= kDeviceMemory * size) continue;
    Finding& finding = out.emplace_back();
    finding.rule = kDeviceMemoryRule.name;
    finding.title = fmt::format("The memory of {} is nearly full", show::device_name(row.device));
    finding.seen = fmt::format("{} of its {} ({} %) were in use at the peak", show::bytes(real(used)),
                               show::bytes(size), show::percent(real(used), size));
    if (row.device.tensors_peak > 0) {
      finding.seen += fmt::format("; tensors took {} at theirs", show::bytes(real(row.device.tensors_peak)));
    }
    // What others hold is there even if this program held nothing.
    const std::int64_t others = row.foreign_peak_bytes ? *row.foreign_peak_bytes : row.others_peak_bytes.value_or(0);
    if (real(others) > 0.1 * size) {
      finding.seen += fmt::format("; up to {} were not this program's", show::bytes(real(others)));
    }
    finding.seen += ": a slightly larger input ends the program.";
    finding.advice =
        "Take a smaller batch and accumulate gradients, let activations be computed again (torch.utils.checkpoint), "
        "use "
        "autocast, and evaluate under torch.inference_mode().";
    finding.places = peak_lines(evidence);
  }
  return out;
}

const char* no_allocator(const Evidence& evidence) {
  if (const char* why = no_cuda(evidence)) return why;
  const auto devices = fold::devices(evidence.run(), evidence.selection());
  const bool any = std::any_of(devices.begin(), devices.end(),
                               [](const fold::DeviceRow& row) { return row.device.reserved_peak > 0; });
  return any ? nullptr : "no caching allocator of a framework was seen";
}

std::vector<Finding> look_for_fragments(const Evidence& evidence) {
  std::vector<Finding> out;
  for (const fold::DeviceRow& row : fold::devices(evidence.run(), evidence.selection())) {
    const std::int64_t held = row.device.reserved_peak;
    const std::int64_t unused = model::saturated_difference(held, row.device.tensors_peak);
    const double least = row.device.memory_bytes > 0
                             ? kFragmentationOfDevice * static_cast<double>(row.device.memory_bytes)
                             : real(kFragmentationBytes);
    if (held <= 0 || real(unused) < kFragmentation * real(held) || real(unused) < least) continue;
    Finding& finding = out.emplace_back();
    finding.rule = kFragmentationRule.name;
    finding.title = fmt::format("Memory of {} is held in pieces that nothing fits into", show::device_name(row.device));
    finding.seen = fmt::format(
        "The caching allocator held {} of device memory, of which tensors never took more than {} "
        "at once: {} ({} %) were of no use.",
        show::bytes(real(held)), show::bytes(real(row.device.tensors_peak)), show::bytes(real(unused)),
        show::percent(real(unused), real(held)));
    finding.advice =
        "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True (before 2.1 max_split_size_mb:N), pad inputs to a few "
        "sizes, and make the largest one first.";
    finding.places = peak_lines(evidence);
    finding.saves_bytes = unused;
  }
  return out;
}

}  // namespace
}  // namespace device_memory

const Rule kDeviceMemoryRule{"device-memory", "device memory that is nearly full", device_memory::no_memory_size,
                             device_memory::look_for_full};
const Rule kFragmentationRule{"fragmentation", "device memory that is held and not used", device_memory::no_allocator,
                              device_memory::look_for_fragments};

}  // namespace prof::findings
