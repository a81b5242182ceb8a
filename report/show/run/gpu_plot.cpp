#include "report/show/run/gpu_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

#include "report/show/gpu/gpu_text.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/text.hpp"

namespace prof::show {
namespace {

constexpr std::size_t kUsualGpuWidth = 100;
constexpr std::size_t kGpuLabel = 11;

constexpr const char* kAsciiLevels[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
constexpr const char* kBlockLevels[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                        "\u2585", "\u2586", "\u2587", "\u2588"};

struct Strip {
  std::vector<std::optional<double>> values;  // by column: the most in it
  double most = 0, sum = 0;
  std::size_t count = 0;
};

template <typename Value>
Strip strip(const model::Process& process, const model::DeviceSeries& series, std::size_t columns, Value value) {
  const std::uint64_t start = std::min(process.start_monotonic_ns, series.points.front().begin_monotonic_ns);
  const auto all = static_cast<double>(series.points.back().end_monotonic_ns - start);
  Strip out;
  out.values.resize(columns);
  for (const model::DevicePoint& point : series.points) {
    const std::optional<double> level = value(point);
    if (!level) continue;
    const double part = all > 0 ? std::min(1.0, static_cast<double>(point.begin_monotonic_ns - start) / all) : 0;
    auto& at = out.values[std::min(columns - 1, static_cast<std::size_t>(part * static_cast<double>(columns)))];
    at = std::max(at.value_or(0), *level);
    out.most = std::max(out.most, *level);
    out.sum += *level;
    ++out.count;
  }
  return out;
}

// Where nobody looked, things are as they were.
std::string line(const char* label, const Strip& strip, double top, const Terminal& terminal) {
  const auto& ink = terminal.unicode ? kBlockLevels : kAsciiLevels;
  std::string out = fmt::format("{:>{}} |", label, kGpuLabel - 2);
  double now = 0;
  for (const std::optional<double>& value : strip.values) {
    now = value.value_or(now);
    const double part = top > 0 ? std::clamp(now / top, 0.0, 1.0) : 0;
    out += ink[static_cast<std::size_t>(std::ceil(part * static_cast<double>(std::size(ink) - 1)))];
  }
  while (out.back() == ' ') out.pop_back();
  return out + '\n';
}

std::string one(const model::Process& process, const model::DeviceSeries& series, const Terminal& terminal) {
  const std::size_t width = terminal.width == 0 ? kUsualGpuWidth : terminal.width;
  const std::size_t columns = std::max<std::size_t>(20, width > kGpuLabel + 1 ? width - kGpuLabel - 1 : 0);
  const Strip busy = strip(process, series, columns, [](const model::DevicePoint& at) {
    return at.busy_percent ? std::optional<double>(*at.busy_percent) : std::nullopt;
  });
  const Strip memory = strip(process, series, columns, [](const model::DevicePoint& at) {
    return at.used_bytes != 0 ? std::optional(static_cast<double>(at.used_bytes)) : std::nullopt;
  });
  const Strip power = strip(process, series, columns, [](const model::DevicePoint& at) {
    return at.power_mw ? std::optional(*at.power_mw / 1e3) : std::nullopt;
  });
  model::Device device;
  device.index = series.device;
  for (const model::Device& known : process.devices) {
    if (known.index == series.device) device = known;
  }
  std::string said = device_name(device) + ":";
  const auto mean = [](const Strip& strip) {
    return strip.sum / static_cast<double>(std::max<std::size_t>(1, strip.count));
  };
  if (busy.count > 0) said += fmt::format(" busy {:.0f} % on average, {:.0f} % at most;", mean(busy), busy.most);
  if (memory.count > 0) said += fmt::format(" memory in use {} at most;", bytes(memory.most));
  if (power.count > 0) said += fmt::format(" power {:.0f} W on average, {:.0f} W at most;", mean(power), power.most);
  const model::DevicePoint &first = series.points.front(), &last = series.points.back();
  if (first.energy_mj && last.energy_mj && *last.energy_mj > *first.energy_mj) {
    said += fmt::format(" energy {:.1f} kJ;", static_cast<double>(*last.energy_mj - *first.energy_mj) / 1e6);
  }
  std::uint32_t hottest = 0;
  for (const model::DevicePoint& point : series.points) hottest = std::max(hottest, point.temperature_c.value_or(0));
  if (hottest > 0) said += fmt::format(" {} degrees C at most;", hottest);
  said.back() = '.';
  std::string out = wrapped(printable(said), terminal.width) + '\n';
  if (busy.count > 0) out += line("busy", busy, 100, terminal);
  if (memory.count > 0) {
    out += line("memory", memory, device.memory_bytes != 0 ? static_cast<double>(device.memory_bytes) : memory.most,
                terminal);
  }
  if (power.count > 0) out += line("power", power, power.most, terminal);
  return out;
}

}  // namespace

std::string gpu_plot(const model::Process& process, const Terminal& terminal) {
  std::string out;
  for (const model::DeviceSeries& series : process.device_series) out += one(process, series, terminal);
  return out;
}

}  // namespace prof::show
