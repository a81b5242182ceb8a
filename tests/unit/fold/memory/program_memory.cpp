#include "report/fold/memory/program_memory.hpp"

#include "report/fold/line_tree.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/findings_run.hpp"

using namespace prof;

// Catches arrays that are mapped, and files, counted as small objects, or arenas left out.
TEST_CASE("program memory: blocks, and the arenas of the interpreter", "[fold]") {
  constexpr std::uint64_t kMi = 1 << 20, kCount = 4;
  test::FindingsRun run;
  run.log.header.heap_mode = log::HeapMode::Sampled;
  const auto has = [&](log::RecordClass what, std::uint32_t node, std::uint64_t bytes, std::uint64_t freed) {
    run.log.memory(what, node, test::memory_words(kCount * log::kCountUnit, bytes, 0, freed, bytes, 1, kCount));
  };
  const auto library = run.log.native(run.log.module("/nowhere/libwork.so"), 0x100);
  has(log::RecordClass::Heap, run.train(10), 2 * kMi, 0);
  has(log::RecordClass::Map, run.interpreter(run.train(20)), 3 * kMi, kMi);
  has(log::RecordClass::Heap, run.interpreter(run.train(20)), 5 * kMi, 0);
  has(log::RecordClass::Map, run.log.node(run.train(30), library), 100 * kMi, 0);
  has(log::RecordClass::Heap, run.log.node(run.train(30), library), 7 * kMi, 0);
  const show::Subject subject = run.subject();
  const fold::CallTree tree = fold::line_tree(subject.run, subject.symbols, subject.selection);
  model::MemoryMetric all;
  std::int64_t of_interpreter = 0;
  for (std::uint32_t node = 1; node < tree.nodes().size(); ++node) {
    const model::MemoryMetric memory = fold::program_memory(tree, node);
    all += memory;
    if (tree.function(node).interpreter) of_interpreter += memory.bytes;
  }
  CHECK(of_interpreter == 8 * kMi);
  CHECK(all.bytes == 17 * kMi);
  CHECK(all.peak_bytes == 17 * kMi);
  CHECK(all.live_bytes() == 16 * kMi);
}
