#include <algorithm>

#include "report/fold/training/operators.hpp"
#include "report/formats/csv.hpp"
#include "report/formats/json_ops.hpp"
#include "report/show/table.hpp"
#include "report/show/view.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/operator_stack_run.hpp"
#include "tests/unit/support/operator_work_run.hpp"
#include "tests/unit/support/ops_run.hpp"
#include "tests/unit/support/show_run.hpp"

using namespace prof;
using fold::OperatorGroup;
using test::OpsRun;
using test::row_of;
using test::StackRun;
using test::WorkRun;

namespace {

std::string text_of(const show::Sheet& sheet) { return show::table(sheet, show::Terminal{}); }

}  // namespace

TEST_CASE("ops view: torch's columns in torch's order") {
  const OpsRun run;
  const show::Sheet sheet = test::sheet_of("ops", run.subject(), {});
  std::vector<std::string> titles;
  for (const show::Column& column : sheet.columns) {
    if (column.where != show::Where::DataOnly) titles.push_back(column.title);
  }
  CHECK(titles == std::vector<std::string>{"Name", "Self CPU", "Self CPU", "CPU total", "CPU total", "CPU time avg",
                                           "CPU Mem", "Self CPU Mem", "# of Calls"});
  CHECK(std::get<std::string>(sheet.rows.front().cells.front()) == "aten::addmm");
  CHECK(std::get<double>(sheet.rows.front().cells[1]) == Approx(47.0 / 116));
  CHECK(std::get<double>(sheet.rows.front().cells[3]) == Approx(67.0 / 116));
  CHECK(sheet.notes.front() == "Self CPU time total: 116 us");
  CHECK(text_of(test::sheet_of("ops", run.subject(), {.group_by = OperatorGroup::Shape})).find("[[8, 3], [4]]") !=
        std::string::npos);
  CHECK(text_of(test::sheet_of("ops", run.subject(), {.group_by = OperatorGroup::Thread})).find("100 1001") !=
        std::string::npos);
  const auto first = [&](show::SortKey key) {
    return std::get<std::string>(test::sheet_of("ops", run.subject(), {.sort = key}).rows.front().cells.front());
  };
  CHECK(first(show::SortKey::Cumtime) == "ProfilerStep#*");
  CHECK(first(show::SortKey::Average) == "ProfilerStep#*");
  CHECK(first(show::SortKey::Calls) == "aten::addmm");
  CHECK(first(show::SortKey::HostBytes) == "aten::linear");
  CHECK(first(show::SortKey::Name) == "AddBackward");
  CHECK(test::sheet_of("ops", run.subject(), {.limit = 2}).rows.size() == 2);
  const std::string csv =
      formats::csv(test::sheet_of("ops", run.subject(), {.everything = true, .group_by = OperatorGroup::Shape}));
  CHECK(csv.find("aten::addmm,30000,") == std::string::npos);
  CHECK(csv.find("aten::linear,30000,60000,26667,10000,60000,,,,,70,60,,,3,forward,\"[[8, 3], [4]]\"") !=
        std::string::npos);
}

TEST_CASE("ops view says why it is empty, and leaves out memory that was not recorded") {
  const test::SmallRun none;
  CHECK(test::sheet_of("ops", none.subject(), {}).rows.empty());
  CHECK(test::sheet_of("ops", none.subject(), {}).captions.front().find("PyTorch") != std::string::npos);
  CHECK(formats::ops_json(none.subject()).is_null());
  const OpsRun plain(false, false);
  const show::Sheet sheet = test::sheet_of("ops", plain.subject(), {});
  for (const show::Column& column : sheet.columns) {
    INFO(column.key);
    const bool memory = column.kind == show::Kind::Bytes;
    if (memory || column.key == "shapes") CHECK(column.where == show::Where::DataOnly);
  }
}

TEST_CASE("ops view: CUDA columns stand where torch.profiler has them, and order by its keys") {
  const WorkRun run;
  const show::Sheet sheet = test::sheet_of("ops", run.subject(), {});
  std::vector<std::string> titles;
  for (const show::Column& column : sheet.columns) {
    if (column.where != show::Where::DataOnly) titles.push_back(column.title);
  }
  CHECK(titles == std::vector<std::string>{"Name", "Self CPU", "Self CPU", "CPU total", "CPU total", "CPU time avg",
                                           "Self CUDA", "Self CUDA", "CUDA total", "CUDA time avg", "# of Calls",
                                           "Library FLOPs"});
  const auto first = [&](show::SortKey key) {
    return std::get<std::string>(test::sheet_of("ops", run.subject(), {.sort = key}).rows.front().cells.front());
  };
  CHECK(first(show::SortKey::SelfGpu) == "aten::cudnn_convolution");
  CHECK(row_of(run.ops(), first(show::SortKey::Gpu)).gpu_ns == 58 * 1000);
  CHECK(first(show::SortKey::GpuAverage) == "train");
  CHECK(std::find(sheet.notes.begin(), sheet.notes.end(), "Self CUDA time total: 66.0 us") != sheet.notes.end());
  const auto ops = formats::ops_json(run.subject());
  const auto conv = std::find_if(ops.begin(), ops.end(), [](const auto& op) { return op["name"] == "aten::conv2d"; });
  REQUIRE(conv != ops.end());
  CHECK((*conv)["self_gpu_s"] == Approx(19e-6));
  CHECK((*conv)["gpu_s"] == Approx(58e-6));
  CHECK((*conv)["library_flops"] == 700);
  CHECK((*conv)["self_library_flops"] == 0);
}

TEST_CASE("ops view by stack: the source location, a line below the other, and what is not known of it") {
  const StackRun run;
  const show::Sheet sheet = test::sheet_of("ops", run.subject(), {.group_by = OperatorGroup::Stack});
  const std::string text = show::table(sheet, show::Terminal{});
  CHECK(text.find("Source Location") != std::string::npos);
  CHECK(text.find("linear (functional.py:40)") != std::string::npos);
  CHECK(text.find("forward (net.py:30)") != std::string::npos);
  CHECK(text.find("Total FLOPs") != std::string::npos);
  CHECK(text.find("Of 1 of 2 calls of backward functions") != std::string::npos);
  const std::string csv =
      formats::csv(test::sheet_of("ops", run.subject(), {.everything = true, .group_by = {OperatorGroup::Stack, 2}}));
  CHECK(csv.find("other (/x/net.py:50) <- step (/x/train.py:20),,3000") != std::string::npos);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 7);
  const show::Sheet most =
      test::sheet_of("ops", run.subject(), {.sort = show::SortKey::Flops, .group_by = OperatorGroup::Stack});
  CHECK(std::get<std::string>(most.rows.front().cells.front()) == "aten::mm");
}
