// The memory series: points by slots, thinned in a fixed room; and the checkpoints of the peak clocks.
#include <cstdint>
#include <vector>

#include "agent/memory/series.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

namespace {

constexpr std::uint64_t kStart = 5'000'000'000;

class Room {
 public:
  explicit Room(std::uint32_t points) : words_(memory::series_bytes(points) / 8) {
    memory::begin_series(header(), kStart, points);
  }
  log::SeriesHeader& header() { return *reinterpret_cast<log::SeriesHeader*>(words_.data()); }
  std::uint32_t shift() { return static_cast<std::uint32_t>(header().published >> 24 & 0xff); }
  std::vector<log::SeriesPoint> points() {
    const std::uint64_t p = header().published;
    const auto* at = reinterpret_cast<const log::SeriesPoint*>(&header() + 1) + (p >> 16 & 1) * header().points;
    return {at, at + (p & 0xffff)};
  }
  void add(std::uint64_t ns, std::int64_t heap, std::uint64_t rss) {
    log::SeriesPoint p{};
    p.heap_high = p.heap_live = heap;
    p.rss = p.rss_high = rss;
    p.rss_file = rss / 2;
    memory::add_point(header(), p, kStart + ns);
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace

TEST_CASE("agent: what is seen in one slot is one point with the last values and the highest") {
  Room room(8);
  room.add(1'000, 10, 100);
  room.add(50'000'000, 30, 300);
  room.add(99'000'000, 20, 200);
  room.add(250'000'000, 5, 50);
  const auto points = room.points();
  REQUIRE(points.size() == 2);
  CHECK(points[0].slot == 0);
  CHECK(points[0].heap_live == 20);
  CHECK(points[0].heap_high == 30);
  CHECK(points[0].rss == 200);
  CHECK(points[0].rss_high == 300);
  CHECK(points[0].rss_file == 150);  // of that moment
  CHECK(points[1].slot == 2);
}

// Catches thinning that drops points instead of merging them, or that loses the order of slots.
TEST_CASE("agent: a series of a day keeps its room, its highest points and its order") {
  Room room(log::kSeriesPoints);
  constexpr std::uint64_t kStep = 100'000'000, kSteps = 864'000;
  std::uint32_t generation = 0;
  for (std::uint64_t i = 0; i < kSteps; ++i) {
    room.add(i * kStep, i == 1234 ? 1'000'000 : static_cast<std::int64_t>(i % 100), i == 777'777 ? 9'999 : 7);
    const auto now = static_cast<std::uint32_t>(room.header().published >> 32);
    CHECK(now >= generation);
    generation = now;
  }
  const auto points = room.points();
  const std::uint64_t width = kStep << room.shift();
  REQUIRE(points.size() > log::kSeriesPoints / 3);
  CHECK((points.back().slot + 1) * width >= kSteps * kStep);
  for (std::size_t i = 0; i < points.size(); ++i) {
    CHECK(points[i].slot == i);
    CHECK((points[i].heap_high == 1'000'000) == (1234 * kStep / width == i));
    CHECK((points[i].rss_high == 9'999) == (777'777 * kStep / width == i));
    CHECK(points[i].rss == 7);
  }
}

// Catches a merge of neighbours in the array that are none in time.
TEST_CASE("agent: points that are far apart are thinned until there is room again") {
  Room room(16);
  for (std::uint64_t i = 0; i < 200; ++i) room.add(i * i * 3'600'000'000'000, static_cast<std::int64_t>(i), i);
  const auto points = room.points();
  REQUIRE(points.size() >= 2);
  CHECK(points.size() <= 16);
  for (std::size_t i = 1; i < points.size(); ++i) CHECK(points[i].slot > points[i - 1].slot);
  CHECK(points.back().heap_live == 199);
}

TEST_CASE("agent: a series goes on in a larger room") {
  Room small(16), large(64);
  for (std::uint64_t i = 0; i < 12; ++i) small.add(i * 100'000'000, static_cast<std::int64_t>(i), i);
  memory::continue_series(large.header(), small.header());
  large.add(1'200'000'000, 12, 12);
  const auto points = large.points();
  REQUIRE(points.size() == 13);
  for (std::size_t i = 0; i < points.size(); ++i) {
    CHECK(points[i].slot == i);
    CHECK(points[i].rss == i);
  }
}

TEST_CASE("agent: checkpoints never go back, and a fixed number of them spans the time so far") {
  CHECK(memory::checkpoint_at(99'999'999) == 0);
  CHECK(memory::checkpoint_at(100'000'000) == 1);
  constexpr std::uint64_t kAll = log::kCheckpoints;  // moments; then every second one is dropped
  CHECK(memory::checkpoint_at(kAll * log::kCheckpointNs + 1) == kAll);
  CHECK(memory::checkpoint_at((kAll + 1) * log::kCheckpointNs) == (std::uint64_t{1} << 32 | kAll));
  CHECK(memory::checkpoint_at((kAll + 2) * log::kCheckpointNs) == (std::uint64_t{1} << 32 | (kAll + 2)));
  std::uint64_t last_time = 0, last_shift = 0;
  for (std::uint64_t unit = 0; unit < 100'000; ++unit) {
    const std::uint64_t c = memory::checkpoint_at(unit * log::kCheckpointNs);
    const std::uint64_t shift = c >> 32, time = c & 0xffffffff;
    REQUIRE(shift >= last_shift);
    REQUIRE(time >= last_time);
    REQUIRE(time <= unit);
    REQUIRE(unit - time < std::uint64_t{1} << shift);
    REQUIRE(time >> shift <= log::kCheckpoints);
    REQUIRE((shift == 0 || time >> shift >= log::kCheckpoints / 2));
    last_time = time;
    last_shift = shift;
  }
}

TEST_CASE("agent: a device's points keep the mean of its rates and the last of its amounts") {
  constexpr std::uint32_t points = 8;
  std::vector<std::uint64_t> room(memory::series_bytes<log::DevicePoint>(points) / 8);
  auto& series = *reinterpret_cast<log::SeriesHeader*>(room.data());
  memory::begin_series<log::DevicePoint>(series, 0, points, log::kDeviceSeriesBaseNs);
  const auto point = [&series](std::uint32_t i) {
    const memory::Published p = memory::unpack(series.published);
    return memory::array_of<log::DevicePoint>(series, p.active)[i];
  };
  log::DevicePoint seen{};
  seen.power_mw = UINT32_MAX;
  std::uint32_t looks = 0;
  for (const std::uint32_t busy : {10U, 20U, 60U}) {
    seen.busy_percent = busy;
    seen.used_bytes = busy;
    if (busy == 60) seen.power_mw = 900;
    looks = memory::add_point(series, seen, 300'000'000 * looks, looks) ? 1 : looks + 1;
  }
  CHECK(looks == 3);
  CHECK(memory::unpack(series.published).count == 1);
  CHECK(point(0).busy_percent == 30);
  CHECK(point(0).used_bytes == 60);
  CHECK(point(0).power_mw == 900);
  // Twice as many slots as there is room for: two and two are merged.
  for (std::uint64_t s = 1; s < 12; ++s) {
    seen.busy_percent = static_cast<std::uint32_t>(s);
    memory::add_point(series, seen, s * log::kDeviceSeriesBaseNs, 1);
  }
  const memory::Published p = memory::unpack(series.published);
  CHECK(p.shift == 1);
  CHECK(p.count == 6);
  CHECK(point(1).slot == 1);
  CHECK(point(1).busy_percent == 2);  // of 2 and 3
}
