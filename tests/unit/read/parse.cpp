#include "report/read/raw_log.hpp"

#include <algorithm>
#include <random>

#include "report/read/log_bytes.hpp"
#include "report/read/log_error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"

using namespace prof;
using test::ByteVector;
using test::LogBuilder;

namespace {

read::RawLog parse_once(const ByteVector& bytes) { return read::parse(bytes, bytes); }

read::Fault fault_of(const ByteVector& bytes) {
  try {
    parse_once(bytes);
  } catch (const read::LogError& error) {
    return error.fault();
  }
  FAIL("the log was accepted");
  return read::Fault::Empty;
}

template <typename T>
void store(ByteVector& bytes, std::size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

LogBuilder small_log() {
  LogBuilder log;
  const auto module = log.module("/bin/program", {1, 2, 3});
  const auto a = log.node(0, log.native(module, 0x1000));
  const auto b = log.node(a, log.native(module, 0x2000));
  log.cpu(b, 3, 30'000'000);
  log.memory(log::RecordClass::Heap, b, test::memory_words(65536, 100, 0, 0, 0, 0, 1));
  log.memory(log::RecordClass::Map, a, test::memory_words(65536, 4096, 65536, 4096, 0, 0, 1));
  log.thread(0).allocations = 7;
  log.info(log::InfoKey::Exe, "/bin/program");
  log.child(101, 0, 2'000'000'000);
  return log;
}

}  // namespace

TEST_CASE("a whole log comes back as it was written", "[read]") {
  const read::RawLog log = parse_once(small_log().bytes());
  CHECK_FALSE(log.damage.any());
  CHECK(log.damage.torn_bytes == 0);
  CHECK(log.header.pid == 100);
  REQUIRE(log.nodes.size() == 3);
  CHECK(log.nodes[2] == log::node_word(1, 2));
  REQUIRE(log.frames.size() == 3);
  CHECK(log.frames[1] == log::native_frame(1, 0x1000));
  REQUIRE(log.cpu.size() == 1);
  CHECK(log.cpu[0].words.samples == 3);
  CHECK(log.cpu[0].words.ns == 30'000'000);
  REQUIRE(log.heap.words.size() == 1);
  CHECK(log.heap.words[0].words.bytes == 100);
  REQUIRE(log.maps.words.size() == 1);
  CHECK(log.maps.words[0].words.freed_bytes == 4096);
  REQUIRE(log.threads.size() == 1);
  CHECK(log.threads[0].record.allocations == 7);
  REQUIRE(log.modules.size() == 1);
  CHECK(log.modules[0].path == "/bin/program");
  REQUIRE(log.infos.size() == 1);
  CHECK(log.infos[0].value == "/bin/program");
  REQUIRE(log.children.size() == 1);
  CHECK(log.children[0].pid == 101);
}

TEST_CASE("files that cannot be used are told apart", "[read]") {
  const ByteVector good = small_log().bytes();
  SECTION("nothing in the file") { CHECK(fault_of({}) == read::Fault::Empty); }
  SECTION("killed before the magic was stored") {
    ByteVector bytes = good;
    store<std::uint64_t>(bytes, 0, 0);
    CHECK(fault_of(bytes) == read::Fault::Empty);
  }
  SECTION("something else") {
    ByteVector bytes(5000, std::byte{'x'});
    CHECK(fault_of(bytes) == read::Fault::NotALog);
    CHECK(fault_of({std::byte{'a'}}) == read::Fault::NotALog);
  }
  SECTION("cut off within the header") {
    CHECK(fault_of(ByteVector(good.begin(), good.begin() + 100)) == read::Fault::Truncated);
  }
  SECTION("another major version") {
    ByteVector bytes = good;
    store<std::uint16_t>(bytes, offsetof(log::Header, major), log::kMajor + 1);
    CHECK(fault_of(bytes) == read::Fault::OtherVersion);
  }
  SECTION("another byte order") {
    ByteVector bytes = good;
    std::reverse(bytes.begin(), bytes.begin() + 8);
    CHECK(fault_of(bytes) == read::Fault::OtherOrder);
  }
  SECTION("a header that contradicts itself") {
    ByteVector bytes = good;
    store<std::uint32_t>(bytes, offsetof(log::Header, granule), 0);
    CHECK(fault_of(bytes) == read::Fault::BadHeader);
  }
}

TEST_CASE("a newer minor version is read", "[read]") {
  LogBuilder log = small_log();
  log.header.minor = log::kMinor + 1;
  log.chunk(static_cast<log::ChunkType>(77), ByteVector(100, std::byte{0xff}));
  log.raw_record(log::record_header(1, static_cast<log::RecordClass>(200), 3), {1, 2, 3});
  log.raw_record(log::record_header(2, log::RecordClass::Cpu, 4), {5, 50, 7, 8});  // two words more than today
  log.raw_record(log::record_header(2, log::RecordClass::Cpu, 1), {6});            // one less
  const read::RawLog parsed = parse_once(log.bytes());
  CHECK_FALSE(parsed.damage.any());
  REQUIRE(parsed.cpu.size() == 3);
  const auto has = [&](std::uint64_t samples, std::uint64_t ns) {
    return std::any_of(parsed.cpu.begin(), parsed.cpu.end(),
                       [&](const auto& r) { return r.words.samples == samples && r.words.ns == ns; });
  };
  CHECK(has(5, 50));
  CHECK(has(6, 0));
  CHECK(parsed.threads.size() == 1);
}

TEST_CASE("a chunk that was never published is skipped", "[read]") {
  LogBuilder log = small_log();
  log.hole(5);
  ByteVector node_words;
  test::append(node_words, log::node_word(1, 1));
  log.chunk(log::ChunkType::Nodes, node_words, 0, 10);
  const read::RawLog parsed = parse_once(log.bytes());
  CHECK(parsed.damage.torn_bytes == 5 * log::kGranule);
  CHECK_FALSE(parsed.damage.any());
  REQUIRE(parsed.nodes.size() == 11);
  CHECK(parsed.nodes[9] == 0);
  CHECK(parsed.nodes[10] == log::node_word(1, 1));
}

TEST_CASE("of two chunks with the same ids the words that were stored count", "[read]") {
  LogBuilder log;
  ByteVector empty(64), first, second;
  for (const std::uint64_t word : {1ULL, 0ULL, 3ULL}) test::append(first, word);
  for (const std::uint64_t word : {0ULL, 2ULL, 9ULL}) test::append(second, word);
  log.chunk(log::ChunkType::Nodes, empty, 0, 1);
  log.chunk(log::ChunkType::Nodes, first, 0, 1);
  log.chunk(log::ChunkType::Nodes, second, 0, 1);
  CHECK(parse_once(log.bytes()).nodes == std::vector<std::uint64_t>{0, 1, 2, 3});
}

TEST_CASE("ids beyond all reason cost no memory", "[read]") {
  LogBuilder log = small_log();
  ByteVector word;
  test::append(word, log::node_word(0, 1));
  log.chunk(log::ChunkType::Nodes, word, 0, 0xffff'ffff'0000ULL);
  log.chunk(log::ChunkType::Frames, word, 0, UINT64_MAX);
  const read::RawLog parsed = parse_once(log.bytes());
  CHECK(parsed.damage.bad_references == 2);
  CHECK(parsed.nodes.size() == 3);
}

TEST_CASE("frees are of the first copy and allocations of the second", "[read]") {
  LogBuilder before = small_log(), after = small_log();
  before.memory(log::RecordClass::Heap, 1, test::memory_words(10, 1000, 4, 400, 0, 0, 1));
  after.memory(log::RecordClass::Heap, 1, test::memory_words(12, 1200, 9, 900, 0, 0, 1));
  after.memory(log::RecordClass::Heap, 2, test::memory_words(1, 50, 1, 50, 0, 0, 1));  // came between the copies
  before.thread(0).allocations = 10, before.thread(0).frees = 4;
  after.thread(0).allocations = 12, after.thread(0).frees = 9;
  const read::RawLog log = read::parse(before.bytes(), after.bytes());
  REQUIRE(log.heap.words.size() == 3);
  CHECK(log.heap.words[1].words.bytes == 1200);
  CHECK(log.heap.words[1].words.freed_bytes == 400);
  CHECK(log.heap.words[1].words.freed_count == 4);
  CHECK(log.heap.words[2].words.bytes == 50);
  CHECK(log.heap.words[2].words.freed_bytes == 0);
  CHECK(log.threads[0].record.allocations == 12);
  CHECK(log.threads[0].record.frees == 4);
}

TEST_CASE("records whose length does not fit end their chunk only", "[read]") {
  LogBuilder log = small_log();
  ByteVector content;
  test::append(content, log::record_header(1, log::RecordClass::Cpu, 255));
  log.chunk(log::ChunkType::Records, content, 40);
  ByteVector module;
  log::ModuleRecord record{};
  record.bytes = 0x7ffffff8;
  record.id = 5;
  test::append(module, record);
  log.chunk(log::ChunkType::Modules, module);
  const read::RawLog parsed = parse_once(log.bytes());
  CHECK(parsed.damage.bad_records == 2);
  CHECK(parsed.cpu.size() == 1);
  CHECK(parsed.modules.size() == 1);
}

TEST_CASE("a log that is cut off anywhere is read up to there", "[read]") {
  const ByteVector good = small_log().bytes();
  for (std::size_t length = 0; length <= good.size(); ++length) {
    const ByteVector cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length));
    try {
      const read::RawLog log = parse_once(cut);
      REQUIRE(length >= log::kHeaderBytes);
      REQUIRE(log.damage.truncated == (length < good.size()));
      REQUIRE(log.cpu.size() <= 1);
    } catch (const read::LogError& error) {
      REQUIRE(length < log::kHeaderBytes);
      REQUIRE((error.fault() == read::Fault::Truncated || error.fault() == read::Fault::Empty ||
               error.fault() == read::Fault::NotALog));
    }
  }
}

TEST_CASE("random damage never stops the reader", "[read]") {
  const ByteVector good = small_log().bytes();
  std::mt19937_64 random(20240607);
  std::size_t accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    ByteVector bytes = good;
    for (std::uint64_t hits = 1 + random() % 16; hits != 0; --hits) {
      const std::size_t at = random() % bytes.size() & ~std::size_t{7};
      const std::uint64_t value = random() >> random() % 64;
      store(bytes, std::min(at, bytes.size() - 8), value);
    }
    try {
      const read::RawLog log = parse_once(bytes);
      REQUIRE(log.nodes.size() < 1'000'000);
      ++accepted;
    } catch (const read::LogError&) {
    }
  }
  CHECK(accepted > 1000);
}
