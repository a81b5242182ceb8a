#include "report/model/build_process.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"

using namespace prof;
using model::Frame;
using test::LogBuilder;

namespace {

model::Process process_with(const LogBuilder& log) {
  const test::ByteVector bytes = log.bytes();
  return model::build_process(read::parse(bytes, bytes), "1.proflog", 4096);
}

log::HeapWords heap_words(std::uint64_t bytes, std::uint64_t freed, std::int64_t at_peak, std::uint64_t epoch) {
  return test::memory_words(log::kCountUnit, bytes, 0, freed, static_cast<std::uint64_t>(at_peak), epoch, 1);
}

}  // namespace

TEST_CASE("header, texts and threads become a process", "[model]") {
  LogBuilder log;
  log.header.rank = 3;
  log.header.exit_code = 7;
  log.header.peak_rss_bytes = 1 << 20;
  log.header.late_allocations = 2;
  log.header.loss[static_cast<int>(log::Loss::StackTruncated)] = 5;
  log.info(log::InfoKey::Exe, "/bin/sh");
  log.info(log::InfoKey::Argv, std::string("sh\0-c\0\0exit 7\0", 14));
  log.module("/usr/lib/x/libprof.so", {0xab, 0x01});
  log::ThreadRecord& thread = log.thread(1);
  thread.merged = 4;
  thread.allocations = 10;
  thread.start_routine = log::native_frame(1, 0x40);
  std::strcpy(thread.name, "worker");
  std::memset(log.thread(2).name, 'x', 16);  // no NUL
  const model::Process process = process_with(log);

  CHECK(process.pid == 100);
  CHECK(process.rank == 3);
  CHECK(process.ending == model::Ending::Exit);
  CHECK(process.exit_code == 7);
  CHECK(process.wall_ns() == 2'000'000'000);
  CHECK(process.peak_rss_bytes == 1U << 20);
  CHECK(process.argv == std::vector<std::string>{"sh", "-c", "", "exit 7"});
  CHECK(process.command() == "sh -c  exit 7");
  CHECK(process.loss[static_cast<int>(log::Loss::StackTruncated)] == 5);
  REQUIRE(process.modules.size() == 1);
  CHECK(process.modules[0].build_id == "ab01");
  CHECK(process.modules[0].agent);
  CHECK(process.totals.allocations == 12);
  REQUIRE(process.threads.size() == 2);
  CHECK(process.threads[0].name == "worker");
  CHECK(process.threads[1].name == std::string(16, 'x'));
  CHECK(process.thread_count() == 6);
  REQUIRE(process.threads[0].start_routine);
  CHECK(process.tree.frames[*process.threads[0].start_routine].address == 0x40);
}

TEST_CASE("what was not recorded has no value", "[model]") {
  const model::Process process = process_with(LogBuilder());
  CHECK_FALSE(process.rank);
  CHECK_FALSE(process.peak_rss_bytes);
  CHECK_FALSE(process.heap_peak_monotonic_ns);
  CHECK(process.argv.empty());
  CHECK(process.command() == "pid 100");
}

TEST_CASE("nodes and frames with the same key become one", "[model]") {
  LogBuilder log;
  const auto module = log.module("/bin/a");
  const auto f = log.native(module, 0x10), f_again = log.native(module, 0x10);
  const auto a = log.node(0, f), a_again = log.node(0, f_again);
  const auto g = log.native(module, 0x20);
  const auto b = log.node(a, g), b_again = log.node(a_again, g);
  log.cpu(b, 1, 100, 0);
  log.cpu(b_again, 2, 200, 0);
  log.cpu(b, 4, 400, 1);
  const model::Process process = process_with(log);
  CHECK_FALSE(process.damage.any());
  CHECK(process.tree.nodes.size() == 3);
  REQUIRE(process.tree.cpu.size() == 2);
  CHECK(process.tree.cpu[0].metric == model::CpuMetric{3, 300});
  CHECK(process.tree.cpu[1].metric == model::CpuMetric{4, 400});
  CHECK(process.tree.cpu[1].slot == 1);
}

TEST_CASE("live at the peak follows the epoch of each record", "[model]") {
  LogBuilder log;
  const auto module = log.module("/bin/a");
  log.header.heap.epoch = 5;
  const auto touched = log.node(0, log.native(module, 0x10));
  const auto untouched = log.node(0, log.native(module, 0x20));
  const auto stale = log.node(0, log.native(module, 0x30));
  const auto elsewhere = log.node(0, log.native(module, 0x40));
  log.memory(log::RecordClass::Heap, touched, heap_words(1000, 900, 700, 5));
  log.memory(log::RecordClass::Heap, untouched, heap_words(300, 0, 0, 0));
  log.memory(log::RecordClass::Heap, stale, heap_words(500, 100, 77, 4));
  // Allocated by one thread, freed by another: only the sum over both makes sense.
  log.memory(log::RecordClass::Heap, elsewhere, heap_words(800, 0, 0, 0), 0);
  log.memory(log::RecordClass::Heap, elsewhere, heap_words(0, 600, 0, 0), 1);
  const model::Process process = process_with(log);
  model::MemoryMetric by_node[5];
  for (const auto& row : process.tree.heap) by_node[row.node] += row.metric;
  CHECK(by_node[1].peak_bytes == 700);
  CHECK(by_node[1].live_bytes() == 100);
  CHECK(by_node[2].peak_bytes == 300);
  CHECK(by_node[3].peak_bytes == 400);
  CHECK(by_node[4].peak_bytes == 200);
  CHECK(by_node[4].live_bytes() == 200);
  CHECK(process.heap_peak_bytes == 1600);
}

TEST_CASE("references to what is not there are counted and stay near their place", "[model]") {
  LogBuilder log;
  const auto module = log.module("/bin/a");
  const auto good = log.native(module, 0x10);
  const auto foreign = log.frame(log::native_frame(99, 0x10));                            // no such module
  const auto strange = log.frame(log::frame_word(static_cast<log::FrameKind>(9), 0x10));  // a newer kind
  const auto a = log.node(0, good);
  const auto self = log.node(2, good);  // its own parent
  const auto lost = log.node(a, 1000);  // no such frame
  log.node(a, foreign);
  log.node(a, strange);
  log.cpu(self, 1, 10);
  log.cpu(lost, 1, 10);
  log.cpu(12345, 1, 10);  // no such node
  const model::Process process = process_with(log);
  CHECK(process.damage.bad_references == 5);
  const model::Tree& tree = process.tree;
  std::int64_t ns = 0;
  for (const auto& row : tree.cpu) ns += row.metric.ns;
  CHECK(ns == 30);
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    CHECK(tree.nodes[i].parent < i);
    CHECK(tree.nodes[i].frame < tree.frames.size());
  }
}

TEST_CASE("a path that is longer than any stack ends at its limit", "[model]") {
  LogBuilder log;
  const auto module = log.module("/bin/a");
  std::uint32_t node = 0;
  for (int i = 0; i < 5000; ++i) node = log.node(node, log.native(module, 0x10 + i));
  log.cpu(node, 1, 10);
  const model::Process process = process_with(log);
  CHECK(process.tree.nodes.size() == 2049);
  CHECK(process.damage.any());
  REQUIRE(process.tree.cpu.size() == 1);
  CHECK(process.tree.cpu[0].node == 2048);
}

TEST_CASE("figures at the ends of the range stay there", "[model]") {
  LogBuilder log;
  const auto node = log.node(0, log.native(log.module("/bin/a"), 0x10));
  for (int i = 0; i < 3; ++i) {
    log.cpu(node, UINT64_MAX, UINT64_MAX, 0);
    log.memory(log::RecordClass::Heap, node,
               test::memory_words(UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 1ULL << 63, 9, UINT64_MAX));
  }
  const model::Process process = process_with(log);
  REQUIRE(process.tree.cpu.size() == 1);
  CHECK(process.tree.cpu[0].metric.ns == INT64_MAX);
  CHECK((*process.tree.heap.begin()).metric.peak_bytes == INT64_MIN);
  CHECK(process.heap_peak_bytes == 0);
}

TEST_CASE("estimated counts are rounded once, at the end", "[model]") {
  model::MemoryMetric metric;
  for (int i = 0; i < 3; ++i) metric += {log::kCountUnit / 2, 10, 0, 0, 0, 1};
  CHECK(metric.allocations() == 2);
  metric.freed_units = log::kCountUnit * 5;
  CHECK(metric.live_allocations() == 0);
}
