#include <algorithm>
#include <fstream>
#include <map>
#include <stdexcept>
#include <utility>

#include "report/model/endings.hpp"
#include "report/model/link.hpp"
#include "report/model/load.hpp"
#include "report/model/loss_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof;
using model::Ending;
using test::LogBuilder;
using test::TempDir;

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;

LogBuilder log_of(std::uint32_t pid, std::uint64_t log_id, std::uint64_t start_s, std::uint32_t ppid = 1) {
  LogBuilder log;
  log.header.pid = pid;
  log.header.ppid = ppid;
  log.header.log_id = log_id;
  log.header.start_ticks = pid * 10;
  log.header.start_realtime_ns += start_s * kSecond;
  log.header.start_monotonic_ns += start_s * kSecond;
  log.header.end_monotonic_ns = log.header.last_monotonic_ns = log.header.start_monotonic_ns + 10 * kSecond;
  return log;
}

const model::Process& by_log(const model::Run& run, std::uint64_t log_id) {
  for (const model::Process& process : run.processes) {
    if (process.log_id == log_id) return process;
  }
  throw std::out_of_range("no such log");
}

std::uint64_t pid_of_parent(const model::Run& run, const model::Process& process) {
  return process.parent ? run.processes[*process.parent].pid : 0;
}

std::int64_t cpu_ns(const model::Process& process) {
  std::int64_t ns = 0;
  for (const auto& row : process.tree.cpu) ns += row.metric.ns;
  return ns;
}

std::string complaint_about(const std::filesystem::path& where) {
  try {
    model::load(where);
  } catch (const model::LoadError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a log that describes its records badly is read, with a warning", "[model]") {
  const TempDir dir;
  LogBuilder log = log_of(1, 11, 0);
  test::ByteVector schema;
  test::append_text(schema, "class 1 cpu: samples\n");
  log.chunk(log::ChunkType::Schema, schema);
  log.cpu(log.node(0, log.native(log.module("/bin/program"), 0x1000)), 3, 30);
  log.write(dir.path() / "1.1.proflog");
  const model::Run run = model::load(dir.path());
  REQUIRE(run.warnings.size() == 1);
  CHECK(
      run.warnings[0].ends_with("1.1.proflog is damaged: it has a description of its records that makes no sense. "
                                "What could be read is in the report"));
  CHECK(cpu_ns(run.processes.at(0)) == 30);
}

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

TEST_CASE("how a process ended is what its parent saw", "[model]") {
  TempDir dir;
  LogBuilder parent = log_of(10, 0xa, 0);
  const std::uint64_t later = parent.header.start_monotonic_ns + 20 * kSecond;
  parent.child(11, /*killed by*/ 9, later);
  parent.child(12, 3 << 8, later);
  parent.child(13, 11, later);
  parent.child(14, 0, parent.header.start_monotonic_ns - 5);  // an earlier process with that pid
  LogBuilder killed = log_of(11, 0xb, 1, 10), left = log_of(12, 0xc, 1, 10), crashed = log_of(13, 0xd, 1, 10),
             reused = log_of(14, 0xe, 1, 10);
  killed.header.end = left.header.end = reused.header.end = log::End::Running;
  parent.write(dir / "a.proflog");
  killed.write(dir / "b.proflog");
  left.write(dir / "c.proflog");
  crashed.write(dir / "d.proflog");
  reused.write(dir / "e.proflog");
  const model::Run run = model::load(dir.path());
  CHECK(by_log(run, 0xb).ending == Ending::Killed);
  CHECK(by_log(run, 0xb).exit_code == -9);
  CHECK(by_log(run, 0xb).end_monotonic_ns == later);
  CHECK(by_log(run, 0xc).ending == Ending::Exit);
  CHECK(by_log(run, 0xc).exit_code == 3);
  CHECK(by_log(run, 0xd).ending == Ending::Killed);  // in its exit handlers
  CHECK(by_log(run, 0xd).exit_code == -11);
  CHECK(by_log(run, 0xe).ending == Ending::Unknown);  // of another boot
  CHECK_FALSE(by_log(run, 0xe).exit_code);
}

TEST_CASE("a process runs if the very same one is alive", "[model]") {
  TempDir proc;
  std::filesystem::create_directories(proc / "sys/kernel/random");
  std::filesystem::create_directories(proc / "77");
  std::ofstream(proc / "sys/kernel/random/boot_id") << "01020304-0506-0708-090a-0b0c0d0e0f10\n";
  std::ofstream(proc / "77/stat") << "77 (a ) R 1) S 1 77 77 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4242 1 1\n";
  const model::Host here{proc.path(), 99 * kSecond};
  model::Process process;
  process.pid = 77;
  process.start_ticks = 4242;
  for (std::uint8_t i = 0; i < 16; ++i) process.boot_id[i] = static_cast<std::uint8_t>(i + 1);
  std::vector<model::Process> one{process};

  SECTION("it is") {
    model::settle_endings(one, here);
    CHECK(one[0].ending == Ending::Running);
    CHECK(one[0].end_monotonic_ns == 99 * kSecond);
    CHECK_FALSE(one[0].peak_rss_bytes);
  }
  SECTION("it has grown since its log says") {
    std::ofstream(proc / "77/status") << "Name:\ta\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n";
    one[0].peak_rss_bytes = 4096;
    model::settle_endings(one, here);
    CHECK(one[0].peak_rss_bytes == 2U << 20);
    CHECK(model::seen_to_its_end(one[0]));
  }
  SECTION("another process has its pid now") {
    one[0].start_ticks = 4241;
    model::settle_endings(one, here);
    CHECK(one[0].ending == Ending::Killed);
    CHECK_FALSE(one[0].exit_code);
  }
  SECTION("the machine was restarted") {
    one[0].boot_id[3] = 0;
    model::settle_endings(one, here);
    CHECK(one[0].ending == Ending::Unknown);
  }
  SECTION("a zombie does not run") {
    std::ofstream(proc / "77/stat") << "77 (a) Z 1 77 77 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4242 1 1\n";
    model::settle_endings(one, here);
    CHECK(one[0].ending == Ending::Killed);
  }
}

TEST_CASE("samples and unsampled time together are the CPU time", "[model]") {
  LogBuilder log = log_of(10, 0xa, 0);
  const auto node = log.node(0, log.native(log.module("/bin/a"), 0x10));
  log.cpu(node, 10, 700, 0);
  log.cpu(node, 3, 200, 1);
  log.thread(0).cpu_ns = 720;
  log.thread(1).cpu_ns = 150;  // its first sample stands for threads that had none
  TempDir dir;

  SECTION("some of it fell between the samples") {
    log.header.cpu_ns = 1000;
    log.write(dir / "a.proflog");
    const model::Run run = model::load(dir.path());
    const model::Process& process = run.processes[0];
    CHECK(cpu_ns(process) == 1000);
    CHECK(process.threads[1].cpu_ns == 150);
    const model::Tree& tree = process.tree;
    std::int64_t of_thread_0 = 0, of_none = 0;
    for (const auto& row : tree.cpu) {
      if (tree.frames[tree.nodes[row.node].frame].kind != model::Frame::Kind::Unsampled) continue;
      (row.slot == 0 ? of_thread_0 : of_none) += row.metric.ns;
      CHECK(row.metric.samples == 0);
    }
    CHECK(of_thread_0 == 20);
    CHECK(of_none == 80);
  }
  SECTION("the process was killed after its last look at the clock") {
    log.header.cpu_ns = 400;
    log.thread(1).cpu_ns = 200;
    log.write(dir / "a.proflog");
    const model::Run run = model::load(dir.path());
    CHECK(run.processes[0].cpu_ns == 900);
    CHECK(cpu_ns(run.processes[0]) == 900);
  }
  SECTION("more was estimated for threads without a sample than there was") {
    log.cpu(node, 1, 100, 1);
    log.header.cpu_ns = 910;
    log.write(dir / "a.proflog");
    const model::Run run = model::load(dir.path());
    CHECK(run.processes[0].cpu_ns == 910);
    CHECK(cpu_ns(run.processes[0]) == 910);
    std::map<std::uint32_t, std::int64_t> by_slot;
    for (const auto& row : run.processes[0].tree.cpu) by_slot[row.slot] += row.metric.ns;
    CHECK(by_slot == decltype(by_slot){{0, 700}, {1, 210}});
  }
}

// Catches reports in which what the profiler used itself is shown as the program's unknown.
TEST_CASE("CPU time of the profiler's own helpers and threads is its own, and not unsampled", "[model]") {
  LogBuilder log = log_of(10, 0xa, 0);
  const auto node = log.node(0, log.native(log.module("/bin/a"), 0x10));
  log.cpu(node, 10, 600, 0);
  log.thread(0).cpu_ns = 650;
  log.thread(0).agent_ns = 40;
  log.thread(1).cpu_ns = 30;
  log.thread(1).agent_ns = 5000;  // what was estimated is more than there was
  log.thread(1).flags = log::kThreadAgent | log::kThreadUnsampled;
  log.header.cpu_ns = 1000;
  log.header.helper_cpu_ns = 200;
  TempDir dir;
  log.write(dir / "a.proflog");
  const model::Run run = model::load(dir.path());
  const model::Process& process = run.processes[0];
  std::map<std::pair<model::Frame::Kind, std::uint32_t>, std::int64_t> rest;
  for (const auto& row : process.tree.cpu) {
    const model::Frame::Kind kind = process.tree.frames[process.tree.nodes[row.node].frame].kind;
    if (kind != model::Frame::Kind::Native) rest[{kind, row.slot}] += row.metric.ns;
  }
  using enum model::Frame::Kind;
  CHECK(rest == decltype(rest){{{Unsampled, 0}, 50},
                               {{Unsampled, model::kNoSlot}, 120},
                               {{Profiler, 1}, 30},
                               {{Profiler, model::kNoSlot}, 200}});
  CHECK(cpu_ns(process) == 1000);
  CHECK(process.threads[1].counters.agent_ns == 30);
  CHECK(run.totals.agent_ns == 40 + 30 + 200);
}

TEST_CASE("an image without a known predecessor has all the CPU time of its process", "[model]") {
  TempDir dir;
  LogBuilder log = log_of(10, 0xa, 0);
  log.header.start_cpu_ns = 4000;  // loading the program
  log.header.cpu_ns = 9000;
  log.write(dir / "a.proflog");
  CHECK(model::load(dir.path()).processes[0].cpu_ns == 9000);
}

TEST_CASE("bad logs become warnings and empty ones are counted", "[model]") {
  TempDir dir;
  log_of(10, 0xa, 0).write(dir / "a.proflog");
  std::ofstream(dir / "b.proflog") << "no log at all";
  std::ofstream(dir / "c.proflog").flush();
  std::filesystem::create_directory(dir / "d.proflog");
  LogBuilder future = log_of(11, 0xb, 0);
  future.header.major = 2;
  future.write(dir / "e.proflog");
  test::ByteVector cut = log_of(12, 0xc, 0).bytes();
  cut.resize(2000);
  LogBuilder::write(dir / "f.proflog", cut);
  const model::Run run = model::load(dir.path());
  CHECK(run.processes.size() == 1);
  CHECK(run.empty_logs == 1);
  CHECK(run.warnings.size() == 4);
  CHECK(run.unreadable_logs == 4);
}

TEST_CASE("a run without any usable log is an error that says why", "[model]") {
  TempDir dir;
  CHECK_THROWS_AS(model::load(dir.path()), model::LoadError);
  CHECK_THROWS_AS(model::load(dir / "missing"), model::LoadError);
  std::ofstream(dir / "c.proflog").flush();
  CHECK(complaint_about(dir.path()).find("every log is empty") != std::string::npos);
  std::ofstream(dir / "d.proflog") << "text";
  CHECK(complaint_about(dir.path()).find("d.proflog is not a log") != std::string::npos);
}

TEST_CASE("every loss and condition has a name of its own", "[model]") {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < log::kLossSlots; ++i) names.push_back(model::loss_name(i));
  const std::vector<std::string> conditions = model::condition_names(~0ULL);
  CHECK(conditions.size() == 64);
  names.insert(names.end(), conditions.begin(), conditions.end());
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
  CHECK(model::condition_names(log::kDiskFull) == std::vector<std::string>{"disk_full"});
  CHECK(model::condition_sentences(0).empty());
  CHECK(model::loss_name(static_cast<std::size_t>(log::Loss::LateAllocation)) == "late_allocation");
}

TEST_CASE("every loss and condition of the format has words", "[model]") {
  for (std::size_t i = 0; i < static_cast<std::size_t>(log::Loss::Count); ++i) {
    CHECK_FALSE(model::loss_name(i).starts_with("reason_"));
  }
  CHECK(model::loss_name(log::kLossSlots) == "reason_48");
  CHECK_FALSE(model::loss_text(log::kLossSlots).empty());
  CHECK(model::condition_sentences(log::kOwnOperatorNew).front() !=
        model::condition_names(log::kOwnOperatorNew).front());
}
