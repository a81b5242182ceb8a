// Libraries of OpenMP.
#pragma once

#include <algorithm>
#include <iterator>
#include <string_view>

namespace prof::fold {

// By the last part of the path: "libgomp.so.1", "libgomp-24e2ab19.so.1.0.0", as packages of Python bring it, LLVM's
// "libomp.so.5" and Intel's "libiomp5.so"; and not libompl, which plans motions.
inline bool is_openmp_library(std::string_view name) {
  constexpr std::string_view kBeginnings[] = {"libgomp.so", "libgomp-", "libiomp5", "libomp.so", "libomp-", "libomp5"};
  return name.find(".so") != std::string_view::npos &&
         std::any_of(std::begin(kBeginnings), std::end(kBeginnings),
                     [&](std::string_view begin) { return name.starts_with(begin); });
}

}  // namespace prof::fold
