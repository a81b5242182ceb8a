// Where the agent cannot do what it wants: no room, no right, no file.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace fs = std::filesystem;

namespace {

std::function<void()> with_limit(int resource, rlim_t value) {
  return [=] {
    const rlimit limit{value, value};
    setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
  };
}

// The pending signals of this user, in all processes.
rlim_t pending_signals() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("SigQ:")) return std::stoul(line.substr(5));
  }
  return 0;
}

// What a container's seccomp profile does: a few calls are answered with EPERM.
std::function<void()> without_calls(std::vector<int> calls) {
  return [calls = std::move(calls)] {
    std::vector<sock_filter> program{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
    for (int call : calls) {
      program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
      program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1));
    }
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
      _exit(126);
  };
}

void as_nobody() {
  if (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0) _exit(126);
}

}  // namespace

// Catches sparse files in mappings: the store that finds no room is SIGBUS in the host.
TEST_CASE("a full disk stops the recording, not the program") {
  TempDir temp;
  const fs::path disk = temp / "disk";
  fs::create_directory(disk);
  const std::string size = GENERATE(as<std::string>{}, "4k", "32k", "128k", "512k");
  INFO("a disk of " << size);
  // A mount of this process's own; others see nothing of it.
  if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("none", disk.c_str(), "tmpfs", 0, ("size=" + size).c_str()) != 0) {
    return skip("no right to mount a small disk");
  }
  Command command = Command::victim("limits", {"plain"});
  command.set("PROF_HEAP", "sampled:16K").set("PROF_CPU", "1000");
  const BothWays both = run_both_ways(command, disk / "run");
  check_same(both);
  const Outcome read = report_outcome(disk / "run");
  INFO(read);
  CHECK((read.exit_code == 0 || read.exit_code == 1));
  if (size == "512k") CHECK(read.exit_code == 0);
  umount2(disk.c_str(), MNT_DETACH);
}

// Catches agents that grow their file beyond the host's limit: the signal for that kills.
TEST_CASE("a limit on file sizes hits only the files of the program") {
  const unsigned long kib = GENERATE(1UL, 16UL, 64UL, 200UL, 1000UL);
  INFO("RLIMIT_FSIZE of " << kib << " KiB");
  TempDir temp;
  const Command command = Command::victim("limits", {"file", (temp / "own").string()})
                              .set("PROF_HEAP", "sampled:16K")
                              .set("PROF_CPU", "1000")
                              .before_exec(with_limit(RLIMIT_FSIZE, kib * 1024));
  check_same(run_both_ways(command, temp / "run"));
}

// Catches agents that reserve address space as if there were no end of it.
TEST_CASE("a program that needs most of its address space still gets it") {
  TempDir temp;
  const Command command =
      Command::victim("limits", {"memory"}).set("PROF_CPU", "1000").before_exec(with_limit(RLIMIT_AS, 1UL << 30));
  check_same(run_both_ways(command, temp / "run"));
  CHECK(Report::of(temp / "run").cumtime("main") > 0.05);
}

// Catches logs whose mapping takes what the program was to have.
TEST_CASE("a program has most of a small limit on address space") {
  const std::string heap = GENERATE(as<std::string>{}, "sampled", "exact");
  TempDir temp;
  const Command command = Command({"/usr/bin/python3", "-c", "print(len(bytearray(90 << 20)))"})
                              .set("PROF_HEAP", heap)
                              .before_exec(with_limit(RLIMIT_AS, 150'000UL << 10));
  check_same(run_both_ways(command, temp / "run"));
}

TEST_CASE("no descriptors, no processes, no locked memory: the program runs as alone") {
  const int resource = GENERATE(as<int>{}, RLIMIT_NOFILE, RLIMIT_MEMLOCK, RLIMIT_SIGPENDING);
  TempDir temp;
  const rlim_t least = resource == RLIMIT_NOFILE ? 4 : 0;
  const Command command = Command::victim("limits", {"plain"}).before_exec(with_limit(resource, least));
  check_same(run_both_ways(command, temp / "run"));
}

// Catches agents with a timer for each thread, which take the user's pending signals to the last one.
TEST_CASE("a program of many threads has timers and signals where few may be pending") {
  TempDir temp;
  const Command command =
      Command::victim("pending_signals").before_exec(with_limit(RLIMIT_SIGPENDING, pending_signals() + 250));
  check_same(run_both_ways(command, temp / "run"));
  const Report report = Report::of(temp / "run");
  CHECK(report.cumtime("main") > 0.02);  // the main thread was among the first
}

// Catches agents whose ticks come by perf events: where none can be pending the kernel sends SIGIO, which kills.
TEST_CASE("a program that may have hardly any pending signals lives on at 1 kHz") {
  const rlim_t most = GENERATE(rlim_t{0}, rlim_t{20}, rlim_t{1000});
  TempDir temp;
  const Command command = Command::victim("burn_shares", {"300"}).before_exec(with_limit(RLIMIT_SIGPENDING, most));
  check_same_end(run_both_ways(Command(command).set("PROF_CPU", "1000"), temp / "run"));
}

// Catches agents that look at that limit once.
TEST_CASE("a program that lowers its limit of pending signals lives on at 1 kHz") {
  const char* way =
      GENERATE("setrlimit", "setrlimit64", "prlimit", "prlimit64", "of a thread", "by number", "by its old number");
  INFO("by " << way);
  TempDir temp;
  const Command command = Command::victim("lower_limit", {way});
  check_same(run_both_ways(Command(command).set("PROF_CPU", "1000"), temp / "run"));
  CHECK(Report::of(temp / "run").cumtime("main") > 0.07);  // sampled before and after: 60 ms at most are on either side
}

// Catches agents that fail, or hang, or print a line for every process.
TEST_CASE("a run directory that cannot be made costs one line on stderr") {
  const std::string where = GENERATE(as<std::string>{}, "/proc/nowhere/run", "/dev/null/run", "/sys/run");
  TempDir temp;
  const BothWays both = run_both_ways(Command({"/bin/sh", "-c", "/bin/echo a; /bin/ls / | wc -l; exit 4"}), where);
  check_same(both);
}

TEST_CASE("a directory without write permission costs one line on stderr") {
  if (getuid() != 0) return skip("needs root, to become somebody else");
  TempDir temp;
  fs::permissions(temp.path(), fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
  const Command command = Command::victim("limits", {"plain"}).before_exec(as_nobody);
  const BothWays both = run_both_ways(command, temp / "run");
  check_same(both);
  CHECK_FALSE(fs::exists(temp / "run"));
  CHECK(both.with.error_lines().size() == 1);
}

// Catches agents to which a directory without a path is the root directory, where root may write.
TEST_CASE("a program in a directory that was removed leaves nothing in the root directory") {
  const bool asked = GENERATE(false, true);
  TempDir temp;
  fs::create_directory(temp / "gone");
  // The shell is not recorded: the run begins where there is no directory any more.
  const std::string script = "cd " + (temp / "gone").string() +
                             " && rmdir ../gone && exec env LD_PRELOAD=" + agent_library().string() +
                             (asked ? " PROF_OUT=never-at-the-root " : " ") + victim_path("limits").string() + " plain";
  const Command command({"/bin/sh", "-c", script});
  const Outcome run = command.run();
  INFO(run);
  CHECK(run.out == "done\n");
  CHECK_FALSE(fs::exists("/never-at-the-root"));
  for (const auto& entry : fs::directory_iterator("/")) {
    CHECK_FALSE(entry.path().filename().string().starts_with("prof-2"));
  }
  const std::vector<std::string> lines = run.error_lines();
  REQUIRE(lines.size() == 1);
  const std::string begin = asked ? "libprof: nothing is recorded: " : "libprof: logs go to /tmp/prof-";
  CHECK(lines[0].starts_with(begin));
  if (asked) return;
  const std::string place = lines[0].substr(std::string("libprof: logs go to ").size());
  const fs::path directory = place.substr(0, place.find(':'));
  CHECK(Report::of(directory).cumtime("main") > 0.05);
  fs::remove_all(directory);
}

// Catches files that grow by a path which is no longer theirs.
TEST_CASE("a log directory that is removed while the program runs is no matter to it") {
  TempDir temp;
  Running running = Command::victim("limits", {"plain"})
                        .profiled(temp / "run")
                        .set("PROF_CPU", "1000")
                        .set("PROF_HEAP", "sampled:16K")
                        .start();
  wait_until([&] { return !logs_in(temp / "run").empty(); }, 5);
  fs::remove_all(temp / "run");
  const Outcome run = running.wait();
  INFO(run);
  CHECK(run.ok());
  CHECK(run.out == "done\n");
  CHECK(run.error_lines().size() <= 1);
}

// Catches agents that give up, or worse, where a container allows less.
TEST_CASE("a container's seccomp profile takes perf events or timers away") {
  const bool timers_too = GENERATE(false, true);
  TempDir temp;
  std::vector<int> calls{SYS_perf_event_open};
  if (timers_too) calls.push_back(SYS_timer_create);
  const Outcome run = Command::victim("burn_shares", {"600"})
                          .profiled(temp / "run")
                          .set("PROF_CPU", "1000")
                          .before_exec(without_calls(calls))
                          .run();
  INFO(run);
  REQUIRE(run.ok());
  CHECK(run.error_lines().size() <= 1);
  const Report report = Report::of(temp / "run");
  const double cpu = static_cast<double>(run.fact("cpu_ns")) * 1e-9;
  CHECK(report.tottime_of_all() == Approx(cpu).epsilon(0.02));
  if (!timers_too) CHECK(report.cumtime("main") > 0.9 * cpu);
}

// Catches walks that end at the first frame of any stack but the thread's own.
TEST_CASE("a container's seccomp profile forbids to read memory by system call") {
  TempDir temp;
  const Outcome run = Command::victim("coroutines")
                          .profiled(temp / "run")
                          .set("PROF_CPU", "1000")
                          .before_exec(without_calls({SYS_process_vm_readv}))
                          .run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  const double handled_s = report.tottime("on_alternate_stack");
  CHECK(handled_s > 0.05);
  CHECK(report.cumtime("main") > 0.9 * handled_s);
}

// Catches logs without a bound.
TEST_CASE("a log stays within PROF_LOG_MAX and says what it left out") {
  TempDir temp;
  const Outcome run = check_survives(Command::victim("limits", {"plain"})
                                         .set("PROF_LOG_MAX", "1M")
                                         .set("PROF_HEAP", "sampled:1K")
                                         .set("PROF_CPU", "1000"),
                                     temp / "run");
  REQUIRE(logs_in(temp / "run").size() == 1);
  CHECK(fs::file_size(logs_in(temp / "run")[0]) <= 1 << 20);
  CHECK(Report::of(temp / "run").allocations() >= 20000);
}

TEST_CASE("a system without libunwind costs the stacks, not the figures") {
  TempDir temp;
  const Outcome run =
      check_survives(Command::victim("burn_shares", {"300"}).set("PROF_UNWINDER", "/does/not/exist.so"), temp / "run");
  const Report report = Report::of(temp / "run");
  CHECK(report.cpu_s() == Approx(static_cast<double>(run.fact("cpu_ns")) * 1e-9).epsilon(0.05));
}

// Catches mappings of address space that become memory when the host locks all it has.
TEST_CASE("a program that locks all its memory locks hardly more") {
  if (getuid() != 0) return skip("needs root, to lock memory without limit");
  TempDir temp;
  const BothWays both = run_both_ways(Command::victim("locked_memory"), temp / "run");
  CHECK(both.with.exit_code == 0);
  CHECK(both.with.out == both.alone.out);
  CHECK(both.with.usage.ru_maxrss - both.alone.usage.ru_maxrss < 24 << 10);  // KiB
  CHECK(Report::of(temp / "run").cumtime("main") > 0.04);
}

// Catches agents that call the kernel where the host has sworn not to: the answer is SIGKILL.
TEST_CASE("a program that shuts itself in by seccomp lives on") {
  TempDir temp;
  const BothWays both =
      run_both_ways(Command::victim("sandboxed").set("PROF_CPU", "1000").set("PROF_HEAP", "sampled:16K"), temp / "run");
  check_same(both);
  CHECK(Report::of(temp / "run").cumtime("main") > 0.03);
}

// Catches threads that are inside of the agent, or about to be, when the program shuts all of them in.
TEST_CASE("a program that restricts the system calls of all threads lives on") {
  const std::string rate = GENERATE(as<std::string>{}, "99", "2000");
  for (int round = 0; round < 6; ++round) {
    TempDir temp;
    const BothWays both = run_both_ways(Command::victim("sandboxed_threads").set("PROF_CPU", rate), temp / "run");
    check_same(both);
    CHECK(Report::of(temp / "run").section("loss").at("conditions") == Json::array({"sandboxed"}));
  }
}

// Catches logs that are streams of events.
TEST_CASE("a run ten times as long leaves a log of the same size") {
  TempDir temp;
  check_survives(Command::victim("burn_shares", {"400"}).set("PROF_CPU", "1000"), temp / "short");
  check_survives(Command::victim("burn_shares", {"4000"}).set("PROF_CPU", "1000"), temp / "long");
  CHECK(static_cast<double>(disk_bytes(temp / "long")) <= 1.2 * static_cast<double>(disk_bytes(temp / "short")));
}

// Catches agents that read the time-stamp counter, or clocks of libc's that do, where the program gave it up: it is
// killed for that.
TEST_CASE("a program that gives up the time-stamp counter lives on") {
  const bool by_number = GENERATE(false, true);
  TempDir temp;
  Command command = by_number ? Command::victim("no_counter", {"number"}) : Command::victim("no_counter");
  check_same(run_both_ways(command.set("PROF_CPU", "1000").set("PROF_HEAP", "sampled:16K"), temp / "run"));
  CHECK(Report::of(temp / "run").cumtime("work") > 0.005);
}
