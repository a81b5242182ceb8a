#include "report/fold/gpu/peak.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace prof::fold {
namespace {

// Operations per multiprocessor and cycle, a fused multiply-add being two; 0: no such unit.
struct Rates {
  std::uint32_t major, minor;
  double fp64, fp32, tf32, fp16, bf16, fp8;
};
constexpr std::array<Rates, 12> kRates{{
    {6, 0, 64, 128, 0, 256, 0, 0},
    {6, 1, 8, 256, 0, 0, 0, 0},
    {7, 0, 64, 128, 0, 1024, 0, 0},
    {7, 5, 4, 128, 0, 1024, 0, 0},
    {8, 0, 128, 128, 1024, 2048, 2048, 0},
    {8, 6, 4, 256, 512, 1024, 1024, 0},
    {8, 7, 4, 256, 512, 1024, 1024, 0},
    {8, 9, 4, 256, 512, 1024, 1024, 2048},
    {9, 0, 256, 256, 2048, 4096, 4096, 8192},
    {10, 0, 128, 256, 4096, 8192, 8192, 16384},
    {10, 3, 4, 256, 4096, 8192, 8192, 16384},
    {12, 0, 4, 256, 512, 1024, 1024, 2048},
}};

struct Mark {
  std::string_view text;
  Precision precision;
};

// The first mark that a name holds decides, so the more telling ones come first.
constexpr Mark kKernelMarks[] = {
    {"e4m3", Precision::Fp8},       {"e5m2", Precision::Fp8},    {"fp8", Precision::Fp8},
    {"tf32", Precision::Tf32},      {"bf16", Precision::Bf16},   {"bfloat16", Precision::Bf16},
    {"s1688gemm", Precision::Tf32}, {"f64", Precision::Fp64},    {"d884", Precision::Fp64},
    {"dgemm", Precision::Fp64},     {"h16816", Precision::Fp16}, {"h1688", Precision::Fp16},
    {"s16816", Precision::Fp16},    {"s884", Precision::Fp16},   {"h884", Precision::Fp16},
    {"f16", Precision::Fp16},       {"fp16", Precision::Fp16},   {"hgemm", Precision::Fp16},
    {"half", Precision::Fp16},      {"sgemm", Precision::Fp32},  {"f32", Precision::Fp32},
    {"scudnn", Precision::Fp32},
};

}  // namespace

const char* to_string(Precision precision) {
  switch (precision) {
    case Precision::Fp64:
      return "FP64";
    case Precision::Tf32:
      return "TF32";
    case Precision::Fp16:
      return "FP16";
    case Precision::Bf16:
      return "BF16";
    case Precision::Fp8:
      return "FP8";
    case Precision::Fp32:
      break;
  }
  return "FP32";
}

std::optional<double> peak_flops(const model::Device& device, Precision precision) {
  const auto rates = std::find_if(kRates.begin(), kRates.end(), [&](const Rates& row) {
    return row.major == device.compute_major && row.minor == device.compute_minor;
  });
  if (rates == kRates.end()) return std::nullopt;
  double rate = 0;
  switch (precision) {
    case Precision::Fp64:
      rate = rates->fp64;
      break;
    case Precision::Fp32:
      rate = rates->fp32;
      break;
    case Precision::Tf32:
      rate = rates->tf32;
      break;
    case Precision::Fp16:
      rate = rates->fp16;
      break;
    case Precision::Bf16:
      rate = rates->bf16;
      break;
    case Precision::Fp8:
      rate = rates->fp8;
      break;
  }
  const double peak = rate * device.multiprocessors * device.clock_khz * 1e3;
  return peak > 0 ? std::optional(peak) : std::nullopt;
}

std::optional<Precision> precision_of_kernel(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const Mark& mark : kKernelMarks) {
    if (lower.find(mark.text) != std::string::npos) return mark.precision;
  }
  return std::nullopt;
}

std::optional<Precision> precision_of_call(std::string_view name) {
  std::string_view letters;
  for (const std::string_view prefix : {"cublas", "cusolverDn", "cufftExec", "cufftXtExec"}) {
    if (name.starts_with(prefix)) letters = name.substr(prefix.size());
  }
  if (letters.size() < 2) return std::nullopt;
  if (name.starts_with("cufft")) {  // C2C, R2C, Z2D... : names of types, not of functions
    if (letters[1] != '2') return std::nullopt;
    return letters[0] == 'D' || letters[0] == 'Z' ? Precision::Fp64 : Precision::Fp32;
  }
  switch (letters.front()) {
    case 'S':
    case 'C':
      return Precision::Fp32;
    case 'D':
    case 'Z':
      return Precision::Fp64;
    case 'H':
      return Precision::Fp16;
    default:
      return std::nullopt;
  }
}

}  // namespace prof::fold
