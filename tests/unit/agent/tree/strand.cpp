// Strands as a region writes them into a real log.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "agent/log/file.hpp"
#include "agent/tree/region.hpp"
#include "tests/support/agent_log.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_strands.hpp"

using namespace prof;

namespace {

struct Rooms {
  tree::Region::FewIndex few_index;
  tree::Region::ManyIndex many_index;
  tree::Region::FewSeen few_seen;
  tree::Region::ManySeen many_seen;
};

class TestRegion {
 public:
  explicit TestRegion(std::uint32_t id) : id_(id) {
    test::agent_log();
    region.reset(id, {rooms_->few_index, rooms_->many_index, rooms_->few_seen, rooms_->many_seen});
  }

  // Null: there is no room.
  log::StrandRecord* write(std::uint32_t parent, std::uint32_t first, const std::vector<std::uint32_t>& frames) {
    const auto count = static_cast<std::uint32_t>(frames.size());
    tree::Region::NewStrand strand = region.begin_strand(parent, first, count);
    if (!strand) return nullptr;
    for (const std::uint32_t frame : frames) strand.put_frame(frame);
    return strand.end(first + count - 1);
  }

  // All of its strands that stand in the log.
  std::vector<test::Strand> written() const {
    std::vector<test::Strand> found;
    const log::Header& h = *log::header();
    const char* const log = reinterpret_cast<const char*>(&h);
    for (std::uint64_t at = log::kHeaderBytes; at < h.tail;) {
      const auto& chunk = *reinterpret_cast<const log::ChunkHeader*>(log + at);
      if (chunk.type == log::ChunkType::Strands && chunk.owner == id_) {
        const std::string content(log + at + sizeof chunk, chunk.bytes - sizeof chunk);
        for (const test::Strand& strand : test::strands_in(content)) found.push_back(strand);
      }
      at += chunk.bytes;
    }
    return found;
  }

  tree::Region region;

 private:
  std::uint32_t id_;
  std::unique_ptr<Rooms> rooms_ = std::make_unique<Rooms>();
};

}  // namespace

TEST_CASE("agent: strands stand in the log as they were made, over many chunks") {
  TestRegion r(201);
  std::vector<test::Strand> expected;
  std::uint32_t number = 1;
  for (std::uint32_t i = 0; i < 4000; ++i) {
    std::vector<std::uint32_t> frames;
    for (std::uint32_t k = 0; k <= i % 40; ++k) frames.push_back((i * 7919 + k * 131) % 16'000'000 + 1);
    const std::uint32_t parent = i % 3 == 0 ? i * 4001 : i % 3 == 1 ? log::kStrandNodes + number - 1 : 0;
    const bool has_parent = !log::is_strand(parent) || number > 1;
    log::StrandRecord* const made = r.write(has_parent ? parent : 0, number, frames);
    REQUIRE(made != nullptr);
    CHECK(r.region.owns(*made));
    CHECK((made->life & log::kBlockKinds) == 0);
    number += static_cast<std::uint32_t>(frames.size());
    expected.push_back({number - 1, has_parent ? parent : 0, frames});
    number += i % 5;  // others take some in between
  }
  const std::vector<test::Strand> written = r.written();
  REQUIRE(written.size() == expected.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    CHECK(written[i].number == expected[i].number);
    CHECK(written[i].parent == expected[i].parent);
    REQUIRE(written[i].frames == expected[i].frames);
  }
  CHECK_FALSE(r.region.small());
  TestRegion other(202);
  CHECK_FALSE(other.region.owns(*r.write(0, number, {1})));
}

TEST_CASE("agent: what has more frames than a strand can have is none, and hinders no other") {
  TestRegion r(203);
  CHECK(r.write(0, 1, std::vector<std::uint32_t>(1000, 77)) == nullptr);
  CHECK(r.write(0, 1, std::vector<std::uint32_t>(240, 16'777'215)) != nullptr);
  REQUIRE(r.written().size() == 1);
  CHECK(r.written()[0].frames == std::vector<std::uint32_t>(240, 16'777'215));
}

// Catches the rest of a longer one that nobody ended, read as if it were a strand.
TEST_CASE("agent: a strand that was left before its end is not there, and the next one takes its place") {
  TestRegion r(204);
  REQUIRE(r.write(0, 1, {5, 6}) != nullptr);
  {
    tree::Region::NewStrand left = r.region.begin_strand(log::kStrandNodes + 2, 3, 60);
    for (std::uint32_t i = 0; i < 60; ++i) left.put_frame(9'000'000 + i);
  }
  CHECK(r.written().size() == 1);
  REQUIRE(r.write(log::kStrandNodes + 1, 63, {8}) != nullptr);
  const std::vector<test::Strand> written = r.written();
  REQUIRE(written.size() == 2);
  CHECK(written[1].frames == std::vector<std::uint32_t>{8});
  CHECK(written[1].parent == log::kStrandNodes + 1);
}

TEST_CASE("agent: a region that knew nothing any more goes on behind its strands") {
  std::uint32_t first = 0;
  {
    TestRegion r(205);
    REQUIRE(r.write(0, 1, {5, 6}) != nullptr);
    REQUIRE(r.region.record(log::kStrandNodes + 2, log::RecordClass::Cpu, log::kCpuWordCount) != nullptr);
    REQUIRE(r.write(log::kStrandNodes + 2, 3, {7}) != nullptr);
    REQUIRE(r.region.small());
    first = r.region.rest();
    REQUIRE(first != 0);
  }
  const std::uint64_t tail = log::header()->tail;
  TestRegion r(205);
  r.region.resume(first);
  CHECK(r.region.find(log::kStrandNodes + 2, log::RecordClass::Cpu) != nullptr);
  CHECK(r.region.find(2, log::RecordClass::Cpu) == nullptr);
  REQUIRE(r.write(0, 4, {8}) != nullptr);
  CHECK(log::header()->tail == tail);
  const std::vector<test::Strand> written = r.written();
  REQUIRE(written.size() == 3);
  CHECK(written[2].frames == std::vector<std::uint32_t>{8});
}
