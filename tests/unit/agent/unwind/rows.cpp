// Rows of whole functions, held against those of single addresses.
#include "agent/unwind/rows.hpp"

#include <cstring>
#include <random>
#include <vector>

#include "agent/unwind/eh_frame.hpp"
#include "agent/unwind/objects.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

namespace {

struct OwnFrames {
  std::vector<std::uint8_t> copy;  // with 8 zeros behind it
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
};

// This program's own .eh_frame, which its header leads to.
OwnFrames own_frames() {
  prepare_objects(false);
  Object object{};
  REQUIRE(object_at(reinterpret_cast<std::uintptr_t>(&own_frames), object));
  REQUIRE(object.eh_frame_hdr != nullptr);
  REQUIRE(object.eh_frame_hdr[1] == 0x1b);  // relative to its own place, 4 bytes
  std::int32_t distance = 0;
  std::memcpy(&distance, object.eh_frame_hdr + 4, sizeof distance);
  const std::uint8_t* const begin = object.eh_frame_hdr + 4 + distance;
  OwnFrames frames;
  frames.address = reinterpret_cast<std::uintptr_t>(begin);
  std::uint32_t length = 0;
  while (std::memcpy(&length, begin + frames.bytes, 4), length != 0 && frames.bytes < 400'000)
    frames.bytes += 4 + length;
  frames.copy.assign(begin, begin + frames.bytes);
  frames.copy.resize(frames.bytes + 8);
  return frames;
}

}  // namespace

TEST_CASE("agent: all rows of a function at once are those of its addresses") {
  const OwnFrames frames = own_frames();
  eh::Section section(frames.copy.data(), frames.bytes, frames.address);
  std::vector<RowAt> rows(4096);
  eh::Description d{};
  std::size_t functions = 0, compared = 0;
  while (section.next(d)) {
    const std::size_t count = rows_of(d, rows.data(), rows.size());
    if (count == 0) continue;  // of a procedure linkage table each address has its own
    REQUIRE(rows[0].offset == 0);
    ++functions;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t end = i + 1 < count ? rows[i + 1].offset : d.end - d.begin;
      REQUIRE(end > rows[i].offset);
      for (const std::uint64_t offset : {std::uint64_t{rows[i].offset}, end - 1}) {
        const Row one = row_at(d.begin + offset);
        REQUIRE(std::memcmp(&one, &rows[i].row, sizeof one) == 0);
        ++compared;
      }
    }
  }
  CHECK(functions > 500);
  CHECK(compared > 5000);
  CHECK(rows_of(d, rows.data(), 0) == 0);
}

// Catches lengths, distances and texts that lead out of the copy.
TEST_CASE("agent: damaged call frame information is read to its end and no further") {
  OwnFrames frames = own_frames();
  frames.bytes = 4000;
  frames.copy.resize(frames.bytes + 8);
  std::fill(frames.copy.end() - 8, frames.copy.end(), std::uint8_t{0});
  std::mt19937 random(1);
  std::vector<RowAt> rows(64);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::uint8_t> damaged = frames.copy;
    for (auto hits = 1 + random() % 30; hits != 0; --hits)
      damaged[random() % frames.bytes] = random() % 2 != 0 ? 0xff : static_cast<std::uint8_t>(random());
    eh::Section section(damaged.data(), frames.bytes, frames.address);
    eh::Description d{};
    for (unsigned i = 0; section.next(d); ++i) {
      REQUIRE(i < frames.bytes);
      REQUIRE(rows_of(d, rows.data(), rows.size()) <= rows.size());
    }
  }
}
