// Libraries that share work among threads of their own, and one that does not, by the last part of their paths.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "report/model/text.hpp"

namespace prof::fold {

// "libgomp.so.1", "libgomp-24e2ab19.so.1.0.0", as packages of Python bring it, LLVM's "libomp.so.5" and Intel's
// "libiomp5.so"; and not libompl, which plans motions.
inline bool is_openmp_library(std::string_view name) {
  constexpr std::array<std::string_view, 6> kBeginnings = {"libgomp.so", "libgomp-", "libiomp5",
                                                           "libomp.so",  "libomp-",  "libomp5"};
  return contains(name, ".so") && begins_with_any(name, kBeginnings);
}

// "libopenblas.so.0", and as packages of Python bring it "libscipy_openblas64_-4b78795a.so".
inline bool is_openblas_library(std::string_view name) {
  constexpr std::array<std::string_view, 2> kBeginnings = {"libopenblas", "libscipy_openblas"};
  return contains(name, ".so") && begins_with_any(name, kBeginnings);
}

// What a thread's outermost functions are of.
inline bool starts_threads(std::string_view name) {
  constexpr std::array<std::string_view, 4> kBeginnings = {"libc.so", "libc-", "libpthread", "ld-linux"};
  return begins_with_any(name, kBeginnings);
}

// Functions that the reference BLAS computes in itself, on one thread, whatever it is told; others, which have threads,
// pass on to kernels of their own.
inline bool is_product_of_blas(std::string_view function) {
  constexpr std::array<std::string_view, 8> kProducts = {"sgemm_", "dgemm_", "sgemv_", "dgemv_",
                                                         "ssyrk_", "dsyrk_", "strsm_", "dtrsm_"};
  return std::find(kProducts.begin(), kProducts.end(), function) != kProducts.end();
}

}  // namespace prof::fold
