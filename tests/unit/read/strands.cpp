#include <algorithm>
#include <random>

#include "report/model/build_process.hpp"
#include "report/read/raw_log.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"

using namespace prof;
using test::ByteVector;
using test::LogBuilder;

namespace {

read::RawLog parsed_strands(const LogBuilder& log) {
  const ByteVector bytes = log.bytes();
  return read::parse(bytes, bytes);
}

model::Process strands_process(const LogBuilder& log) {
  const ByteVector bytes = log.bytes();
  return model::build_process(read::parse(bytes, bytes), "1.proflog", 4096);
}

// The addresses on the path of a node, innermost first.
std::vector<std::uint64_t> addresses_above(const model::Tree& tree, std::uint32_t node) {
  std::vector<std::uint64_t> addresses;
  for (; node != 0; node = tree.nodes[node].parent) addresses.push_back(tree.frames[tree.nodes[node].frame].address);
  return addresses;
}

std::vector<std::uint64_t> addresses_of_only_row(const model::Process& process) {
  REQUIRE(process.tree.cpu.size() == 1);
  return addresses_above(process.tree, process.tree.cpu[0].node);
}

}  // namespace

TEST_CASE("a strand is a run of nodes and a block", "[read]") {
  LogBuilder log;
  const auto module = log.module("/bin/a");
  const auto a = log.native(module, 0x1000), b = log.native(module, 0x2000);
  const auto outer = log.node(0, a);
  const auto strand = log.strand(outer, {a, b}, 40, 3, log::kBlockMalloc | log::kBlockReallocated, 2);
  const auto inner =
      log.strand(strand - 1, {b, b, a}, 50, 4,
                 log::kBlockPython | log::kBlockShortLived | log::kBlockTemporary | 5 * log::kBlockFreed);
  log.strand(0, {a});
  log.block(inner, 60, 7, log::kBlockMalloc | log::kBlockFreed | 0xabcd0000);
  log.block(inner, 70, 7, log::kBlockPython, log::RecordClass::PythonBlock);
  log.raw_record(log::record_header(inner, log::RecordClass::HeapBlock, 1), {0});  // not written yet
  const read::RawLog raw = parsed_strands(log);

  CHECK_FALSE(raw.damage.any());
  CHECK(strand == log::kStrandNodes + 2);
  CHECK(inner == log::kStrandNodes + 5);
  const std::uint32_t first = log::kStrandNodes;
  CHECK(raw.strands == std::vector<std::uint64_t>{0, log::node_word(outer, a), log::node_word(first + 1, b),
                                                  log::node_word(first + 1, b), log::node_word(first + 3, b),
                                                  log::node_word(first + 4, a), log::node_word(0, a)});
  REQUIRE(raw.heap.once.size() == 2);
  const auto& block = raw.heap.once[0].node == strand ? raw.heap.once[0] : raw.heap.once[1];
  const auto& second = raw.heap.once[0].node == strand ? raw.heap.once[1] : raw.heap.once[0];
  CHECK(block.slot == 2);
  CHECK(block.words.words.bytes_flags == (40 << log::kOnceFlagBits | log::kOnceReallocated));
  CHECK(block.words.words.epochs == 3);
  CHECK_FALSE(block.words.freed);
  CHECK(second.node == inner);
  CHECK(second.words.words.bytes_flags == 60 << log::kOnceFlagBits);
  CHECK(second.words.words.epochs == (std::uint64_t{7} << 32 | 7));
  CHECK(second.words.freed);
  REQUIRE(raw.python.once.size() == 2);
  const auto& python = raw.python.once[0].words.words.epochs == 7 ? raw.python.once[1] : raw.python.once[0];
  CHECK(python.words.words.bytes_flags == (50 << log::kOnceFlagBits | log::kOnceShortLived | log::kOnceTemporary));
  CHECK(python.words.words.epochs == (std::uint64_t{8} << 32 | 4));
}

// Catches frees of the later copy, which would let more be freed than allocated.
TEST_CASE("of a running process the free of a strand's block is taken from the earlier copy", "[read]") {
  const auto log_with = [](std::uint32_t life) {
    LogBuilder log;
    log.header.end = log::End::Running;
    const auto frame = log.native(log.module("/bin/a"), 0x1000);
    const auto strand = log.strand(0, {frame}, 40, 3, life);
    log.block(strand, 40, 3, life);
    return log.bytes();
  };
  const std::uint32_t freed = log::kBlockMalloc | log::kBlockShortLived | 3 * log::kBlockFreed;
  const read::RawLog raw = read::parse(log_with(log::kBlockMalloc), log_with(freed));
  REQUIRE(raw.heap.once.size() == 2);
  for (const auto& once : raw.heap.once) {
    CHECK_FALSE(once.words.freed);
    CHECK(once.words.words.bytes_flags == 40 << log::kOnceFlagBits);
    CHECK(once.words.words.epochs == (std::uint64_t{5} << 32 | 3));
  }
  const read::RawLog both = read::parse(log_with(freed), log_with(freed));
  CHECK(std::all_of(both.heap.once.begin(), both.heap.once.end(), [](const auto& once) { return once.words.freed; }));
}

TEST_CASE("strands and other nodes can be below each other, whichever comes first in the log", "[model]") {
  LogBuilder log;
  const auto module = log.module("/bin/a");
  std::vector<std::uint32_t> frames;
  for (std::uint32_t i = 1; i <= 6; ++i) frames.push_back(log.native(module, i * 0x10));
  const auto one = log.node(log::kStrandNodes + 2, frames[2]);                    // below a strand
  log.strand(0, {frames[0], frames[1]});                                          // numbers 1 and 2
  const auto three = log.strand(one, {frames[3]});                                // number 3, below a node
  const auto two = log.node(three, frames[4]), again = log.node(two, frames[5]);  // below a strand, below a node
  log.cpu(again, 1, 10);
  log.cpu(two, 1, 10, 1);
  const model::Process process = strands_process(log);
  CHECK_FALSE(process.damage.any());
  REQUIRE(process.tree.cpu.size() == 2);
  const auto deepest = std::max(process.tree.cpu[0].node, process.tree.cpu[1].node);
  CHECK(addresses_above(process.tree, deepest) == std::vector<std::uint64_t>{0x60, 0x50, 0x40, 0x30, 0x20, 0x10});
  for (std::size_t i = 1; i < process.tree.nodes.size(); ++i) CHECK(process.tree.nodes[i].parent < i);
}

TEST_CASE("a strand's nodes are one with others of their path", "[model]") {
  LogBuilder log;
  const auto module = log.module("/bin/a");
  const auto a = log.native(module, 0x10), b = log.native(module, 0x20), a_again = log.native(module, 0x10);
  const auto strand = log.strand(0, {a, b}, 100, 1, log::kBlockMalloc | log::kBlockFreed);
  log.once(log.node(log.node(0, a_again), b), 200, 1);
  log.block(strand, 50, 1);
  log.header.heap_mode = log::HeapMode::Exact;
  log.header.heap.epoch = 2;
  const model::Process process = strands_process(log);
  CHECK(process.tree.nodes.size() == 3);
  REQUIRE(process.tree.heap.size() == 1);
  const auto row = *process.tree.heap.begin();
  CHECK(row.metric.allocations() == 3);
  CHECK(row.metric.bytes == 350);
  CHECK(row.metric.peak_bytes == 250);
}

TEST_CASE("strands that run in a circle with other nodes end at the root", "[model]") {
  LogBuilder log;
  const auto module = log.module("/bin/a");
  const auto a = log.native(module, 0x10), b = log.native(module, 0x20);
  const auto node = log.node(log::kStrandNodes + 1, a);
  log.strand(node, {b});
  log.cpu(node, 1, 10);
  const model::Process process = strands_process(log);
  CHECK(process.damage.bad_references == 1);
  CHECK(addresses_of_only_row(process).size() <= 2);
}

TEST_CASE("damaged strands are counted, and what is behind them is read", "[read]") {
  const auto damage = [](const auto& edit) {
    LogBuilder log;
    const auto frame = log.native(log.module("/bin/a"), 0x10);
    test::Strand strand{1, 0, {frame}, log::block_of(10, 1), log::kBlockMalloc};
    edit(strand);
    log.strand(strand);
    log.strand(test::Strand{400, 0, {frame, frame}, log::block_of(20, 1), log::kBlockMalloc});
    return parsed_strands(log);
  };
  const auto rest_is_there = [](const read::RawLog& raw) {
    return raw.strands.size() == 401 && !raw.heap.once.empty() &&
           raw.heap.once.back().words.words.bytes_flags == 20 << log::kOnceFlagBits;
  };
  const read::RawLog whole = damage([](test::Strand&) {});
  CHECK(whole.damage.bad_records == 0);
  CHECK(rest_is_there(whole));
  CHECK(whole.heap.once.size() == 2);
  const auto bad = [&](const auto& edit) {
    const read::RawLog raw = damage(edit);
    CHECK(raw.damage.bad_records == 1);
    CHECK(rest_is_there(raw));
    CHECK(raw.heap.once.size() == 1);
  };
  bad([](test::Strand& s) { s.frames.clear(); });
  bad([](test::Strand& s) { s.number = 0; });
  bad([](test::Strand& s) { s.frames.resize(5, 1); });                    // numbers below 1
  bad([](test::Strand& s) { s.parent = log::kStrandNodes + s.number; });  // its own parent
  bad([](test::Strand& s) { s.number = log::kStrandNumbers - 1; });       // further than the log can reach
  bad([](test::Strand& s) { s.parent = log::kStrandNodes | 1U << 30; });  // below its strands
  bad([](test::Strand& s) { s.life = log::kBlockKinds; });
}

TEST_CASE("the rest of a chunk is left where a strand does not fit in, and nothing is read behind its end", "[read]") {
  for (const std::uint32_t units : {1U, 3U, 255U}) {
    ByteVector content;
    test::append(content, log::StrandRecord{log::strand_head(5, units), 0, 0});
    content.resize(log::kGranule - sizeof(log::ChunkHeader) - (units == 255 ? 500 : 0), std::byte{1});
    LogBuilder log;
    log.chunk(log::ChunkType::Strands, content);
    const read::RawLog raw = parsed_strands(log);
    CHECK(raw.damage.bad_records == 1);
    CHECK(raw.heap.once.empty());
  }
  // Numbers without an end, and larger than any.
  for (const std::byte byte : {std::byte{0x80}, std::byte{0xff}}) {
    ByteVector content;
    test::append(content, log::StrandRecord{log::strand_head(5, 6), 0, 0});
    content.resize(24, byte);
    LogBuilder log;
    log.chunk(log::ChunkType::Strands, content);
    CHECK(parsed_strands(log).damage.bad_records == 1);
  }
}

TEST_CASE("random damage to strands never stops the reader", "[read]") {
  LogBuilder log;
  const auto module = log.module("/bin/a");
  const auto frame = log.native(module, 0x10), other = log.native(module, 0x20);
  std::uint32_t node = 0;
  for (std::uint32_t i = 0; i < 40; ++i) {
    node = log.strand(i % 3 == 0 ? log.node(node, frame) : node, {frame, other, frame}, i * 20, 1, log::kBlockMalloc);
    log.block(node, i, 1);
  }
  const ByteVector good = log.bytes();
  CHECK_FALSE(read::parse(good, good).damage.any());
  std::mt19937_64 random(7);
  for (int round = 0; round < 3000; ++round) {
    ByteVector bytes = good;
    for (std::uint64_t hits = 1 + random() % 16; hits != 0; --hits)
      bytes[log::kHeaderBytes + random() % (bytes.size() - log::kHeaderBytes)] = static_cast<std::byte>(random());
    read::RawLog raw = read::parse(bytes, good);
    REQUIRE(raw.strands.size() < 1'000'000);
    const model::Process process = model::build_process(std::move(raw), "1.proflog", 4096);
    for (std::size_t i = 1; i < process.tree.nodes.size(); ++i) REQUIRE(process.tree.nodes[i].parent < i);
  }
}
