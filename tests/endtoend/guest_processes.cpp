// Children that libc does not tell of, or that run in their parent's memory; processes that give up their rights.
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

void check_raw_child(const std::string& how) {
  INFO(how);
  TempDir temp;
  const BothWays both = run_both_ways(
      Command::victim("raw_fork", {how}).set("PROF_HEAP", "sampled:4K").set("PROF_CPU", "1000"), temp / "run");
  check_same_end(both);
  const Report report = Report::of(temp / "run");
  const std::vector<Json> images = report.images_of(both.with.pid);
  REQUIRE(images.size() == 1);
  CHECK(images[0].at("allocations").get<long>() >= 2000);
  CHECK(images[0].at("allocations").get<long>() < 5000);
  CHECK(images[0].at("cpu_s").get<double>() == Approx(0.06).margin(0.03));
  CHECK(images[0].at("end") == "exit");
  CHECK(images[0].at("exit_code") == 23);
  for (const Json& p : report.processes()) {
    if (p.at("pid").get<long>() == both.with.pid) continue;
    CHECK(p.at("pid").get<long>() == both.with.fact("child"));
    CHECK(p.at("ppid").get<long>() == both.with.pid);
    CHECK(p.at("allocations").get<long>() <= 50100);
  }
}

}  // namespace

// Catches what is read before the kernel can refuse it.
TEST_CASE("a program that passes nonsense to exec is told so") {
  TempDir temp;
  check_same(run_both_ways(Command::victim("exec_nonsense"), temp / "run"));
}

// Catches agents that rely on pthread_atfork: the child goes on counting in the mapping that it shares with its parent.
TEST_CASE("a child by _Fork() does not count in its parent's log") { check_raw_child("_Fork"); }
TEST_CASE("a child by the fork system call does not count in its parent's log") { check_raw_child("fork"); }
TEST_CASE("a child by the clone system call does not count in its parent's log") { check_raw_child("clone"); }
TEST_CASE("a child by clone() on a stack of its own does not count in its parent's log") {
  check_raw_child("clone-stack");
}

// Catches agents that note the end or the exec of a vfork child in the memory that it shares with its parent.
TEST_CASE("what vfork children do is not taken for their parent's doing") {
  TempDir temp;
  const BothWays both = run_both_ways(Command::victim("vfork_traps"), temp / "run");
  check_same(both);
  const Report report = Report::of(temp / "run");
  const std::vector<Json> images = report.images_of(both.with.pid);
  REQUIRE(images.size() == 1);
  CHECK((images[0].at("end") == "killed" || images[0].at("end") == "unknown"));
  CHECK(report.cumtime("main") > 0.08);
  CHECK(report.processes("vfork_traps").size() == 1);
}

// Catches agents that print a line, or fail, in each child that may not write where the run's logs are.
TEST_CASE("a process that gives up its rights goes on as alone") {
  if (getuid() != 0) return skip("needs root, to have rights to give up");
  TempDir temp;
  check_same(run_both_ways(Command::victim("drop_rights").set("PROF_HEAP", "sampled:16K").set("PROF_CPU", "1000"),
                           temp / "run"));
  CHECK(Report::of(temp / "run").cumtime("main") > 0.03);
}

// Catches agents that reach for their files by a path that means something else now.
TEST_CASE("a process that changes its root directory goes on as alone") {
  if (getuid() != 0) return skip("needs root, to change the root directory");
  TempDir temp;
  const auto jail = temp / "jail";
  std::filesystem::create_directory(jail);
  Command command =
      Command::victim("drop_rights", {jail.string()}).set("PROF_HEAP", "sampled:16K").set("PROF_CPU", "1000");
  check_same(run_both_ways(command, temp / "run"));
  CHECK(std::filesystem::is_empty(jail));
  CHECK(Report::of(temp / "run").cumtime("main") > 0.03);
}

// Catches agents that know a root directory by its number alone, which means nothing in another file system.
TEST_CASE("a jail on another file system may have the number of the root directory") {
  TempDir temp;
  const auto disk = temp / "disk";
  std::filesystem::create_directory(disk);
  // A mount of this process's own; others see nothing of it.
  if (unshare(CLONE_NEWNS) != 0 || mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("none", disk.c_str(), "tmpfs", 0, "size=64m") != 0) {
    return skip("no right to mount a small disk");
  }
  const auto number_of = [](const std::filesystem::path& directory) {
    struct stat st {};
    REQUIRE(stat(directory.c_str(), &st) == 0);
    return st.st_ino;
  };
  // Such a disk counts its files from 1.
  const auto wanted = number_of("/");
  std::filesystem::path jail = disk;
  for (int i = 0; i < 2000 && number_of(jail) != wanted; ++i) {
    jail = disk / std::to_string(i);
    std::filesystem::create_directory(jail);
  }
  if (number_of(jail) != wanted) return skip("the root directory's number is too large for a small disk");
  Command command = Command::victim("drop_rights", {jail.string()}).set("PROF_HEAP", "sampled:16K");
  check_same(run_both_ways(command, temp / "run"));
  CHECK(std::filesystem::is_empty(jail));
  CHECK(Report::of(temp / "run").cumtime("main") > 0.03);
  umount2(disk.c_str(), MNT_DETACH);
}

// Catches agents for which each mount namespace is a jail: their logs are where they were.
TEST_CASE("a child in a mount namespace of its own is recorded") {
  TempDir temp;
  const Outcome run = check_survives(Command::victim("mount_namespace"), temp / "run");
  if (run.fact("refused") != 0) return skip("no right to make a mount namespace");
  const std::string wanted = std::to_string(run.fact("pid")) + ".1.proflog";
  CHECK(std::filesystem::exists(temp / "run" / wanted));
}

// Catches file names by pid alone: every namespace has a process 1.
TEST_CASE("processes in pid namespaces of their own do not meet in one log") {
  TempDir temp;
  const std::string marker = victim_path("child_marker").string();
  const Command command = Command({"/usr/bin/unshare", "--pid", "--fork", marker, "a"});
  if (!Command(command).run().ok()) return skip("no right to make a pid namespace");
  const std::string script = "unshare --pid --fork " + marker + " a; unshare --pid --fork " + marker + " b";
  const Outcome run = Command({"/bin/sh", "-c", script}).profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const std::vector<Json> images = Report::of(temp / "run").processes("child_marker");
  REQUIRE(images.size() == 2);
  for (const Json& image : images) {
    CHECK(image.at("pid").get<long>() == 1);
    CHECK(image.at("cpu_s").get<double>() == Approx(0.03).margin(0.02));
    CHECK(image.at("allocations").get<long>() >= 1);
  }
}
