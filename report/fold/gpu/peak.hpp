// How many floating point operations a device can do in a second, by its makers' figures.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/model/device.hpp"

namespace prof::fold {

// The number format that decides, and for matrices in it the unit that does them.
enum class Precision { Fp64, Fp32, Tf32, Fp16, Bf16, Fp8 };
const char* to_string(Precision precision);  // "FP64", "FP32", "TF32"...

// Dense (not "sparse"), at the highest clock of the multiprocessors: operations of one multiprocessor and cycle, by
// compute capability, times multiprocessors and clock. FP64 and the formats below FP32 by the matrix units where there
// are any, FP32 by the ordinary ones. Nothing for a device that is not known, or has no such unit.
std::optional<double> peak_flops(const model::Device& device, Precision precision);

// What a kernel's name says of the format that it multiplies in; nothing for names that say nothing.
std::optional<Precision> precision_of_kernel(std::string_view name);
// The same of an API's function: "cublasDgemm_v2".
std::optional<Precision> precision_of_call(std::string_view name);

}  // namespace prof::fold
