#include "report/show/table.hpp"
#include "report/show/view.hpp"
#include "report/show/waiting/wall_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/sheet_cells.hpp"
#include "tests/unit/support/wait_run.hpp"

using namespace prof;
using show::Sheet;
using test::in_table;
using test::number;
using test::says;
using test::WaitRun;
using test::whole;

TEST_CASE("threads: the split as columns and as bars", "[show]") {
  const WaitRun wait;
  const Sheet threads = whole(test::sheet_of("threads", wait.subject(), {.sort = show::SortKey::Blocked}));
  CHECK(threads.rows.at(0).cells.at(1) == number(1001));
  CHECK(in_table(threads, "blocked_file_ns"));
  CHECK_FALSE(in_table(threads, "blocked_network_ns"));
  CHECK(in_table(threads, "run_queue_ns"));
  CHECK(says(threads, "Some processes did not record"));
  CHECK(says(threads, "made smaller to fit"));
  const std::string bars = wall_bars(wait.subject(), {}, show::Terminal{.width = 80});
  CHECK(bars.find("# CPU") != std::string::npos);
  CHECK(bars.find("f file") != std::string::npos);
  CHECK(bars.find("n network") == std::string::npos);
  CHECK(bars.find("4 threads together") != std::string::npos);
  // 42 columns for 2 s: 600 ms of CPU time, 400 in files, 700 asleep, 50 for the GPU, 220 not seen; and 30 in the run
  // queue, too little for a column where it falls.
  CHECK(bars.find("|#############ffffffffsssssssssssssssg.....\n") != std::string::npos);
  for (const std::size_t width : {0, 20, 200}) {
    CHECK_FALSE(wall_bars(wait.subject(), {}, show::Terminal{.width = width, .unicode = true}).empty());
  }
}
