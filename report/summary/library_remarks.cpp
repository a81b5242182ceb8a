#include "report/summary/library_remarks.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "report/fold/team_libraries.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::show {
namespace {

constexpr double kMuchInLibrary = 0.25;         // of the CPU time
constexpr std::int64_t kWorthIt = 200'000'000;  // ns

bool of_openmp(const symbols::Function& function) {
  return function.language == symbols::Language::Native && fold::is_openmp_library(base_name(function.module));
}

bool starts_thread(const symbols::Function& function) {
  const std::string_view base = base_name(function.module);
  return fold::starts_threads(base) || base == "libprof.so";
}

bool of_reference_blas(const symbols::Function& function) {
  return function.language == symbols::Language::Native && base_name(function.module).starts_with("libblas.so") &&
         fold::is_product_of_blas(function.name);
}

}  // namespace

std::vector<Remark> library_remarks(const fold::CallTree& lines, std::int64_t cpu_ns) {
  std::int64_t waits = 0, products = 0;
  // In a thread of the library's that runs nothing of anybody else's: what it is asked for is below another function.
  std::vector<bool> alone(lines.nodes().size(), true);
  for (std::uint32_t node = 1; node < lines.nodes().size(); ++node) {
    const symbols::Function& function = lines.function(node);
    alone[node] = alone[lines.nodes()[node].parent] && (of_openmp(function) || starts_thread(function));
    const std::int64_t ns = lines.self().cpu[node].ns;
    if (ns <= 0) continue;
    if (alone[node] && of_openmp(function)) waits = model::saturated_sum(waits, ns);
    if (of_reference_blas(lines.function(node))) products = model::saturated_sum(products, ns);
  }
  const auto all = static_cast<double>(cpu_ns);
  std::vector<Remark> out;
  const auto add = [&](std::int64_t ns, auto words) {
    const double share = all > 0 ? static_cast<double>(ns) / all : 0;
    if (ns < kWorthIt || share < kMuchInLibrary) return;
    out.push_back(
        {.text = words(fmt::format("{} of CPU time ({} %)", duration(static_cast<double>(ns)), percent(share, 1))),
         .place = {},
         .always = true,
         .share = share});
  };
  add(products, [](const std::string& amount) {
    return fmt::format(
        "{} went by in the reference BLAS, on one thread. OpenBLAS takes a fraction of that (Debian's "
        "libopenblas0-pthread; packages of PyPI bring their own).",
        amount);
  });
  add(waits, [](const std::string& amount) {
    return fmt::format(
        "Threads of OpenMP wait for work in a loop for {}. OMP_WAIT_POLICY=passive lets them sleep, which helps where "
        "others want the processors; fewer threads (OMP_NUM_THREADS) wait less.",
        amount);
  });
  return out;
}

}  // namespace prof::show
