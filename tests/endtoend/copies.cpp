// Copy volume, compared with programs that count what they copy.
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/log_file.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof;
using namespace prof::test;

namespace {

struct Copied {
  std::uint64_t copies, bytes;           // exact
  double sampled_copies, sampled_bytes;  // by context, added up
};

Copied copied(Command command) {
  TempDir temp;
  const Outcome run = command.profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const auto logs = logs_in(temp / "run");
  REQUIRE(logs.size() == 1);
  const LogFile file(logs[0]);
  Copied c{file.sum(&log::ThreadRecord::copies), file.sum(&log::ThreadRecord::copied_bytes), 0, 0};
  for (const auto& words : file.records<log::CopyWords>(log::RecordClass::Copy)) {
    c.sampled_copies += static_cast<double>(words.count) / static_cast<double>(log::kCountUnit);
    c.sampled_bytes += static_cast<double>(words.bytes);
  }
  return c;
}

}  // namespace

// Catches hooks of memcpy alone, counters that threads share, and wrappers that change what they wrap.
TEST_CASE("every member of the copy family is counted exactly and does what it always did") {
  const std::string function = GENERATE(as<std::string>{}, "memcpy", "memmove", "mempcpy", "memcpy_chk", "wmemcpy",
                                        "strcpy", "stpcpy", "strcpy_chk", "strncpy", "strncpy_chk", "strcat");
  INFO(function);
  const Outcome alone = Command::victim("copies", {function, "6000"}).run();
  INFO(alone);
  REQUIRE(alone.ok());
  const Copied none = copied(Command::victim("copies", {function, "0"}));
  const Copied full = copied(Command::victim("copies", {function, "6000"}));
  CHECK(full.copies - none.copies == static_cast<std::uint64_t>(alone.fact("copies")));
  CHECK(full.bytes - none.bytes == static_cast<std::uint64_t>(alone.fact("bytes")));
}

// Catches samples that are weighted by the interval, and an interval that depends on what is sampled. The standard
// error is 2.5 %.
TEST_CASE("copies by context add up to what was copied") {
  const Copied c = copied(Command::victim("copies", {"strcpy", "300000"}));
  REQUIRE(c.bytes > 3'000'000'000);
  CHECK(c.sampled_bytes == Approx(static_cast<double>(c.bytes)).epsilon(0.12));
  CHECK(c.sampled_copies == Approx(static_cast<double>(c.copies)).epsilon(0.12));
}

TEST_CASE("PROF_COPIES=off counts no copies and changes no outcome") {
  const Copied c = copied(Command::victim("copies", {"memmove", "1000"}).set("PROF_COPIES", "off"));
  CHECK(c.copies == 0);
  CHECK(c.sampled_bytes == 0);
}

// Catches a stack that is taken where there is none to take it on. Without ticks, which need a signal frame of their
// own.
TEST_CASE("a handler on the smallest stack may copy") {
  const Copied c = copied(Command::victim("handler_copies").set("PROF_CPU", "off"));
  CHECK(c.copies >= 2000);
  CHECK(c.sampled_bytes == Approx(2000.0 * (1 << 20)).epsilon(0.1));
}

// Catches wrappers that need relocation, thread-local storage or a look-up before they can copy.
TEST_CASE("copies work before the agent does") {
  TempDir temp;
  const std::string preload = agent_library().string() + ":" + victim_path("plugin_early_copies.so").string();
  for (const char* copies : {"on", "off"}) {
    const Outcome run = Command::victim("malloc_family", {"1"})
                            .profiled(temp / "run")
                            .set("LD_PRELOAD", preload)
                            .set("PROF_COPIES", copies)
                            .run();
    INFO(run);
    REQUIRE(run.ok());
    CHECK(run.fact("early") == 1);
  }
}
