// The rule about buffers that seeks throw away.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;
using test::has;
using test::kMs;
using test::kUs;

namespace {

struct Use {
  std::uint64_t reads = 200'000, seeks = 200'000, bytes = 8191;
  const char* above = "    file.seek(number * 48)";
  const char* reading = "    return file.read(48)";
};

// Two seconds; line 3 reads a record, line 2 stands above it.
std::vector<findings::Finding> look(const Use& use) {
  FindingsRun run;
  const std::string path = run.directory() / "readings.py";
  std::ofstream(path) << "def get(file, number):\n" << use.above << '\n' << use.reading << '\n';
  const std::uint32_t code = run.code("get", path), seek = run.line(0, code, 2), read = run.line(0, code, 3);
  log::FileWords words{};
  words.opens = 1;
  words.reads = use.reads;
  words.seeks = use.seeks;
  words.read_bytes = use.reads * use.bytes;
  words.read_ns = use.reads * kUs;
  const auto root = run.log.node(0, run.log.special(log::SpecialFrame::Files));
  run.log.record(log::RecordClass::File, run.log.node(root, run.log.named(log::NameKind::File, "/data/a.bin", "file")),
                 words);
  run.wait(read, "read", "file", use.reads, use.reads * kUs);
  run.log.cpu(seek, 20, 200 * kMs);
  run.log.cpu(run.train(20), 20, 200 * kMs);
  return run.look("lost-buffers");
}

}  // namespace

TEST_CASE("findings: a seek before each read of a buffered file", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = look({400'000 / half, 400'000 / half});
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves == Approx(half == 1 ? 0.3 : 0.2));
    REQUIRE(found.front().places.size() == 2);
    CHECK(found.front().places[0].line == 3);
    CHECK(found.front().places[1].line == 2);
    if (half == 1) CHECK(has(found.front().seen, "400,000 reads after 400,000 seeks read 3.05 GiB of /data/a.bin"));
  }
}

TEST_CASE("findings: buffered files that are read as they should be", "[findings]") {
  CHECK(look({200'000, 10, 8191}).empty());
  CHECK(look({200'000, 200'000, 48}).empty());      // no buffer
  CHECK(look({200'000, 200'000, 20'000}).empty());  // records of that size
  CHECK(look({200'000, 200'000, 8191, "    number += 1"}).empty());
  CHECK(look({500, 500, 8191}).empty());
  // Pages, and what the source does not tell.
  CHECK(look({200'000, 200'000, 8192, "    file.seek(number * 8192)", "    return file.read(8192)"}).empty());
  CHECK(look({200'000, 200'000, 8192, "    file.seek(number * size)", "    return file.read(size)"}).empty());
  CHECK(look({200'000, 200'000, 4096, "fseek(f, at, 0);", "fread(block, 1, 4096, f);"}).empty());
  CHECK(look({200'000, 200'000, 4096, "fseek(f, at, 0);", "fread(block, 1, 48, f);"}).size() == 1);
}
