#include <algorithm>

#include "report/formats/csv.hpp"
#include "report/show/gpu/gpu_errors.hpp"
#include "report/show/measure.hpp"
#include "report/show/run/timeline_plot.hpp"
#include "report/show/table.hpp"
#include "report/show/view.hpp"
#include "report/summary/summary.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/gpu_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"
#include "tests/unit/support/show_run.hpp"

using namespace prof;
using show::Sheet;
using show::SortKey;
using test::cell;
using test::GpuRun;
using test::number;
using test::says;
using test::text;

namespace {

const show::Cell kUnknown;

std::vector<std::vector<Sheet>> gpu_views(const show::Subject& subject, const show::ViewOptions& options) {
  return {{test::sheet_of("api", subject, options)},    test::sheets_of("kernels", subject, options),
          {test::sheet_of("copies", subject, options)}, test::sheets_of("gpu-memory", subject, options),
          {test::sheet_of("ranges", subject, options)}, {test::sheet_of("flops", subject, options)},
          {test::sheet_of("idle", subject, options)},   {test::sheet_of("functions", subject, options)},
          test::sheets_of("lines", subject, options),   {test::sheet_of("timeline", subject, options)}};
}

}  // namespace

TEST_CASE("views of CUDA: cells for each column, and one list for other programs", "[show]") {
  const GpuRun gpu;
  for (const bool everything : {false, true}) {
    for (const auto& sheets : gpu_views(gpu.subject(), {.everything = everything})) {
      for (const Sheet& sheet : sheets) {
        INFO(sheet.title);
        for (const show::Row& row : sheet.rows) CHECK(row.cells.size() == sheet.columns.size());
        CHECK_FALSE(show::table(sheet, show::Terminal{}).empty());
        if (!everything) continue;
        CHECK(sheet.columns.size() == sheets.front().columns.size());
        CHECK_FALSE(formats::csv(sheet).empty());
      }
    }
  }
}

TEST_CASE("views of CUDA say why they are empty", "[show]") {
  const test::SmallRun none;
  for (const Sheet& sheet :
       {test::sheet_of("api", none.subject(), {}), test::sheets_of("kernels", none.subject(), {}).front(),
        test::sheet_of("copies", none.subject(), {}), test::sheets_of("gpu-memory", none.subject(), {}).front(),
        test::sheet_of("flops", none.subject(), {}), test::sheet_of("idle", none.subject(), {})}) {
    INFO(sheet.title);
    CHECK(sheet.rows.empty());
    CHECK(says(sheet, "No selected process used CUDA"));
  }
  CHECK(says(test::sheet_of("ranges", none.subject(), {}), "No range was seen"));

  test::SmallRun off;
  off.run.processes[0].options = "PROF_LOG_MAX=1\nPROF_CUDA=off";
  CHECK(says(test::sheet_of("api", off.subject(), {}), "prof run --cuda on"));
  off.run.processes[0].cuda.emplace();
  off.run.processes[0].cuda->state = "off";
  off.run.processes[0].cuda->reason = "another tool owns the process";
  CHECK(says(test::sheet_of("api", off.subject(), {}), "CUDA was not recorded: another tool owns the process."));

  GpuRun host;
  for (model::Process& process : host.run.processes) {
    process.tree.device.clear();
    process.cuda->state = "host";
    process.cuda->reason = "the driver allows it to root alone";
  }
  CHECK(says(test::sheets_of("kernels", host.subject(), {}).front(),
             "not recorded: the driver allows it to root alone."));
  CHECK(cell(test::sheet_of("functions", host.subject(), {.everything = true}), 0, "gpu_ns") == kUnknown);
  GpuRun threads;
  threads.selection.threads = {"1000"};
  CHECK(says(test::sheets_of("kernels", threads.subject(), {}).front(), "cannot be told by thread"));
}

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

TEST_CASE("kernels: a table by kernel, and for people one by stream", "[show]") {
  const GpuRun gpu;
  const auto sheets = test::sheets_of("kernels", gpu.subject(), {});
  REQUIRE(sheets.size() == 2);
  CHECK(cell(sheets[0], 0, "kernel") == text("ampere_h16816gemm"));
  CHECK(cell(sheets[0], 0, "launched_by") == text("train (train.py:20)"));
  CHECK(cell(sheets[0], 1, "name") == text("add(float, float*)"));
  CHECK(cell(sheets[0], 1, "avg_ns") == number(300'000));
  CHECK(cell(sheets[1], 0, "stream") == text("7"));
  CHECK(test::sheets_of("kernels", gpu.subject(), {.everything = true}).size() == 1);
  const Sheet limited = test::sheets_of("kernels", gpu.subject(), {.sort = SortKey::Name, .limit = 1}).front();
  REQUIRE(limited.rows.size() == 1);
  CHECK(cell(limited, 0, "name") == text("add(float, float*)"));
  CHECK(says(limited, "1 of 4 kernels shown"));
}

TEST_CASE("copies: time and size by kind", "[show]") {
  const GpuRun gpu;
  const Sheet copies = test::sheet_of("copies", gpu.subject(), {});
  REQUIRE(copies.rows.size() == 1);
  CHECK(cell(copies, 0, "kind") == text("HtoD"));
  CHECK(cell(copies, 0, "memory") == text("pinned"));
  CHECK(cell(copies, 0, "avg_ns") == number(20'000));  // of the four with a time
  CHECK(cell(copies, 0, "untimed") == number(1));
  CHECK(cell(copies, 0, "bytes_per_s") == show::Cell(5000.0 / 80'000 * 1e9));
}

TEST_CASE("flops: what the peak was taken to be", "[show]") {
  const GpuRun gpu;
  const Sheet flops = test::sheet_of("flops", gpu.subject(), {});
  REQUIRE(flops.rows.size() == 1);
  CHECK(cell(flops, 0, "precision") == text("FP16"));
  CHECK(cell(flops, 0, "site") == text("train (train.py:20)"));
  CHECK(says(flops, "FP16 311.9 TFLOP/s, from compute capability 8.0, 108 multiprocessors"));
  CHECK(show::table(flops, show::Terminal{}).find("4.000") != std::string::npos);
}

TEST_CASE("idle: by cause and by place", "[show]") {
  GpuRun gpu;
  const Sheet shared = test::sheet_of("idle", gpu.subject(), {});
  CHECK(says(shared, "GPU 0 (Test GPU): at work for 2 processes, 4.90 ms added up in 20.0 ms"));
  gpu.selection.pids = {400};
  const Sheet idle = test::sheet_of("idle", gpu.subject(), {});
  REQUIRE(idle.rows.size() == 1);
  CHECK(cell(idle, 0, "site") == text("train (train.py:10)"));
  CHECK(says(idle, "GPU 0 (Test GPU): idle 6.00 ms (60.0 %) of 10.0 ms"));
  CHECK(says(idle, "waiting for data or another thread 60.0 %"));
}

TEST_CASE("GPU memory: by GPU, segments and tensors", "[show]") {
  const GpuRun gpu;
  const auto sheets = test::sheets_of("gpu-memory", gpu.subject(), {});
  REQUIRE(sheets.size() == 3);
  CHECK(cell(sheets[0], 0, "others_peak_bytes") == number(7 << 20));
  CHECK(cell(sheets[0], 1, "used_peak_bytes") == kUnknown);
  CHECK(cell(sheets[1], 0, "function") == text("cudaMalloc"));
  CHECK(cell(sheets[1], 0, "live_bytes") == number(2 << 20));
  CHECK(cell(sheets[2], 0, "kind") == text("tensor"));
  CHECK(cell(sheets[2], 0, "place") == text("train.py:50"));
}

TEST_CASE("functions and lines have columns of GPU time", "[show]") {
  const GpuRun gpu;
  const Sheet functions = test::sheet_of("functions", gpu.subject(), {.sort = SortKey::Gpu, .everything = true});
  CHECK(cell(functions, 0, "function") == text("train"));
  CHECK(cell(functions, 0, "gpu_ns") == number(0));
  CHECK(cell(functions, 0, "cum_gpu_ns") == number(3'330'000));
  const Sheet lines = test::sheets_of("lines", gpu.subject(), {.sort = SortKey::Gpu}).front();
  CHECK(cell(lines, 0, "place") == text("train.py:20"));
  CHECK(cell(lines, 0, "gpu_ns") == number(2'000'000));
  CHECK(cell(lines, 1, "gpu_ns") == number(1'250'000));
}

TEST_CASE("every measure of CUDA can be drawn as a tree", "[show]") {
  const GpuRun gpu;
  const Sheet tree = test::sheet_of("tree", gpu.subject(), {.measure = model::Measure::GpuTime});
  REQUIRE_FALSE(tree.rows.empty());
  CHECK(cell(tree, 0, "name") == text("step"));
  CHECK(cell(tree, 1, "name") == text("train"));
  CHECK(cell(tree, 1, "cum_gpu_ns") == number(2'350'000));
  CHECK(says(tree, "GPU time: exact; % is of 3.34 ms"));
  for (const show::MeasureWords& words : show::kMeasures) {
    INFO(words.name);
    CHECK(&show::words_of(words.measure) == &words);
    CHECK_FALSE(test::sheet_of("tree", gpu.subject(), {.measure = words.measure}).title.empty());
  }
  const test::SmallRun none;
  CHECK(says(test::sheet_of("tree", none.subject(), {.measure = model::Measure::GpuTime}),
             "No selected process used CUDA"));
}

TEST_CASE("timeline: GPUs below the memory of their process", "[show]") {
  const GpuRun gpu;
  show::Terminal terminal;
  terminal.width = 80;
  const std::string plot = show::timeline_plot(gpu.subject(), {}, terminal);
  CHECK(plot.find("GPU 0 (Test GPU): busy 60 % on average, 80 % at most;") != std::string::npos);
  CHECK(plot.find("energy 0.1 kJ") != std::string::npos);
  CHECK(plot.find("     busy |") != std::string::npos);
  for (std::size_t begin = 0, end = 0; (end = plot.find('\n', begin)) != std::string::npos; begin = end + 1) {
    CHECK(end - begin <= 80);
  }
  const Sheet points = test::sheet_of("timeline", gpu.subject(), {.everything = true});
  REQUIRE(points.rows.size() == 4);
  CHECK(cell(points, 0, "device") == kUnknown);
  CHECK(cell(points, 3, "device") == number(0));
  CHECK(cell(points, 3, "gpu_busy_percent") == number(80));
  CHECK(cell(points, 3, "gpu_temperature_c") == kUnknown);
  CHECK(cell(points, 3, "rss_bytes") == kUnknown);
}

TEST_CASE("the summary says what GPUs did", "[show]") {
  GpuRun gpu;
  const std::string summary = show::summary(gpu.subject(), {}, show::Terminal{.width = 1000});
  CHECK(summary.find(
            "GPU 0 (Test GPU): busy 4.90 ms, 2 processes added up, in 20.0 ms between its first and last work; "
            "7 kernels of 3.21 ms; 5 copies and sets of 80.0 us; memory peak 3.00 MiB; peak of tensors 1.50 MiB.") !=
        std::string::npos);
  CHECK(summary.find("GPU 1 (Test GPU): 1 kernel of 50.0 us.") != std::string::npos);
  CHECK(summary.find("GPUs idled 500 us, 60.0 % of it while the host was waiting for data or another thread; most for "
                     "train (train.py:10) (500 us)") != std::string::npos);
  CHECK(summary.find("torch.profiler was active") != std::string::npos);
  CHECK(summary.find("Kernels by time on GPUs") != std::string::npos);
  CHECK(summary.find("--view kernels") != std::string::npos);
  CHECK(summary.find("2, 2 threads") != std::string::npos);  // the profiler's own is none of the program's
  gpu.selection.pids = {400};
  CHECK(show::summary(gpu.subject(), {}, show::Terminal{.width = 1000}).find("busy 40.0 % of 10.0 ms") !=
        std::string::npos);
  const test::SmallRun none;
  CHECK(show::summary(none.subject(), {}, show::Terminal{.width = 1000}).find("GPU") == std::string::npos);
}
