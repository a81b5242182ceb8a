#include "report/fold/time/outline.hpp"

#include <string>

#include "report/fold/memory/heap.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/folded.hpp"

using namespace prof;
using test::Folded;
using test::Program;

TEST_CASE("outlines go down from the callers and up from the leaves", "[fold]") {
  Program p;
  p.cpu({1, 2, 4}, 60);
  p.cpu({1, 3, 4}, 30);
  p.cpu({1, 3}, 9);
  p.cpu({5}, 1);
  const Folded folded({&p});
  const auto text = [&](const fold::OutlineOptions& options) {
    std::string lines;
    for (const fold::OutlineRow& row : fold::outline(folded.tree, options).rows) {
      lines += std::string(row.depth, ' ') + folded.name(row.function) + " " + std::to_string(row.total) + "/" +
               std::to_string(row.self) + (row.pruned != 0 ? " -" + std::to_string(row.pruned_total) : "") + "\n";
    }
    return lines;
  };
  fold::OutlineOptions options;
  CHECK(text(options) == "f1 99/0\n f2 60/0\n  f4 60/60\n f3 39/9\n  f4 30/30\nf5 1/1\n");
  options.bottom_up = true;
  CHECK(text(options) == "f4 90/0\n f2 60/0\n  f1 60/60\n f3 30/0\n  f1 30/30\nf3 9/0\n f1 9/9\nf5 1/1\n");
  options.min_fraction = 0.5;
  CHECK(text(options) == "f4 90/0 -30\n f2 60/0\n  f1 60/60\n");
  const fold::Outline pruned = fold::outline(folded.tree, options);
  CHECK(pruned.pruned_roots == 2);
  CHECK(pruned.pruned_roots_total == 10);
  CHECK(pruned.total == 100);
  options = {};
  options.max_depth = 2;
  CHECK(text(options) == "f1 99/0\n f2 60/0 -60\n f3 39/9 -30\nf5 1/1\n");
}

TEST_CASE("heap sites are whole stacks, leaf first", "[fold]") {
  Program a(100), b(200);
  const auto heap = [](Program& p, const std::vector<std::uint64_t>& path, std::uint64_t bytes, std::uint64_t freed,
                       std::uint64_t count) {
    p.log.memory(log::RecordClass::Heap, p.path(path),
                 test::memory_words(count * log::kCountUnit, bytes, 0, freed, 0, 0, 1));
  };
  heap(a, {1, 2}, 300, 0, 3);
  heap(a, {1, 3}, 5000, 4950, 50);
  heap(b, {1, 2}, 30, 10, 1);
  a.log.thread(0).allocations = 53, a.log.thread(0).allocated_bytes = 5290, a.log.thread(0).frees = 40;
  b.log.thread(0).allocations = 2, b.log.thread(0).allocated_bytes = 31;
  b.log.header.late_allocations = 1, b.log.header.late_allocated_bytes = 9;
  const Folded folded({&a, &b}, {}, {}, fold::Granularity::Line);
  const std::vector<fold::HeapSite> sites = fold::heap_sites(folded.tree);
  REQUIRE(sites.size() == 2);
  CHECK(sites[0].memory->bytes == 330);
  CHECK(sites[0].memory->allocations() == 4);
  CHECK(sites[0].memory->live_bytes() == 320);
  const std::vector<std::uint32_t> stack = fold::stack_of(folded.tree, sites[0].node);
  REQUIRE(stack.size() == 2);
  CHECK(folded.name(folded.symbols.location(stack[0]).function) == "f2");
  CHECK(folded.name(folded.symbols.location(stack[1]).function) == "f1");
  CHECK(sites[1].memory->live_bytes() == 50);
  CHECK(fold::heap_sites(folded.tree, fold::MemoryKind::Maps).empty());
  std::vector<fold::HeapSite> by_live = fold::heap_sites(folded.tree, fold::MemoryKind::Heap, 0);
  REQUIRE(by_live.size() == 2);
  fold::order_by_live(by_live, 1);
  CHECK(by_live[0].node == sites[0].node);
  CHECK(by_live[1].node == sites[1].node);

  const fold::HeapTotals totals = fold::heap_totals(folded.run);
  CHECK(totals.allocations == 56);
  CHECK(totals.allocated_bytes == 5330);
  CHECK(totals.frees == 40);
  CHECK(totals.live_bytes == 370);
  CHECK(totals.peak_bytes == 350);  // of one process: peaks are not added up
  REQUIRE(totals.peak_process);
  CHECK(folded.run.processes[*totals.peak_process].pid == 100);
}

TEST_CASE("a very deep tree folds without a deep stack of our own", "[fold]") {
  Program p;
  std::vector<std::uint64_t> path;
  for (std::uint64_t i = 0; i < 2000; ++i) path.push_back(1 + i % 7);
  p.cpu(path, 10);
  const Folded folded({&p});
  CHECK(folded.times().size() == 7);
  CHECK(folded.times().at("f1").second == 10);
  CHECK(fold::outline(folded.tree, {}).rows.size() == 2000);
}
