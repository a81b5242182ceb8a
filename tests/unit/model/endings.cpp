#include <chrono>
#include <fstream>
#include <thread>
#include <utility>

#include "report/model/endings.hpp"
#include "report/model/load.hpp"
#include "report/model/stragglers.hpp"
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

TEST_CASE("those that outlive the first process by a moment are waited for, others are not", "[model]") {
  TempDir proc;
  std::filesystem::create_directories(proc / "sys/kernel/random");
  std::filesystem::create_directories(proc / "77");
  std::ofstream(proc / "sys/kernel/random/boot_id") << "01020304-0506-0708-090a-0b0c0d0e0f10\n";
  std::ofstream(proc / "77/stat") << "77 (a) S 1 77 77 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4242 1 1\n";
  const model::Host here{proc.path(), 99 * kSecond};
  model::Run run;
  run.processes.resize(2);
  run.processes[0].pid = 70;
  run.processes[0].ending = Ending::Exit;
  run.processes[0].end_monotonic_ns = 99 * kSecond - 1000;
  model::Process& second = run.processes[1];
  second.pid = 77;
  second.start_ticks = 4242;
  for (std::uint8_t i = 0; i < 16; ++i) second.boot_id[i] = static_cast<std::uint8_t>(i + 1);
  second.ending = Ending::Running;
  const auto waited = [&](std::chrono::milliseconds longest) {
    const auto begin = std::chrono::steady_clock::now();
    const bool ended = model::wait_for_stragglers(run, here, longest);
    return std::pair(ended, std::chrono::steady_clock::now() - begin);
  };

  SECTION("it ends soon") {
    std::thread ends([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      std::filesystem::remove(proc / "77/stat");
    });
    const auto [ended, took] = waited(std::chrono::seconds(60));
    ends.join();
    CHECK(ended);
    CHECK(took >= std::chrono::milliseconds(30));
  }
  SECTION("it goes on living") {
    const auto [ended, took] = waited(std::chrono::milliseconds(30));
    CHECK_FALSE(ended);
    CHECK(took >= std::chrono::milliseconds(30));
  }
  SECTION("the first one ended long ago, or lives itself: nobody waits") {
    std::filesystem::remove(proc / "77/stat");
    run.processes[0].end_monotonic_ns = 90 * kSecond;
    CHECK_FALSE(waited(std::chrono::seconds(60)).first);
    run.processes[0].ending = Ending::Running;
    CHECK_FALSE(waited(std::chrono::seconds(60)).first);
  }
}
