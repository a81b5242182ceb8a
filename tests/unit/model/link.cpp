#include "report/model/endings.hpp"
#include "report/model/load.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/support/logs_of_processes.hpp"

using namespace prof;
using model::Ending;
using test::by_log;
using test::kSecond;
using test::log_of;
using test::LogBuilder;
using test::TempDir;

namespace {

std::uint64_t pid_of_parent(const model::Run& run, const model::Process& process) {
  return process.parent ? run.processes[*process.parent].pid : 0;
}

}  // namespace

TEST_CASE("a forked child that execs is one process with two images", "[model]") {
  TempDir dir;
  LogBuilder shell = log_of(10, 0xa, 0), fork_image = log_of(11, 0xb, 1, 10), exec_image = log_of(11, 0xc, 2, 10);
  fork_image.header.origin = log::Origin::Forked;
  fork_image.header.parent_log_id = 0xa;
  fork_image.header.end = log::End::Execed;
  fork_image.header.cpu_ns = 3 * kSecond;
  exec_image.header.start_cpu_ns = 3 * kSecond + 1000;
  exec_image.header.cpu_ns = 5 * kSecond;
  exec_image.header.exit_code = 2;
  shell.write(dir / "10.0.proflog");
  exec_image.write(dir / "11.1.proflog");
  fork_image.write(dir / "11.0.proflog");
  const model::Run run = model::load(dir.path());

  REQUIRE(run.processes.size() == 3);
  CHECK(run.process_count() == 2);
  const model::Process &first = by_log(run, 0xb), &second = by_log(run, 0xc);
  CHECK(pid_of_parent(run, first) == 10);
  CHECK(pid_of_parent(run, second) == 10);
  CHECK(first.ending == Ending::Exec);
  CHECK(second.ending == Ending::Exit);
  CHECK(second.image == 1);
  REQUIRE(second.previous_image);
  CHECK(run.processes[*second.previous_image].log_id == 0xb);
  CHECK(first.cpu_ns == 3 * kSecond);
  CHECK(second.cpu_ns == 2 * kSecond);
  CHECK(run.cpu_ns == 5 * kSecond);
  CHECK(run.wall_ns == 12 * kSecond);
}

TEST_CASE("parents are found by log id, and by pid where the child does not know it", "[model]") {
  TempDir dir;
  log_of(10, 0xa, 0).write(dir / "a.proflog");
  LogBuilder orphan = log_of(12, 0xb, 1, /*ppid=*/1);  // re-parented before its agent looked
  orphan.header.parent_log_id = 0xa;
  orphan.write(dir / "b.proflog");
  log_of(13, 0xc, 2, /*ppid=*/12).write(dir / "c.proflog");  // spawned
  log_of(14, 0xd, 3, /*ppid=*/999).write(dir / "d.proflog");
  const model::Run run = model::load(dir.path());
  CHECK(pid_of_parent(run, by_log(run, 0xb)) == 10);
  CHECK(pid_of_parent(run, by_log(run, 0xc)) == 12);
  CHECK_FALSE(by_log(run, 0xd).parent);
}

TEST_CASE("processes that claim to be each other's parents end in no circle", "[model]") {
  TempDir dir;
  LogBuilder a = log_of(10, 0xa, 0, 11), b = log_of(11, 0xb, 0, 10);
  a.header.parent_log_id = 0xb;
  b.header.parent_log_id = 0xa;
  a.write(dir / "a.proflog");
  b.write(dir / "b.proflog");
  const model::Run run = model::load(dir.path());
  CHECK_FALSE(by_log(run, 0xa).parent);
  CHECK(by_log(run, 0xb).parent);
}

TEST_CASE("a pid that was used twice is two processes", "[model]") {
  TempDir dir;
  LogBuilder first = log_of(10, 0xa, 0), second = log_of(10, 0xb, 50);
  second.header.start_ticks = 4321;
  first.write(dir / "a.proflog");
  second.write(dir / "b.proflog");
  const model::Run run = model::load(dir.path());
  CHECK(run.process_count() == 2);
  CHECK_FALSE(by_log(run, 0xb).previous_image);
}
