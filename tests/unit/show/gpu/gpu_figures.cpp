#include "report/formats/csv.hpp"
#include "report/show/table.hpp"
#include "report/show/view.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/gpu_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"
#include "tests/unit/support/show_run.hpp"

using namespace prof;
using show::Sheet;
using test::cell;
using test::GpuRun;
using test::kUnknown;
using test::says;

namespace {

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
