// Exact mode of the heap, compared with a program that keeps its own books, to the byte.
#include <algorithm>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

// The sum of a figure over the sites with a function of that name on their stack; of "largest_bytes" the maximum.
long long site_figure(const Report& report, const std::string& function, const std::string& figure) {
  long long out = 0;
  for (const Json& site : report.section("heap").at("sites")) {
    for (const Json& frame : site.at("stack")) {
      if (!is_function(frame.at("name").get<std::string>(), function)) continue;
      const auto value = site.at(figure).get<long long>();
      out = figure == "largest_bytes" ? std::max(out, value) : out + value;
      break;
    }
  }
  return out;
}

// What one process of heap_ledger says of itself against what the report says of it.
void check_books(const std::filesystem::path& run, const Json& books) {
  const Report report = Report::of(run, {"--pid", std::to_string(books.at("pid").get<long>())});
  const Json& heap = report.section("heap");
  CHECK(heap.at("mode") == "exact");
  for (const auto& [site, own] : books.at("sites").items()) {
    INFO(site << " in process " << books.at("pid"));
    REQUIRE(own.at("allocations").get<long long>() > 0);
    for (const char* figure :
         {"allocations", "allocated_bytes", "live_bytes", "reallocations", "moved_bytes", "largest_bytes"}) {
      INFO(figure);
      CHECK(site_figure(report, site, figure) == own.at(figure).get<long long>());
    }
    // Who tells temporary blocks by kind, as heaptrack does, takes a few more for such.
    const long long temporary = site_figure(report, site, "temporary");
    CHECK(temporary >= own.at("temporary").get<long long>());
    CHECK(temporary <= own.at("alike").get<long long>());
    const long long frees = site_figure(report, site, "allocations") - site_figure(report, site, "live_allocations");
    CHECK(frees == own.at("frees").get<long long>());
  }
  // What else lives in the process (the C++ runtime's reserve, threads' blocks) is less than 1 % of it.
  CHECK(heap.at("peak_bytes").get<double>() == Approx(books.at("peak").get<double>()).epsilon(0.01));
  // With the parent's blocks go a few that its threads had of libc.
  const auto foreign = heap.at("foreign_frees").get<long long>() - books.at("foreign").get<long long>();
  CHECK(foreign >= 0);
  CHECK(foreign <= 16);
}

// What heaptrack_print says of a file.
struct Heaptrack {
  long long allocations = 0, temporary = 0;
  double peak = 0, leaked = 0;  // bytes, rounded to what was printed
};

std::string line_of(const std::string& text, const std::string& beginning) {
  const std::size_t at = text.find("\n" + beginning);
  REQUIRE(at != std::string::npos);
  const std::size_t value = at + 1 + beginning.size();
  return text.substr(value, text.find_first_of(" \n", value) - value);
}

double bytes_of(const std::string& text) {
  std::size_t digits = 0;
  const double value = std::stod(text, &digits);
  switch (text.at(digits)) {
    case 'K':
      return value * 1e3;
    case 'M':
      return value * 1e6;
    default:
      return value;
  }
}

Heaptrack heaptrack_print(const std::filesystem::path& file) {
  const Outcome outcome = Command({"heaptrack_print", file.string()}).run();
  INFO(outcome);
  REQUIRE(outcome.ok());
  return {std::stoll(line_of(outcome.out, "calls to allocation functions: ")),
          std::stoll(line_of(outcome.out, "temporary memory allocations: ")),
          bytes_of(line_of(outcome.out, "peak heap memory consumption: ")),
          bytes_of(line_of(outcome.out, "total memory leaked: "))};
}

bool heaptrack_is_here() { return Command({"heaptrack", "--version"}).run().ok(); }

struct RecordedTwice {
  Heaptrack theirs, ours;
};

// What heaptrack makes of its own recording of a command, and of our export.
RecordedTwice recorded_twice(const std::vector<std::string>& argv) {
  TempDir temp;
  std::vector<std::string> under{"heaptrack", "-o", "./theirs"};  // it does not go into a path with blanks
  under.insert(under.end(), argv.begin(), argv.end());
  const Outcome theirs = Command(under).in(temp.path()).run();
  INFO(theirs);
  REQUIRE(theirs.ok());
  REQUIRE(Command(argv).profiled(temp / "run").set("PROF_HEAP", "exact").run().ok());
  const std::string file = (temp / "ours").string();
  REQUIRE(
      Command({prof_program().string(), "export", (temp / "run").string(), "-f", "heaptrack", "-o", file}).run().ok());
  std::filesystem::path recording;
  for (const auto& entry : std::filesystem::directory_iterator(temp.path())) {
    if (entry.path().filename().string().rfind("theirs.", 0) == 0) recording = entry.path();
  }
  return {heaptrack_print(recording), heaptrack_print(file)};
}

// heaptrack's own library brings the C++ runtime into each program. Its reserve is an allocation, of 72,704 bytes
// before GCC 13 and of 73,728 since then, which heaptrack records, frees at the end and takes for a temporary one.
constexpr int kItsOwn = 1;
constexpr double kItsOwnBytes = 72'704, kItsOwnBytesSince13 = 73'728;

void check_equal(const RecordedTwice& both) {
  CHECK(both.ours.allocations == both.theirs.allocations - kItsOwn);
  CHECK(both.ours.temporary == both.theirs.temporary - kItsOwn);
  CHECK(both.ours.leaked == both.theirs.leaked);
  const bool newer = both.theirs.peak - both.ours.peak > (kItsOwnBytes + kItsOwnBytesSince13) / 2;
  CHECK(both.ours.peak == Approx(both.theirs.peak - (newer ? kItsOwnBytesSince13 : kItsOwnBytes)).epsilon(0.005));
}

}  // namespace

// Catches: frees that are noted after the real free (another thread has the block by then), reallocations that lose
// the old block's context, entry points that are missed or counted twice, blocks freed by another thread, books that a
// forked child shares with its parent, temporary allocations told by age instead of by what came between, and peaks
// that are put together from peaks of threads.
TEST_CASE("exact heap figures agree with a program's own books to the byte, and in the peak within 1 %") {
  TempDir temp;
  const Outcome run =
      Command::victim("heap_ledger", {"40000"}).profiled(temp / "run").set("PROF_HEAP", "exact").limit(120).run();
  INFO(run.err);
  REQUIRE(run.ok());
  std::istringstream lines(run.out);
  int processes = 0;
  for (std::string line; std::getline(lines, line); ++processes) check_books(temp / "run", Json::parse(line));
  CHECK(processes == 2);
}

// Catches: another meaning of "temporary" than heaptrack's, reallocations that are no allocation or no free, exports
// whose made-up events heaptrack adds up to something else.
TEST_CASE("heaptrack's own recording and our export of a program without C++ come to the same figures") {
  if (!heaptrack_is_here()) return skip("heaptrack is not installed");
  const RecordedTwice both = recorded_twice({victim_path("heap_events").string(), "1000"});
  CHECK(both.ours.allocations == 14000);
  check_equal(both);
}

TEST_CASE("heaptrack's own recording and our export of real programs come to the same figures") {
  if (!heaptrack_is_here()) return skip("heaptrack is not installed");
  check_equal(recorded_twice({"/bin/ls", "-R", source_dir().string()}));
  check_equal(recorded_twice({"/bin/sed", "-n", "s/the/a/gp", "/usr/share/common-licenses/GPL-3"}));
}

TEST_CASE("exact mode counts what the malloc family does, to the byte") {
  TempDir temp;
  const auto measured = [&](const std::string& rounds) {
    const auto directory = temp / ("run" + rounds);
    const Outcome run = Command::victim("alloc_exact", {rounds}).profiled(directory).set("PROF_HEAP", "exact").run();
    INFO(run);
    REQUIRE(run.ok());
    const Report report = Report::of(directory);
    // All sites together are what the threads counted: nothing is without a context.
    long long allocations = 0, bytes = 0;
    for (const Json& site : report.section("heap").at("sites")) {
      allocations += site.at("allocations").get<long long>();
      bytes += site.at("allocated_bytes").get<long long>();
    }
    CHECK(allocations == report.allocations());
    CHECK(bytes == report.allocated_bytes());
    return report;
  };
  const Outcome alone = Command::victim("alloc_exact", {"100000"}).run();
  const Report none = measured("0");
  const Report full = measured("100000");
  CHECK(full.allocations() - none.allocations() == alone.fact("allocations"));
  CHECK(full.allocated_bytes() - none.allocated_bytes() == alone.fact("bytes"));
  CHECK(full.frees() - none.frees() == alone.fact("frees"));
}
