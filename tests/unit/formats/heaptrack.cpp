#include "report/formats/heaptrack.hpp"

#include <algorithm>
#include <map>
#include <sstream>

#include "report/formats/blocks.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/heap_run.hpp"

using namespace prof;
using formats::Blocks;

namespace {

// What heaptrack 1.4 makes of a file: its own rules of accounting, in a few lines.
class Accounting {
 public:
  explicit Accounting(const std::string& file) {
    std::istringstream lines(file);
    for (std::string line; std::getline(lines, line); ++line_count) read(line);
    REQUIRE_FALSE(header.empty());
  }

  struct Figures {
    std::int64_t allocations = 0, temporary = 0, leaked = 0, peak = 0;
    bool operator==(const Figures&) const = default;
  };
  Figures total;
  std::map<std::string, Figures> sites;  // by the stack's names, outermost first
  std::int64_t peak_ms = -1, end_ms = 0, peak_rss = 0;
  std::string header, command;
  std::size_t line_count = 0;

 private:
  struct Kind {
    std::int64_t size;
    std::string stack;
  };

  void read(const std::string& line) {
    std::istringstream rest(line.substr(std::min<std::size_t>(2, line.size())));
    rest >> std::hex;
    std::uint64_t a = 0, b = 0, c = 0;
    switch (line.at(0)) {
      case 'v':
        header = line;
        break;
      case 'X':
        command = line.substr(2);
        break;
      case 's': {
        REQUIRE(rest >> a);
        const std::string text = line.substr(line.find(' ', 2) + 1);
        REQUIRE(text.size() == a);
        strings_.push_back(text);
        break;
      }
      case 'i':
        REQUIRE(rest >> a >> b >> c);
        REQUIRE(b <= strings_.size());
        REQUIRE((c >= 1 && c <= strings_.size()));
        places_.push_back(strings_[c - 1]);
        break;
      case 't':
        REQUIRE(rest >> a >> b);
        REQUIRE((a >= 1 && a <= places_.size()));
        REQUIRE(b <= traces_.size());
        traces_.push_back((b == 0 ? "" : traces_[b - 1] + ";") + places_[a - 1]);
        break;
      case 'a':
        REQUIRE(rest >> a >> b);
        REQUIRE((b >= 1 && b <= traces_.size()));
        kinds_.push_back({static_cast<std::int64_t>(a), traces_[b - 1]});
        break;
      case '+':
        REQUIRE(rest >> a);
        allocate(a);
        break;
      case '-':
        REQUIRE(rest >> a);
        release(a);
        break;
      case 'c':
        REQUIRE(rest >> a);
        CHECK(static_cast<std::int64_t>(a) >= end_ms);
        end_ms = static_cast<std::int64_t>(a);
        break;
      case 'R':
        REQUIRE(rest >> a);
        peak_rss = std::max(peak_rss, static_cast<std::int64_t>(a));
        break;
      default:
        CHECK(line.at(0) == 'I');
    }
  }

  void allocate(std::uint64_t kind) {
    REQUIRE(kind < kinds_.size());
    Figures& site = sites[kinds_[kind].stack];
    ++site.allocations;
    ++total.allocations;
    site.leaked += kinds_[kind].size;
    total.leaked += kinds_[kind].size;
    last_ = kind;
    if (total.leaked <= total.peak) return;
    total.peak = total.leaked;
    peak_ms = end_ms;
    for (auto& [stack, each] : sites) each.peak = each.leaked;
  }
  void release(std::uint64_t kind) {
    REQUIRE(kind < kinds_.size());
    Figures& site = sites[kinds_[kind].stack];
    site.leaked -= kinds_[kind].size;
    total.leaked -= kinds_[kind].size;
    if (last_ == kind) {
      ++site.temporary;
      ++total.temporary;
    }
    last_ = 0;
  }

  std::vector<std::string> strings_, places_, traces_;
  std::vector<Kind> kinds_;
  std::uint64_t last_ = 0;
};

std::string exported(const test::HeapRun& run, const formats::HeaptrackOptions& options = {}, std::uint64_t scale = 1) {
  std::string out;
  const formats::HeaptrackResult result =
      formats::heaptrack(run.subject(), 0, options, [&out](std::string_view piece) { out += piece; });
  CHECK(result.any);
  CHECK(result.scale == scale);
  return out;
}

model::MemoryMetric memory(std::int64_t allocations, std::int64_t bytes, std::int64_t live, std::int64_t live_bytes,
                           std::int64_t peak_bytes, std::int64_t temporary = 0) {
  model::MemoryMetric out;
  out.count_units = allocations * static_cast<std::int64_t>(log::kCountUnit);
  out.freed_units = (allocations - live) * static_cast<std::int64_t>(log::kCountUnit);
  out.bytes = bytes;
  out.freed_bytes = bytes - live_bytes;
  out.peak_bytes = peak_bytes;
  out.temporary = temporary;
  return out;
}

}  // namespace

TEST_CASE("heaptrack: its accounting arrives at our counters, for each stack") {
  const test::HeapRun run;
  const Accounting read(exported(run));
  CHECK(read.header == "v 10400 3");
  CHECK(read.command == "./work");
  CHECK(read.total == Accounting::Figures{65, 30, 1200, 1400});
  for (const test::HeapFigures& of : test::kHeapFigures) {
    char stack[64];
    std::snprintf(stack, sizeof stack, "work+0x100;work+0x%llx", static_cast<unsigned long long>(of.address));
    INFO(stack);
    REQUIRE(read.sites.contains(stack));
    const auto wide = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
    CHECK(read.sites.at(stack) ==
          Accounting::Figures{wide(of.allocations), wide(of.temporary), wide(of.live), wide(of.peak)});
  }
  CHECK(read.peak_ms == 1000);
  CHECK(read.end_ms == 2000);
  CHECK(read.peak_rss * sysconf(_SC_PAGESIZE) == 4 << 20);
}

TEST_CASE("heaptrack: allocations that came and went are thinned out where they are too many; peak and leaks are not") {
  const test::HeapRun run(20'000'000);  // 10^9 allocations
  formats::HeaptrackOptions options;
  options.most_allocations = 5000;
  const Accounting read(exported(run, options, 1'000'000));
  CHECK(read.total == Accounting::Figures{1015, 600, 1200, 1400});
  CHECK(read.line_count < 5000);
  CHECK(read.command == "./work [calls / 1000000]");
}

TEST_CASE("heaptrack: names with line ends stay on their line, and a selection is obeyed") {
  const test::HeapRun hostile(1, "/nowhere/wo\nrk\x01", "./work\n+ 1");
  const Accounting read(exported(hostile));
  CHECK(read.total.allocations == 65);
  test::HeapRun chosen;
  chosen.selection.focus = fold::Pattern("0x400");
  CHECK(Accounting(exported(chosen)).total == Accounting::Figures{3, 0, 300, 300});
  chosen.selection.focus = fold::Pattern("nothing like it");
  std::string out;
  CHECK_FALSE(formats::heaptrack(chosen.subject(), 0, {}, [&out](std::string_view piece) { out += piece; }).any);
  CHECK(out.empty());
}

TEST_CASE("blocks: what a context allocated, by what became of it") {
  const formats::BlockPlan kept = formats::plan_blocks(memory(10, 1000, 6, 600, 1000));
  CHECK(kept.peak_kept == Blocks{6, 600});
  CHECK(kept.peak_freed == Blocks{4, 400});
  CHECK(kept.passing.count == 0);
  const formats::BlockPlan grown = formats::plan_blocks(memory(10, 1000, 10, 1000, 500));
  CHECK(grown.peak_kept == Blocks{5, 500});
  CHECK(grown.late == Blocks{5, 500});
  // The block that made the peak was temporary itself.
  const formats::BlockPlan last = formats::plan_blocks(memory(5, 500, 0, 0, 100, 5));
  CHECK(last.peak_freed == Blocks{1, 100});
  CHECK(last.temporary == Blocks{4, 400});
  CHECK(last.temporary_at_peak);
  const Blocks uneven{3, 100};
  CHECK(uneven.size() == 33);
  CHECK(uneven.larger() == 1);
  CHECK(uneven.part(3) == uneven);
}

TEST_CASE("blocks: figures that contradict each other leave live and peak bytes as they are") {
  constexpr std::int64_t kMost = INT64_MAX / 65536 / 2;
  for (const model::MemoryMetric& odd :
       {memory(0, 0, 0, 0, 100), memory(1, 10, 1, 10, 1000), memory(1, 0, 1, 50, 20, 7), memory(-5, -10, -3, -7, -1),
        memory(kMost, INT64_MAX / 2, kMost / 2, INT64_MAX / 4, INT64_MAX / 2, INT64_MAX),
        memory(2, 100, 5, 300, 200)}) {
    const formats::BlockPlan plan = formats::plan_blocks(odd);
    const std::uint64_t peak = plan.peak_kept.bytes + plan.peak_freed.bytes;
    const std::uint64_t live = plan.peak_kept.bytes + plan.late.bytes;
    CHECK(live == static_cast<std::uint64_t>(odd.live_bytes()));
    CHECK(peak == static_cast<std::uint64_t>(std::max<std::int64_t>(0, odd.peak_bytes)));
    for (const Blocks& blocks : {plan.peak_kept, plan.peak_freed, plan.late, plan.temporary}) {
      CHECK((blocks.bytes == 0 || blocks.count > 0));
    }
  }
}
