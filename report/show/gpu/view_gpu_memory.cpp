#include <fmt/format.h>

#include <algorithm>

#include "report/fold/gpu/gpu.hpp"
#include "report/show/gpu/gpu_words.hpp"
#include "report/show/memory/memory_sites.hpp"
#include "report/show/numbers.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

constexpr const char* kTitle = "Memory of GPUs";

bool has_framework(const model::Device& device) { return device.tensors_peak > 0 || device.reserved_peak > 0; }

Sheet devices_sheet(const std::vector<fold::DeviceRow>& rows, const ViewOptions& options) {
  const auto any = [&](auto some) { return std::any_of(rows.begin(), rows.end(), some); };
  const bool tensors = any([](const fold::DeviceRow& row) { return has_framework(row.device); });
  const bool used = any([](const fold::DeviceRow& row) { return row.used_peak_bytes || row.others_peak_bytes; });
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
  const Where framework = tensors ? Where::TableOnly : Where::CsvOnly,
              driver = used ? Where::TableOnly : Where::CsvOnly;
  sheet.columns = {{"segments_live", "segments", Kind::Bytes, "", Where::TableOnly},
                   {"segments_peak", "peak", Kind::Bytes, "", Where::TableOnly},
                   {"tensors_live", "tensors", Kind::Bytes, "", framework},
                   {"tensors_peak", "peak", Kind::Bytes, "", framework},
                   {"reserved_live", "reserved", Kind::Bytes, "", framework},
                   {"reserved_peak", "peak", Kind::Bytes, "", framework},
                   {"used_peak", "used", Kind::Bytes, "", driver},
                   {"others_peak", "others", Kind::Bytes, "", driver},
                   {"memory", "memory", Kind::Bytes, "", Where::TableOnly},
                   {"device", "GPU", Kind::Text, "", Where::TableOnly, !options.wide}};
  for (const fold::DeviceRow& row : rows) {
    const model::Device& device = row.device;
    const bool known = has_framework(device);
    const auto of_framework = [&](std::int64_t value) { return known ? Cell(value) : Cell(); };
    sheet.add(
        {device.segments_live, device.segments_peak, of_framework(device.tensors_live),
         of_framework(device.tensors_peak), of_framework(device.reserved_live), of_framework(device.reserved_peak),
         row.used_peak_bytes ? Cell(model::to_signed(*row.used_peak_bytes)) : Cell(),
         row.others_peak_bytes ? Cell(*row.others_peak_bytes) : Cell(),
         device.memory_bytes != 0 ? Cell(model::to_signed(device.memory_bytes)) : Cell(), Cell(device_name(device))});
  }
  return sheet;
}

}  // namespace

std::vector<Sheet> gpu_memory_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree tree =
      fold::build_call_tree(subject.run, subject.symbols, subject.selection, fold::Granularity::Line);
  std::vector<Sheet> sheets;
  const std::vector<fold::DeviceRow> devices = fold::devices(subject.run, subject.selection);
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

extern const View kGpuMemoryView{.name = "gpu-memory",
                                 .help = "memory of GPUs by allocation site",
                                 .topic = Topic::Gpu,
                                 .available = any_process<[](const model::Process& p) { return model::saw_cuda(p); }>,
                                 .sheets = gpu_memory_view};

}  // namespace prof::show
