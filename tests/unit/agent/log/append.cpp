// Records in a real log: what is left unfinished hides nothing behind it, and room is given once.
#include <atomic>
#include <thread>
#include <vector>

#include "agent/log/append.hpp"
#include "agent/log/file.hpp"
#include "tests/support/agent_log.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

namespace {

constexpr log::ChunkType kType = log::ChunkType::Names;

log::NameRecord* appended(log::AppendChunk& chunk, std::uint32_t bytes, bool finished) {
  char* room = log::append_record(chunk, kType, bytes);
  REQUIRE(room != nullptr);
  auto* record = reinterpret_cast<log::NameRecord*>(room);
  CHECK(record->bytes == (bytes | log::kUnfinished));
  for (std::uint32_t i = 4; i < bytes; ++i) CHECK(room[i] == 0);
  if (finished) record->bytes = bytes;
  return record;
}

}  // namespace

TEST_CASE("agent: records that are never finished are stepped over by their length") {
  test::agent_log();
  log::AppendChunk chunk{};
  const auto* first = appended(chunk, 40, true);
  const auto* left = appended(chunk, 64, false);
  const auto* last = appended(chunk, 48, true);
  const auto at = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
  CHECK(at(left) == at(first) + 40);
  CHECK(at(last) == at(left) + 64);
  // The hint of where there is room may be an old one.
  chunk.current.load()->first = 0;
  CHECK(at(appended(chunk, 24, true)) == at(last) + 48);
}

TEST_CASE("agent: threads that append at once get room of their own, chunk after chunk") {
  test::agent_log();
  log::AppendChunk chunk{};
  constexpr std::uint32_t kEach = 2000, kBytes = 40;
  std::atomic<std::uint32_t> spoilt{0};
  std::vector<std::thread> threads;
  for (std::uint32_t t = 1; t <= 4; ++t) {
    threads.emplace_back([&, t] {
      std::vector<log::NameRecord*> mine;
      for (std::uint32_t i = 0; i < kEach; ++i) {
        auto* record = reinterpret_cast<log::NameRecord*>(log::append_record(chunk, kType, kBytes));
        spoilt += record->id != 0;
        record->id = t;
        mine.push_back(record);
        if (i % 7 != 0) __atomic_store_n(&record->bytes, kBytes, __ATOMIC_RELEASE);
      }
      for (const log::NameRecord* record : mine) spoilt += record->id != t;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(spoilt == 0);
}
