// Interning into a real log: ids are unique and stable between threads, and the log holds the words.
#include <stdlib.h>
#include <sys/stat.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include "agent/core/process.hpp"
#include "agent/log/file.hpp"
#include "agent/tree/id_table.hpp"
#include "agent/tree/region.hpp"
#include "tests/support/agent_log.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

namespace {

log::Header& the_log() { return test::agent_log(); }

}  // namespace

TEST_CASE("agent: the log is private, small at first, and its header is complete") {
  log::Header& h = the_log();
  CHECK(h.magic == log::kMagic);
  CHECK(h.committed <= 64 << 10);
  struct stat st {};
  REQUIRE(stat(process().run_dir, &st) == 0);
  CHECK((st.st_mode & 0777) == 0700);
  for (const auto& file : std::filesystem::directory_iterator(process().run_dir)) {
    REQUIRE(stat(file.path().c_str(), &st) == 0);
    CHECK((st.st_mode & 0777) == 0600);
  }
}

TEST_CASE("agent: words get one id each, whoever asks, and grow the log") {
  log::Header& h = the_log();
  constexpr std::uint64_t kWords = 60'000;
  const auto word = [](std::uint64_t i) { return 0x7000000000000001ULL + i * 977; };
  const auto table = std::make_unique<tree::IdTable>();
  std::vector<std::uint32_t> ids[2];
  std::thread threads[2];
  for (unsigned t = 0; t < 2; ++t) {
    threads[t] = std::thread([&, t] {
      std::uint32_t spare = 0;
      ids[t].resize(kWords);
      for (std::uint64_t i = 0; i < kWords; ++i) {
        const std::uint64_t w = t == 0 ? i : kWords - 1 - i;  // towards each other
        ids[t][w] = table->intern(word(w), spare, h.frames, log::ChunkType::Frames);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  std::unordered_map<std::uint32_t, std::uint64_t> seen;
  std::uint64_t second_ids = 0;
  std::uint32_t spare = 0;
  for (std::uint64_t w = 0; w < kWords; ++w) {
    REQUIRE(ids[0][w] != 0);
    REQUIRE(seen.emplace(ids[0][w], w).second);
    REQUIRE(table->word_of(ids[0][w]) == word(w));
    REQUIRE(table->word_of(ids[1][w]) == word(w));
    second_ids += ids[0][w] != ids[1][w];
    const std::uint32_t again = table->intern(word(w), spare, h.frames, log::ChunkType::Frames);
    REQUIRE((again == ids[0][w] || again == ids[1][w]));
  }
  // Both may be at the same word while the table is replaced under them; anything more would be a word forgotten.
  CHECK(second_ids <= 2);
}

TEST_CASE("agent: words that are appended are found once they are linked, also while the table grows") {
  log::Header& h = the_log();
  const auto table = std::make_unique<tree::IdTable>();
  const auto word = [](std::uint64_t i) { return 0x7100000000000001ULL + i * 131; };
  std::vector<std::uint32_t> ids;
  std::uint32_t spare = 0;
  for (std::uint64_t i = 0; i < 30'000; i += 3) {
    for (std::uint64_t k = i; k < i + 3; ++k) {
      ids.push_back(table->append(word(k), spare, h.frames, log::ChunkType::Frames));
    }
    for (std::uint64_t k = i; k < i + 3; ++k) table->link(word(k), ids[k]);
  }
  for (std::uint64_t i = 0; i < ids.size(); ++i) {
    bool made = false;
    REQUIRE(table->intern(word(i), spare, h.frames, log::ChunkType::Frames, &made) == ids[i]);
    REQUIRE_FALSE(made);
  }
  bool made = false;
  const std::uint32_t last = table->intern(word(30'001), spare, h.frames, log::ChunkType::Frames, &made);
  CHECK(made);
  CHECK(last > ids.back());
}

// Ids are handed out while other threads make the table larger and read it all the time.
TEST_CASE("agent: no word is forgotten while tables are replaced under readers") {
  log::Header& h = the_log();
  const auto table = std::make_unique<tree::IdTable>();
  const auto word = [](std::uint64_t i) { return 0x7200000000000001ULL + i * 389; };
  constexpr std::uint64_t kOld = 300, kNew = 100'000;
  std::vector<std::uint32_t> old(kOld);
  std::uint32_t spare = 0;
  for (std::uint64_t i = 0; i < kOld; ++i) old[i] = table->intern(word(i), spare, h.frames, log::ChunkType::Frames);
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> wrong{0};
  std::thread reader([&] {
    std::uint32_t mine = 0;
    while (!stop) {
      for (std::uint64_t i = 0; i < kOld; ++i)
        wrong += table->intern(word(i), mine, h.frames, log::ChunkType::Frames) != old[i];
    }
  });
  for (std::uint64_t i = kOld; i < kNew; ++i) table->intern(word(i), spare, h.frames, log::ChunkType::Frames);
  stop = true;
  reader.join();
  CHECK(wrong == 0);
}

// Catches a region that is resumed without some of its records, or with those of an allocation where the full ones are.
TEST_CASE("agent: a region that knew nothing any more finds its records in the log, and goes on behind them") {
  using log::RecordClass;
  the_log();
  struct Rooms {
    tree::Region::FewIndex few_index;
    tree::Region::ManyIndex many_index;
    tree::Region::FewSeen few_seen;
    tree::Region::ManySeen many_seen;
  };
  for (const std::uint32_t nodes : {1U, 20U, 100U}) {
    const auto before = std::make_unique<Rooms>(), after = std::make_unique<Rooms>();
    std::vector<std::uint64_t*> records;
    std::uint64_t* full = nullptr;
    std::uint32_t first = 0;
    {
      tree::Region region;
      region.reset(91, {before->few_index, before->many_index, before->few_seen, before->many_seen});
      CHECK(region.rest() == 0);
      REQUIRE(region.make(7, RecordClass::Heap, RecordClass::HeapOnce, log::kHeapOnceWordCount) != nullptr);
      for (std::uint32_t node = 1; node <= nodes; ++node) {
        records.push_back(region.record(node, RecordClass::Cpu, log::kCpuWordCount));
        REQUIRE(records.back() != nullptr);
        records.back()[0] = node;
      }
      full = region.make(7, RecordClass::Heap, RecordClass::Heap, log::kHeapWordCount);
      REQUIRE(region.small());
      first = region.rest();
    }
    tree::Region region;
    region.reset(91, {after->few_index, after->many_index, after->few_seen, after->many_seen});
    region.resume(first);
    CHECK(region.find(7, RecordClass::Heap) == full);
    CHECK(region.find(7, RecordClass::HeapOnce) == nullptr);
    for (std::uint32_t node = 1; node <= nodes; ++node) {
      REQUIRE(region.record(node, RecordClass::Cpu, log::kCpuWordCount) == records[node - 1]);
      CHECK(records[node - 1][0] == node);
    }
    std::uint64_t* const next = region.record(nodes + 1, RecordClass::Cpu, log::kCpuWordCount);
    REQUIRE(next != nullptr);
    CHECK(region.find(7, RecordClass::Heap) == full);
    CHECK(next[0] == 0);
    CHECK(log::record_class(full[-1]) == RecordClass::Heap);
  }
  const auto rooms = std::make_unique<Rooms>();
  tree::Region large;
  large.reset(92, {rooms->few_index, rooms->many_index, rooms->few_seen, rooms->many_seen});
  for (std::uint32_t node = 1; node <= 300; ++node) REQUIRE(large.record(node, RecordClass::Cpu, 2) != nullptr);
  CHECK_FALSE(large.small());
}

TEST_CASE("agent: records are found again after the index has grown, and their chunks hold them") {
  the_log();
  const auto region = std::make_unique<tree::Region>();
  const auto few_index = std::make_unique<tree::Region::FewIndex>();
  const auto many_index = std::make_unique<tree::Region::ManyIndex>();
  const auto few_seen = std::make_unique<tree::Region::FewSeen>();
  const auto many_seen = std::make_unique<tree::Region::ManySeen>();
  const tree::Region::Room room{*few_index, *many_index, *few_seen, *many_seen};
  region->reset(77, room);
  std::vector<std::uint64_t*> records;
  for (std::uint32_t node = 1; node <= 5000; ++node) {
    std::uint64_t* r = region->record(node, log::RecordClass::Cpu, log::kCpuWordCount);
    REQUIRE(r != nullptr);
    CHECK(r[0] == 0);
    r[0] = node;
    CHECK(log::record_node(r[-1]) == node);
    CHECK(log::record_words(r[-1]) == log::kCpuWordCount);
    records.push_back(r);
  }
  for (std::uint32_t node = 1; node <= 5000; ++node) {
    REQUIRE(region->record(node, log::RecordClass::Cpu, log::kCpuWordCount) == records[node - 1]);
    CHECK(records[node - 1][0] == node);
  }
  CHECK(region->record(1, log::RecordClass::Heap, log::kHeapWordCount) != records[0]);
  for (const std::uint32_t left : {5000U, 3U}) {  // with an index that was mapped, and with the first one
    for (std::uint32_t node = 1; node <= left; ++node)
      REQUIRE(region->record(node, log::RecordClass::Cpu, 2) != nullptr);
    region->reset(78 + left, room);
    for (std::uint32_t node = 1; node <= 5000; ++node) REQUIRE(region->find(node, log::RecordClass::Cpu) == nullptr);
  }
}
