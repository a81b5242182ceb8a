// Heap figures, compared with programs that keep their own ledger.
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

struct Figures {
  long long allocations, bytes, frees;
};

Figures measured(Command command) {
  TempDir temp;
  const Outcome run = command.profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  return {report.allocations(), report.allocated_bytes(), report.frees()};
}

// What the rounds of a victim allocated: its run less a run that does everything else. And what it says itself.
void check_exact(const std::string& victim, const std::string& rounds, const std::string& heap = "sampled") {
  const Outcome alone = Command::victim(victim, {rounds}).run();
  REQUIRE(alone.ok());
  const Figures none = measured(Command::victim(victim, {"0"}).set("PROF_HEAP", heap));
  const Figures full = measured(Command::victim(victim, {rounds}).set("PROF_HEAP", heap));
  CHECK(full.allocations - none.allocations == alone.fact("allocations"));
  CHECK(full.bytes - none.bytes == alone.fact("bytes"));
  CHECK(full.frees - none.frees == alone.fact("frees"));
}

// Sites of 768 and 256 MiB. With a sample every 16 KiB on average the smaller one's standard error is below 1 %.
constexpr char kFine[] = "sampled:16K";
constexpr double kFineError = 0.03;
// The default interval depends on how busy the machine is.
constexpr char kDefault[] = "sampled";
constexpr double kDefaultError = 0.03;

void check_live(const std::string& sizes, const std::string& heap, double error) {
  TempDir temp;
  const Outcome run = Command::victim("live_bytes", {sizes}).profiled(temp / "run").set("PROF_HEAP", heap).run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  CHECK(report.site_sum("site_three", "live_bytes") == Approx(run.fact("three")).epsilon(error));
  CHECK(report.site_sum("site_one", "live_bytes") == Approx(run.fact("one")).epsilon(error));
}

}  // namespace

// Catches shared counters without atomic updates, and double counts where one allocator function calls another.
TEST_CASE("2,000,000 allocations over four threads are counted exactly, to the byte") {
  check_exact("alloc_exact", "500000");
}
TEST_CASE("allocations are counted exactly when every few bytes are sampled") {
  check_exact("alloc_exact", "20000", "sampled:1K");
}

// Catches hooks of malloc and free alone: glibc's other members do not come through them, and failures are none.
TEST_CASE("every member of the malloc family is counted once, failures are not") {
  TempDir temp;
  const Outcome alone = Command::victim("malloc_family", {"10"}).run();
  INFO(alone);
  REQUIRE(alone.ok());
  const Outcome with = Command::victim("malloc_family", {"10"}).profiled(temp / "run").run();
  INFO(with);
  REQUIRE(with.ok());
  const Report full = Report::of(temp / "run");
  const Figures none = measured(Command::victim("malloc_family", {"0"}));
  // Each of its std::bad_alloc is an allocation and a free of the C++ runtime; the runtime's own nothrow new may throw
  // one too.
  const long long thrown = full.allocations() - none.allocations - with.fact("allocations");
  CHECK((thrown == with.fact("rounds") || thrown == 2 * with.fact("rounds")));
  CHECK(full.frees() - none.frees == with.fact("frees") + thrown);
  const long long bytes_thrown = full.allocated_bytes() - none.bytes - with.fact("bytes");
  CHECK(bytes_thrown % thrown == 0);
  CHECK(bytes_thrown / thrown > 64);
  CHECK(bytes_thrown / thrown < 256);
}

// Catches biased estimates: weighting a sample by the interval, or correcting the sum instead of each sample.
TEST_CASE("1 GiB of equal blocks in two sites 3:1 comes out within 3 % each") {
  check_live("equal", kFine, kFineError);
}
TEST_CASE("1 GiB of blocks of many sizes in two sites 3:1 comes out within 3 % each") {
  check_live("mixed", kFine, kFineError);
}
TEST_CASE("1 GiB in two sites 3:1 comes out right at default options") {
  const std::string sizes = GENERATE(as<std::string>{}, "equal", "mixed");
  check_live(sizes, kDefault, kDefaultError);
}

// Catches frees that are booked where they happen instead of where the block came from, and peaks taken at the end.
TEST_CASE("freed blocks leave the live bytes of their site and stay in its peak") {
  TempDir temp;
  const Outcome run =
      Command::victim("live_bytes", {"mixed", "free"}).profiled(temp / "run").set("PROF_HEAP", kFine).run();
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  CHECK(std::abs(report.site_sum("site_three", "live_bytes")) < 0.001 * static_cast<double>(run.fact("three")));
  CHECK(report.site_sum("site_one", "live_bytes") == Approx(run.fact("one")).epsilon(kFineError));
  CHECK(report.site_sum("site_three", "peak_bytes") == Approx(run.fact("three")).epsilon(kFineError));
  CHECK(report.section("heap").at("peak_bytes").get<double>() ==
        Approx(static_cast<double>(run.fact("three") + run.fact("one"))).epsilon(kFineError));
}

// Catches agents that take munmap for the inverse of one mmap, and reserved addresses for memory.
TEST_CASE("mappings are accounted as their own kind, in parts too") {
  constexpr double kMiB = 1 << 20;
  TempDir temp;
  const Outcome run = Command::victim("map_family").profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  CHECK(report.site_sum("map_holes", "live_bytes", "mappings") == Approx(40 * kMiB));
  CHECK(report.site_sum("map_resize", "live_bytes", "mappings") == Approx(32 * kMiB));
  CHECK(report.site_sum("map_over", "live_bytes", "mappings") == Approx(24 * kMiB));
  CHECK(report.site_sum("map_nothing", "live_bytes", "mappings") == Approx(0).margin(1));
  CHECK(report.site_sum("map_moved", "live_bytes", "mappings") == Approx(0).margin(1));
  CHECK(report.site_sum("map_reserved", "live_bytes", "mappings") == Approx(6 * kMiB));
  CHECK(report.site_sum("map_reserved", "allocated_bytes", "mappings") == Approx(8 * kMiB));
  CHECK(report.site_sum("map_failures", "allocated_bytes", "mappings") == Approx(0).margin(1));
}

TEST_CASE("PROF_HEAP=off records no heap and changes no outcome") {
  TempDir temp;
  const Outcome alone = Command::victim("alloc_exact", {"1000"}).run();
  const Outcome run = Command::victim("alloc_exact", {"1000"}).profiled(temp / "run").set("PROF_HEAP", "off").run();
  CHECK(run.out == alone.out);
  CHECK(run.exit_code == 0);
  if (!logs_in(temp / "run").empty()) {
    const Report report = Report::of(temp / "run");
    const Json& heap = report.section("heap");
    CHECK((heap.is_null() || heap.at("sites").is_null() || heap.at("sites").empty()));
  }
}
