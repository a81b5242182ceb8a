#include "report/show/run/process_tree.hpp"

#include "tests/support/catch.hpp"
#include "tests/unit/support/show_run.hpp"

using namespace prof;

namespace {

// The processes of a run, and where each stands: "0 1.1 2.2" is process 1 below 0, and 2 below 1.
std::string text(const std::vector<show::ProcessRow>& rows) {
  std::string out;
  for (const show::ProcessRow& row : rows)
    out += (out.empty() ? "" : " ") + std::to_string(row.process) + "." + std::to_string(row.depth);
  return out;
}

// 0 makes 1 and 3; 1 makes 2; 3 becomes 4 by an exec, which makes 5.
void make_family(model::Run& run) {
  run.processes.assign(6, {});
  for (std::size_t i = 0; i < 6; ++i) run.processes[i].pid = static_cast<std::uint32_t>(100 + i);
  run.processes[1].parent = run.processes[3].parent = run.processes[4].parent = 0;
  run.processes[2].parent = 1;
  run.processes[4].previous_image = 3;
  run.processes[5].parent = 4;
}

}  // namespace

TEST_CASE("process tree: each process stands below who made it, and its images beside it", "[show]") {
  test::SmallRun small;
  make_family(small.run);
  CHECK(text(show::process_tree(small.subject())) == "0.0 1.1 2.2 3.1 4.1 5.2");
  small.run.processes[0].parent = 2;  // a ring, of a damaged log
  CHECK(show::process_tree(small.subject()).size() == 6);
}

TEST_CASE("process tree: the heaviest stay, and who made them", "[show]") {
  test::SmallRun small;
  make_family(small.run);
  small.run.processes[5].cpu_ns = 50;
  small.run.processes[1].cpu_ns = 10;
  std::vector<show::ProcessRow> rows = show::process_tree(small.subject());
  show::keep_heaviest(rows, small.run, 1);
  CHECK(text(rows) == "0.0 4.1 5.2");
  show::keep_heaviest(rows, small.run, 5);
  CHECK(rows.size() == 3);
}
