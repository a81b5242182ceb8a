// Other people's allocators: linked in, preloaded before and after the agent, or part of the program.
#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace fs = std::filesystem;

namespace {

std::string installed(const std::string& allocator) {
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"}) {
    for (const char* version : {".so", ".so.2", ".so.4"}) {
      const fs::path path = fs::path(folder) / ("lib" + allocator + version);
      if (fs::exists(path)) return path.string();
    }
  }
  return "";
}

void check_exact(const Command& with_allocator_none, const Command& with_allocator_full, const std::string& preload) {
  TempDir none, full;
  const Outcome alone = Command(with_allocator_full).run();
  REQUIRE(alone.ok());
  const Outcome a = Command(with_allocator_none).profiled(none / "run").set("LD_PRELOAD", preload).run();
  const Outcome b = Command(with_allocator_full).profiled(full / "run").set("LD_PRELOAD", preload).run();
  INFO(a);
  INFO(b);
  REQUIRE(a.ok());
  REQUIRE(b.ok());
  CHECK(b.out == alone.out);
  const Report before = Report::of(none / "run"), after = Report::of(full / "run");
  CHECK(after.allocations() - before.allocations() == alone.fact("allocations"));
  CHECK(after.allocated_bytes() - before.allocated_bytes() == alone.fact("bytes"));
  CHECK(after.frees() - before.frees() == alone.fact("frees"));
}

}  // namespace

// Catches agents that call glibc's malloc by its private name: blocks of one heap reach the other's free. And agents
// that expect operator new to come through malloc.
TEST_CASE("a program linked with a foreign allocator is counted exactly") {
  const std::string allocator = GENERATE(as<std::string>{}, "jemalloc", "tcmalloc");
  INFO(allocator);
  const std::string victim = "alloc_exact_" + allocator;
  if (!fs::exists(victim_path(victim))) return skip(allocator + " is not installed");
  check_exact(Command::victim(victim, {"0"}), Command::victim(victim, {"50000"}), agent_library().string());
}

TEST_CASE("an allocator preloaded behind the agent is counted exactly") {
  const std::string allocator = GENERATE(as<std::string>{}, "jemalloc", "tcmalloc");
  INFO(allocator);
  const std::string library = installed(allocator);
  if (library.empty()) return skip(allocator + " is not installed");
  check_exact(Command::victim("alloc_exact", {"0"}), Command::victim("alloc_exact", {"50000"}),
              agent_library().string() + ":" + library);
}

// Here malloc never reaches the agent; it must see that and say so, and not mix the heaps.
TEST_CASE("an allocator preloaded in front of the agent works, and the report knows that it hides the heap") {
  const std::string allocator = GENERATE(as<std::string>{}, "jemalloc", "tcmalloc");
  INFO(allocator);
  const std::string library = installed(allocator);
  if (library.empty()) return skip(allocator + " is not installed");
  TempDir temp;
  Command command = Command::victim("alloc_exact", {"300000"});
  const Outcome alone = Command(command).set("LD_PRELOAD", library).run();
  const Outcome run = command.profiled(temp / "run").set("LD_PRELOAD", library + ":" + agent_library().string()).run();
  INFO(run);
  REQUIRE(run.ok());
  CHECK(run.out == alone.out);
  const Report report = Report::of(temp / "run");
  CHECK(report.cpu_s() > 0);
  CHECK(report.section("heap").is_null());
  CHECK(report.section("loss").at("conditions") == Json::array({"heap_not_seen"}));
}

// Catches the loader asked what stands before us, which it does not tell of what the program was started with; and a
// start below the allocator's lock.
TEST_CASE("programs at a fixed address start behind any library, and behind an allocator with a lock") {
  const std::string front = GENERATE(as<std::string>{}, "plugin_locked_malloc.so", "plugin_locked_clock.so");
  const bool python = GENERATE(false, true);
  INFO(front << " before " << (python ? "python3" : "a victim"));
  TempDir temp;
  const Command victim = python ? Command({"/usr/bin/python3", "-c", "print(sum(len(str(i)) for i in range(300000)))"})
                                : Command::victim("takes_malloc");
  const std::string library = victim_path(front).string();
  const Outcome alone = Command(victim).set("LD_PRELOAD", library).run();
  const Outcome run =
      Command(victim).profiled(temp / "run").set("LD_PRELOAD", library + ":" + agent_library().string()).run();
  INFO(run);
  REQUIRE(alone.ok());
  REQUIRE(run.ok());
  CHECK(run.out == alone.out);
  const bool hidden = front == "plugin_locked_malloc.so";
  CHECK(Report::of(temp / "run").section("heap").is_null() == hidden);
}

TEST_CASE("a program with an allocator of its own keeps it") {
  TempDir temp;
  check_same(run_both_ways(Command::victim("own_malloc").set("PROF_CPU", "1000"), temp / "run"));
  CHECK(Report::of(temp / "run").cumtime("work") > 0.03);
}

// Catches samplers that allocate inside the allocator's locks, which jemalloc and tcmalloc do not forgive.
TEST_CASE("threads and forks over a foreign allocator survive sampling at 1 kHz") {
  const std::string allocator = GENERATE(as<std::string>{}, "jemalloc", "tcmalloc");
  INFO(allocator);
  const std::string library = installed(allocator);
  if (library.empty()) return skip(allocator + " is not installed");
  TempDir temp;
  const Outcome run = Command::victim("fork_storm", {"60"})
                          .profiled(temp / "run")
                          .set("PROF_CPU", "1000")
                          .set("PROF_HEAP", "sampled:32K")
                          .set("LD_PRELOAD", agent_library().string() + ":" + library)
                          .run();
  INFO(run);
  CHECK(run.ok());
  CHECK(Report::of(temp / "run").processes().size() == 61);
}
