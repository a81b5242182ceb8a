#include "report/show/numbers.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ctime>

namespace prof::show {
namespace {

constexpr double kKi = 1024;

// The smallest value that still shows as something else than 0.
double resolution(int decimals) { return std::pow(10.0, -decimals); }

std::string fixed(double value, int decimals) {
  const double step = resolution(decimals);
  if (value != 0 && std::abs(value) < step / 2) {
    return fmt::format("{}{:.{}f}", value < 0 ? ">-" : "<", step, decimals);
  }
  return fmt::format("{:.{}f}", value, decimals);
}

int three_digits(double value) {
  const double size = std::abs(value);
  return size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
}

}  // namespace

Unit time_unit(double largest_ns) {
  const double size = std::abs(largest_ns);
  if (size >= 1e9) return {"s", 1e9, 3};
  if (size >= 1e6) return {"ms", 1e6, 3};
  return {"us", 1e3, 1};
}

Unit byte_unit(double largest_bytes) {
  const double size = std::abs(largest_bytes);
  if (size >= kKi * kKi * kKi * kKi) return {"TiB", kKi * kKi * kKi * kKi, 3};
  if (size >= 10 * kKi * kKi * kKi) return {"GiB", kKi * kKi * kKi, 2};
  if (size >= kKi * kKi) return {"MiB", kKi * kKi, 1};
  if (size >= kKi) return {"KiB", kKi, 1};
  return {"B", 1, 0};
}

Unit flop_unit(double largest) {
  const double size = std::abs(largest);
  if (size >= 1e15) return {"PFLOP", 1e15, 3};
  if (size >= 1e12) return {"TFLOP", 1e12, 3};
  if (size >= 1e9) return {"GFLOP", 1e9, 3};
  return {"MFLOP", 1e6, 3};
}

Unit flop_rate_unit(double largest) {
  const double size = std::abs(largest);
  if (size >= 1e12) return {"TFLOP/s", 1e12, 2};
  if (size >= 1e9) return {"GFLOP/s", 1e9, 2};
  return {"MFLOP/s", 1e6, 2};
}

Unit byte_rate_unit(double largest) {
  const double size = std::abs(largest);
  if (size >= 1e9) return {"GB/s", 1e9, 2};
  return {"MB/s", 1e6, 2};
}

std::string in_unit(double value, const Unit& unit) { return fixed(value / unit.size, unit.decimals); }

std::string duration(double ns) {
  const double seconds = ns / 1e9;
  if (std::abs(seconds) < 119.95) {
    const Unit unit = time_unit(ns);
    const double value = ns / unit.size;
    return fmt::format("{:.{}f} {}", value, three_digits(value), unit.name);
  }
  const auto whole = std::llround(seconds);
  if (std::abs(whole) < 7200) return fmt::format("{} min {} s", whole / 60, std::abs(whole % 60));
  if (std::abs(whole) < 2 * 86400) return fmt::format("{} h {} min", whole / 3600, std::abs(whole / 60 % 60));
  return fmt::format("{} d {} h", whole / 86400, std::abs(whole / 3600 % 24));
}

std::string bytes(double count) {
  const double size = std::abs(count);
  if (size < kKi) return fmt::format("{:.0f} B", count);
  const Unit unit =
      size >= kKi * kKi * kKi && size < 10 * kKi * kKi * kKi ? Unit{"GiB", kKi * kKi * kKi, 2} : byte_unit(count);
  const double value = count / unit.size;
  return fmt::format("{:.{}f} {}", value, three_digits(value), unit.name);
}

std::string grouped(std::int64_t count) {
  std::string digits = fmt::format("{}", count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string percent(double part, double whole) {
  if (!(whole > 0)) return "-";
  return fixed(100 * part / whole, 1);
}

std::string counted(std::int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", grouped(count), count == 1 ? one : many);
}

std::string local_time(std::uint64_t realtime_ns) {
  const auto seconds = static_cast<std::time_t>(realtime_ns / 1'000'000'000);
  std::tm parts{};
  if (localtime_r(&seconds, &parts) == nullptr) return "-";
  char text[64];
  const std::size_t written = std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return written > 0 ? std::string(text, written) : "-";
}

}  // namespace prof::show
