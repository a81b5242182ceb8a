// Pages of the log that rest leave the process's memory, keep what they hold, and no page leaves that somebody writes.
#include "agent/log/resting.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "agent/core/pages.hpp"
#include "agent/log/file.hpp"
#include "tests/support/agent_log.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

namespace {

// Whether the page is mapped by this process, from /proc: mincore tells of the file's cache instead.
bool is_resident(const void* page) {
  std::uint64_t entry = 0;
  std::FILE* file = std::fopen("/proc/self/pagemap", "rb");
  REQUIRE(file != nullptr);
  std::setbuf(file, nullptr);
  const long at = static_cast<long>(reinterpret_cast<std::uintptr_t>(page) / pages::kPage * sizeof(entry));
  REQUIRE(std::fseek(file, at, SEEK_SET) == 0);
  REQUIRE(std::fread(&entry, sizeof(entry), 1, file) == 1);
  std::fclose(file);
  return (entry >> 63) != 0;
}

log::ChunkHeader* chunk_of(std::uint32_t granules) {
  log::ChunkHeader* chunk = log::take_chunk(log::ChunkType::Records, 0, 0, granules * log::kGranule);
  REQUIRE(chunk != nullptr);
  std::memset(log::content<char>(chunk), 0x5a, granules * log::kGranule - sizeof(*chunk));
  return chunk;
}

}  // namespace

TEST_CASE("agent: a page of the log leaves memory when all of it rests, and not before") {
  test::agent_log();
  log::make_room();  // what a log of any size says of itself is then in it, and comes between no two of these chunks
  constexpr std::uint32_t kPerPage = pages::kPage / log::kGranule;
  while (chunk_of(1)->offset / log::kGranule % kPerPage != kPerPage - 1) {
  }
  log::ChunkHeader* const one = chunk_of(1);
  log::ChunkHeader* const two = chunk_of(2);
  log::ChunkHeader* const across = chunk_of(2 + kPerPage);  // the last granule of this page, all the next, and one more
  const auto* const page = reinterpret_cast<const char*>(one);
  REQUIRE(reinterpret_cast<std::uintptr_t>(page) % pages::kPage == 0);
  log::rest(*one);
  log::rest(*across);
  CHECK(is_resident(page));
  CHECK_FALSE(is_resident(page + pages::kPage));
  CHECK(is_resident(page + 2 * pages::kPage));
  log::rest(*two);
  CHECK_FALSE(is_resident(page));
  CHECK(log::content<char>(two)[100] == 0x5a);
  CHECK(two->magic == log::kChunkMagic);

  log::wake(*two);
  log::content<char>(two)[100] = 1;
  log::wake(*one);
  log::rest(*one);
  CHECK(is_resident(page));
  log::rest(*two);
  CHECK_FALSE(is_resident(page));
  CHECK(log::content<char>(two)[100] == 1);
}
