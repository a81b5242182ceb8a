// Matrices are multiplied by the ordinary units of a device that has others for it.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

#include "report/findings/places.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/device.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/gpu/gpu.hpp"
#include "report/fold/gpu/peak.hpp"
#include "report/fold/line_tree.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/show/text.hpp"

namespace prof::findings {
namespace tensor_cores {
namespace {

enum class Unit { Other, Plain, Tensor };

bool has_any(const std::string& name, std::initializer_list<const char*> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const char* part) { return name.find(part) != std::string::npos; });
}

// By the names that cuBLAS, cuDNN and CUTLASS give their kernels. Those of single precision have no such unit; what is
// in neither list multiplies no matrices, or cannot be told.
Unit unit_of(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (has_any(name, {"tensorop", "tensor16x8", "hmma", "wgmma", "gmma", "nvjet", "s884", "h884", "1688", "16816",
                     "tf32", "fmha", "flash_fwd", "flash_bwd"})) {
    return Unit::Tensor;
  }
  return has_any(name, {"sgemm", "ffma", "simt", "scudnn"}) ? Unit::Plain : Unit::Other;
}

struct Kernels {
  std::int64_t all_ns = 0, plain_ns = 0, tensor_ns = 0;
  std::string most;  // of the plain ones
  std::int64_t most_ns = 0;
  double gained_ns = 0;  // were they as much faster as the units are
  const model::Device* device = nullptr;
};

double gain(const model::Device& device) {
  const auto plain = fold::peak_flops(device, fold::Precision::Fp32);
  const auto matrix =
      fold::peak_flops(device, device.compute_major >= 8 ? fold::Precision::Tf32 : fold::Precision::Fp16);
  return plain && matrix && *matrix > *plain ? 1 - *plain / *matrix : 0.5;
}

bool has_units(const model::Device& device) { return device.compute_major >= kTensorCoreCapability; }

const char* cannot(const Evidence& evidence) {
  if (const char* why = no_device_times(evidence)) return why;
  const auto devices = fold::devices(evidence.run(), evidence.selection());
  const bool any =
      std::any_of(devices.begin(), devices.end(), [](const fold::DeviceRow& row) { return has_units(row.device); });
  return any ? nullptr : "no device was used that is known to have tensor cores";
}

constexpr std::size_t kKernelName = 60;  // columns: names of kernels fill whole lines

std::vector<Finding> look(const Evidence& evidence) {
  const auto devices = fold::devices(evidence.run(), evidence.selection());
  Kernels kernels;
  std::map<std::uint32_t, std::int64_t> launchers;
  for (const fold::WorkRow& row :
       fold::device_work(evidence.run(), evidence.lines(), evidence.selection(), fold::WorkKind::Kernels)) {
    const auto device = std::find_if(devices.begin(), devices.end(),
                                     [&](const fold::DeviceRow& its) { return its.device.index == row.device; });
    if (device == devices.end() || !has_units(device->device)) continue;
    const auto add = [&](std::int64_t& to) { to = model::saturated_sum(to, row.work.ns); };
    add(kernels.all_ns);
    const Unit unit = unit_of(row.name.name);
    if (unit == Unit::Tensor) add(kernels.tensor_ns);
    if (unit != Unit::Plain) continue;
    add(kernels.plain_ns);
    kernels.gained_ns += gain(device->device) * static_cast<double>(row.work.ns);
    if (row.work.ns > kernels.most_ns) {
      kernels.most_ns = row.work.ns;
      kernels.most = row.name.name;
      kernels.device = &device->device;
    }
    for (const fold::Launcher& launcher : row.launched_by) {
      std::int64_t& ns = launchers[launcher.location];
      ns = model::saturated_sum(ns, launcher.ns);
    }
  }
  const auto plain = static_cast<double>(kernels.plain_ns), tensor = static_cast<double>(kernels.tensor_ns);
  if (kernels.device == nullptr || plain < kPlainMatrices * static_cast<double>(kernels.all_ns)) return {};
  if (tensor >= kTensorCores * (plain + tensor)) return {};
  const double share = evidence.share(whole_number(kernels.gained_ns));
  if (share < kWorthALine) return {};

  Finding finding;
  finding.rule = kTensorCoresUnusedRule.name;
  finding.title = "Tensor cores are not used";
  finding.seen = fmt::format(
      "{} of the {} of kernels ({} %) multiplied matrices in single precision by ordinary units, most in {} ({}); the "
      "device (compute capability {}.{}) has units for it that were at work for {}.",
      show::duration(plain), show::duration(static_cast<double>(kernels.all_ns)),
      show::percent(plain, static_cast<double>(kernels.all_ns)), show::cut_middle(kernels.most, kKernelName),
      show::duration(static_cast<double>(kernels.most_ns)), kernels.device->compute_major,
      kernels.device->compute_minor, kernels.tensor_ns > 0 ? show::duration(tensor) : "no time at all");
  finding.advice = kernels.device->compute_major >= 8
                       ? "Allow TF32 (torch.set_float32_matmul_precision(\"high\"), "
                         "torch.backends.cudnn.allow_tf32=True), or run the model in torch.autocast with bfloat16."
                       : "Run the model in torch.autocast with float16 and a gradient scaler; sizes that are multiples "
                         "of 8 are needed.";
  std::vector<std::pair<std::int64_t, std::uint32_t>> by_time;
  for (const auto& [location, ns] : launchers) {
    if (location != fold::kNobody) by_time.emplace_back(ns, location);
  }
  std::stable_sort(by_time.begin(), by_time.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [ns, location] : by_time) finding.places.push_back(place_of(evidence.symbols(), location));
  prefer_lines(finding.places);
  put_backward_last(evidence, finding.places, [&](const Place& place) {
    for (const auto& [ns, location] : by_time) {
      if (place_of(evidence.symbols(), location) == place) return ns;
    }
    return std::int64_t{0};
  });
  could_save(finding, evidence, share);
  return {finding};
}

}  // namespace
}  // namespace tensor_cores

const Rule kTensorCoresUnusedRule{"tensor-cores-unused", "tensor cores that are not used", tensor_cores::cannot,
                                  tensor_cores::look};

}  // namespace prof::findings
