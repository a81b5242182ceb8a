#include "report/model/build_gpu.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <tuple>

#include "report/model/build_python.hpp"

namespace prof::model {
namespace {

std::int64_t positive(std::int64_t value) { return std::max<std::int64_t>(0, value); }

std::optional<std::uint32_t> had(std::uint32_t value) {
  return value == UINT32_MAX ? std::nullopt : std::optional(value);
}

// 12040 -> "12.4", 13000 -> "13.0", as CUDA writes versions; 130001 -> "13.0.1", as CUPTI does from 13 on. Older ones
// of CUPTI count on by themselves and stay as they are.
std::string version(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1000) return std::string(text);
  if (number < 100'000) return std::to_string(number / 1000) + '.' + std::to_string(number % 1000 / 10);
  return std::to_string(number / 10'000) + '.' + std::to_string(number / 100 % 100) + '.' +
         std::to_string(number % 100);
}

// In ns; 0 for what is no number.
std::uint64_t milliseconds(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  constexpr std::uint64_t kNsPerMs = 1'000'000;
  return error == std::errc() && number < UINT64_MAX / kNsPerMs ? number * kNsPerMs : 0;
}

std::string uuid_text(const std::uint8_t (&bytes)[16]) {
  static constexpr char kDigits[] = "0123456789abcdef";
  if (std::all_of(std::begin(bytes), std::end(bytes), [](std::uint8_t byte) { return byte == 0; })) return {};
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

}  // namespace

NameIndex build_names(const std::vector<read::RawName>& raw, std::vector<Name>& names) {
  NameIndex index;
  std::map<std::tuple<std::uint32_t, std::string, std::string>, std::uint32_t> known;
  for (const read::RawName& record : raw) {
    const std::uint32_t kind = record.record.kind;
    const bool of_ours = kind >= static_cast<std::uint32_t>(log::NameKind::Api) &&
                         kind <= static_cast<std::uint32_t>(log::NameKind::LuaTrace);
    if (!of_ours || index.contains(record.record.id)) continue;
    Name name{static_cast<log::NameKind>(kind), cut_text(record.name), cut_text(record.group)};
    const auto [found, is_new] =
        known.try_emplace(std::tuple(kind, name.name, name.group), static_cast<std::uint32_t>(names.size()));
    if (is_new) names.push_back(std::move(name));
    index.emplace(record.record.id, found->second);
  }
  return index;
}

void add_gpu_rows(const read::RawLog& log, const SideNodes& side, const OperatorNodes& operators,
                  const std::function<std::uint32_t(std::uint32_t)>& node_of, Damage& damage, Tree& tree) {
  for (const auto& record : log.api) {
    if (const auto call = operators.work(record.node)) {
      tree.operator_calls.push_back({call->node, call->frame, record.slot, metric_of(record.words)});
    } else {
      tree.api.push_back({node_of(record.node), record.slot, metric_of(record.words)});
    }
  }
  for (const auto& record : log.device) {
    if (const auto work = side.work(record.node)) {
      tree.streams.push_back({work->stream, work->work, record.slot, metric_of(record.words)});
    } else if (const auto done = operators.work(record.node)) {
      tree.operator_work.push_back({done->node, done->frame, record.slot, metric_of(record.words)});
    } else {
      tree.device.push_back({node_of(record.node), record.slot, metric_of(record.words)});
    }
  }
  for (const auto& record : log.idle) tree.idle.push_back({node_of(record.node), record.slot, metric_of(record.words)});
  for (const auto& record : log.ranges) {
    if (const auto range = side.open_range(record.node)) {
      tree.open_ranges.push_back({*range, record.slot, metric_of(record.words)});
    } else {
      tree.ranges.push_back({node_of(record.node), record.slot, metric_of(record.words)});
    }
  }
  for (const auto& record : log.spreads) {
    if (const auto frame = side.spread_of(record.node)) {
      tree.spreads.push_back({*frame, record.slot, metric_of(record.words)});
    } else {
      ++damage.bad_references;
    }
  }
}

std::vector<Device> build_devices(const std::vector<read::RawDevice>& raw) {
  std::vector<Device> devices;
  for (const read::RawDevice& from : raw) {
    const log::DeviceRecord& record = from.record;
    Device& device = devices.emplace_back();
    device.index = from.index;
    device.name = std::string(record.name, strnlen(record.name, sizeof record.name));
    device.uuid = uuid_text(record.uuid);
    device.compute_major = record.compute_major;
    device.compute_minor = record.compute_minor;
    device.multiprocessors = record.multiprocessors;
    device.clock_khz = record.clock_khz;
    device.memory_clock_khz = record.memory_clock_khz;
    device.memory_bus_bits = record.memory_bus_bits;
    device.memory_bytes = record.memory_bytes;
    device.first_monotonic_ns = record.first_ns;
    device.last_monotonic_ns = std::max(record.first_ns, record.last_ns);
    device.busy_ns = std::min(record.busy_ns, device.span_ns());
    device.segments_live = positive(record.segments_live);
    device.segments_peak = std::max(positive(record.segments_peak), device.segments_live);
    device.tensors_live = positive(record.tensors_live);
    device.tensors_peak = std::max(positive(record.tensors_peak), device.tensors_live);
    device.reserved_live = positive(record.reserved_live);
    device.reserved_peak = std::max(positive(record.reserved_peak), device.reserved_live);
  }
  std::sort(devices.begin(), devices.end(), [](const Device& a, const Device& b) { return a.index < b.index; });
  return devices;
}

std::vector<DeviceSeries> build_device_series(const std::vector<read::RawDeviceSeries>& raw) {
  std::vector<DeviceSeries> all;
  for (const read::RawDeviceSeries& from : raw) {
    if (from.points.empty()) continue;
    DeviceSeries& series = all.emplace_back();
    series.device = from.device;
    for (const log::DevicePoint& at : from.points) {
      DevicePoint& point = series.points.emplace_back();
      point.begin_monotonic_ns = saturated_sum(from.start_ns, at.slot * from.slot_ns);
      point.end_monotonic_ns = saturated_sum(point.begin_monotonic_ns, from.slot_ns);
      point.used_bytes = at.used_bytes;
      if (at.own_bytes != 0) point.own_bytes = at.own_bytes;
      point.segments_live = positive(at.segments_live);
      point.tensors_live = positive(at.tensors_live);
      if (at.energy_mj != 0) point.energy_mj = at.energy_mj;
      point.busy_percent = had(at.busy_percent);
      point.memory_busy_percent = had(at.memory_busy_percent);
      point.power_mw = had(at.power_mw);
      point.temperature_c = had(at.temperature_c);
      point.clock_mhz = had(at.clock_mhz);
      point.memory_clock_mhz = had(at.memory_clock_mhz);
    }
  }
  std::sort(all.begin(), all.end(), [](const DeviceSeries& a, const DeviceSeries& b) { return a.device < b.device; });
  return all;
}

Trace build_trace(const read::RawTrace& raw, const std::function<std::uint32_t(std::uint64_t)>& frame_of,
                  const std::function<std::uint32_t(log::TraceKind, std::uint32_t)>& node_of) {
  Trace trace;
  trace.overwritten = raw.written - std::min<std::uint64_t>(raw.written, raw.events.size());
  for (const log::TraceEvent& from : raw.events) {
    const bool known = from.kind >= static_cast<std::uint32_t>(log::TraceKind::Api) &&
                       from.kind <= static_cast<std::uint32_t>(log::TraceKind::Wait);
    if (!known) continue;  // of a newer agent
    const auto kind = static_cast<log::TraceKind>(from.kind);
    TraceEvent event{kind, from.start_ns, from.end_ns, frame_of(from.frame), node_of(kind, from.node), from.tid};
    if (kind == log::TraceKind::Operator) {
      event.ended_elsewhere = from.device == log::kTraceElsewhere;
      if (from.bytes != 0) {
        event.sequence = from.bytes - 1;
        event.sequence_thread = from.context;
        event.numbers = event.ended_elsewhere ? 0 : from.device;
      }
    } else {
      event.correlation = from.correlation;
      event.device = from.device;
      event.context = from.context;
      event.bytes = from.bytes;
    }
    trace.events.push_back(event);
  }
  return trace;
}

void read_cuda_info(std::string_view text, CudaInfo& cuda) {
  each_setting(text, [&](std::string_view name, std::string_view value) {
    if (name == "state") cuda.state = value;
    if (name == "reason") cuda.reason = value;
    if (name == "cupti") cuda.cupti = version(value);
    if (name == "driver") cuda.driver = version(value);
    if (name == "runtime") cuda.runtime = value;
    if (name == "library") cuda.library = value;
    if (name == "overhead_ms") cuda.overhead_ns = milliseconds(value);
    if (name == "note" && std::find(cuda.notes.begin(), cuda.notes.end(), value) == cuda.notes.end()) {
      cuda.notes.emplace_back(value);
    }
  });
  if (cuda.state == "active") cuda.reason.clear();
}

}  // namespace prof::model
