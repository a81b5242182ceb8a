#include <algorithm>

#include "report/show/gpu/gpu_errors.hpp"
#include "report/show/view.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/gpu_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

using namespace prof;
using show::Sheet;
using show::SortKey;
using test::cell;
using test::GpuRun;
using test::kUnknown;
using test::number;
using test::says;
using test::text;

TEST_CASE("api: nsys' columns, and errors by name", "[show]") {
  const GpuRun gpu;
  const Sheet calls = test::sheet_of("api", gpu.subject(), {.sort = SortKey::Calls});
  CHECK(cell(calls, 0, "name") == text("cudaEventRecord"));
  CHECK(cell(calls, 0, "med_ns") == kUnknown);
  CHECK(says(calls, "Note: torch.profiler was active from 1 s to 2 s."));
  const Sheet bytes = test::sheet_of("api", gpu.subject(), {.sort = SortKey::Bytes});
  CHECK(cell(bytes, 0, "name") == text("cudaMalloc"));
  const Sheet average = test::sheet_of("api", gpu.subject(), {.sort = SortKey::Average});
  CHECK(cell(average, 0, "name") == text("cublasGemmEx"));
  CHECK(cell(average, 0, "library") == text("cuBLAS"));
  CHECK(cell(average, 0, "flops") == number(4'000'000'000));
  const auto launch = std::find_if(calls.rows.begin(), calls.rows.end(), [&](const show::Row& row) {
    return cell(calls, static_cast<std::size_t>(&row - calls.rows.data()), "name") == text("cudaLaunchKernel");
  });
  REQUIRE(launch != calls.rows.end());
  const auto at = static_cast<std::size_t>(launch - calls.rows.begin());
  CHECK(cell(calls, at, "failed") == number(1));
  CHECK(cell(calls, at, "last_error_name") == text("cudaErrorIllegalAddress"));
  CHECK(show::error_name("cuBLASLt", 13) == "CUBLAS_STATUS_EXECUTION_FAILED");
  CHECK(show::error_name("CUDA driver", 700) == "CUDA_ERROR_ILLEGAL_ADDRESS");
  CHECK(show::error_name("NCCL", 77) == "error 77");
}
