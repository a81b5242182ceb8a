#include <fmt/format.h>

#include <algorithm>

#include "report/show/gpu/gpu_figures.hpp"
#include "report/show/gpu/gpu_text.hpp"
#include "report/show/memory/memory_sites.hpp"
#include "report/show/numbers.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::DeviceRow;

constexpr const char* kTitle = "Memory of GPUs";

bool has_framework(const DeviceRow& row) { return row.device.tensors_peak > 0 || row.device.reserved_peak > 0; }
bool has_driver(const DeviceRow& row) { return row.used_peak_bytes || row.others_peak_bytes; }

Sheet devices_sheet(const std::vector<DeviceRow>& rows, const ViewOptions& options) {
  const bool tensors = std::any_of(rows.begin(), rows.end(), has_framework);
  const bool used = std::any_of(rows.begin(), rows.end(), has_driver);
  Sheet sheet;
  sheet.title = kTitle;
  sheet.captions.push_back(
      tensors ? "segments: bytes that the program got from the driver; tensors: of them, what a framework's caching "
                "allocator gave out, reserved: what it holds for that; peaks are those of one process."
              : "segments: bytes that the program got from the driver; peaks are those of one process.");
  if (used) {
    sheet.captions.emplace_back(
        "used: most of the GPU's memory in use, by anybody, as the driver says; others: most of that beyond these "
        "segments: contexts, libraries, NCCL, other processes.");
  }
  fill(sheet, device_memory_figures(rows, options), rows, rows.size());
  return sheet;
}

}  // namespace

Figures<DeviceRow> device_memory_figures(const std::vector<DeviceRow>& rows, const ViewOptions& options) {
  const Where framework = shown_if(std::any_of(rows.begin(), rows.end(), has_framework));
  const Where driver = shown_if(std::any_of(rows.begin(), rows.end(), has_driver));
  const auto of_framework = [](std::int64_t model::Device::*bytes) {
    return [bytes](auto& row) { return known_if(has_framework(row), row.device.*bytes); };
  };
  return {
      {{"segments_live_bytes", "segments", Kind::Bytes}, [](auto& row) { return row.device.segments_live; }},
      {{"segments_peak_bytes", "peak", Kind::Bytes}, [](auto& row) { return row.device.segments_peak; }},
      {{"tensors_live_bytes", "tensors", Kind::Bytes, "", framework}, of_framework(&model::Device::tensors_live)},
      {{"tensors_peak_bytes", "peak", Kind::Bytes, "", framework}, of_framework(&model::Device::tensors_peak)},
      {{"reserved_live_bytes", "reserved", Kind::Bytes, "", framework}, of_framework(&model::Device::reserved_live)},
      {{"reserved_peak_bytes", "peak", Kind::Bytes, "", framework}, of_framework(&model::Device::reserved_peak)},
      {{"used_peak_bytes", "used", Kind::Bytes, "", driver}, [](auto& row) { return maybe(row.used_peak_bytes); }},
      {{"others_peak_bytes", "others", Kind::Bytes, "", driver},
       [](auto& row) { return maybe(row.others_peak_bytes); }},
      {{"memory_bytes", "memory", Kind::Bytes},
       [](auto& row) { return known_if(row.device.memory_bytes != 0, model::to_signed(row.device.memory_bytes)); }},
      {{"name", "GPU", Kind::Text, "", Where::TableOnly, !options.wide},
       [](auto& row) { return device_name(row.device); }},
      {data("device", "GPU", Kind::Plain), [](auto& row) { return row.device.index; }}};
}

// Memory of GPUs by allocation site and, unless for other programs, by GPU.
static std::vector<Sheet> gpu_memory_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = line_tree(subject);
  std::vector<Sheet> sheets;
  const std::vector<DeviceRow> devices = fold::devices(subject.run, subject.selection);
  if (!options.everything && !devices.empty()) sheets.push_back(devices_sheet(devices, options));
  Sheet segments = sites_sheet(subject, options, tree, fold::MemoryKind::Segments);
  Sheet tensors = sites_sheet(subject, options, tree, fold::MemoryKind::Tensors);
  const bool none = segments.rows.empty() && tensors.rows.empty();
  // For other programs there is one list, which may be empty.
  if (!segments.rows.empty() || (options.everything && none) || sheets.empty()) sheets.push_back(std::move(segments));
  if (!tensors.rows.empty()) sheets.push_back(std::move(tensors));
  std::vector<std::string> captions;
  if (none && devices.empty()) {  // a list of nothing needs no explanation
    sheets.front().title = kTitle;
    sheets.front().captions.clear();
  }
  if (const auto why = why_no_cuda(subject)) {
    captions.push_back(*why);
  } else if (none) {
    captions.emplace_back("No allocation of GPU memory was seen.");
  }
  for (std::string& caption : gpu_captions(subject, options)) captions.push_back(std::move(caption));
  std::vector<std::string>& first = sheets.front().captions;
  first.insert(first.end(), captions.begin(), captions.end());
  return sheets;
}

extern const View kGpuMemoryView{
    .name = "gpu-memory",
    .help = "memory of GPUs by allocation site",
    .topic = Topic::Gpu,
    .available = any_process<[](const model::Process& p) { return model::saw_cuda(p); }>,
    .sheets = gpu_memory_view,
    .sorts = {SortKey::Peak, SortKey::Live, SortKey::Allocated, SortKey::Allocations, SortKey::Name}};

}  // namespace prof::show
