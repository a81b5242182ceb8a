// The rule about exceptions that are kept with what they refer to.
#include <fstream>

#include "tests/unit/support/findings_run.hpp"

using namespace prof;
using test::FindingsRun;

namespace {

constexpr std::uint64_t kOneMiB = 1 << 20;

struct Held {
  std::uint64_t mib = 100;         // at the peak, of what parse() made
  std::uint64_t all_mib = 1'000;   // made in all
  std::uint64_t others_mib = 100;  // what else lived
  std::uint64_t blocks = 100;
};

std::vector<findings::Finding> kept(const std::string& kept, Held held = {}, const std::string& raised = "raise Bad(x)",
                                    const std::string& first = "body = bytes(x)") {
  FindingsRun run;
  run.log.header.heap.epoch = run.log.header.maps.epoch = 1;
  const std::string file = (run.directory() / "feed.py").string();
  std::ofstream(file) << "def parse(x):\n    " << first << "\n    " << raised
                      << "\n\ndef run(all):\n    for x in all:\n        try:\n            parse(x)\n"
                         "        except Bad as error:\n            "
                      << kept << "\n";
  const auto memory = [&](std::uint32_t node, std::uint64_t all, std::uint64_t most, std::uint64_t count) {
    log::HeapWords words = test::memory_words(count * log::kCountUnit, all * kOneMiB, count * log::kCountUnit,
                                              all * kOneMiB, most * kOneMiB, 1, count);
    words.largest = most * kOneMiB / count;
    run.log.memory(log::RecordClass::Heap, node, words);
  };
  const auto parse = run.line(run.line(0, run.code("run", file, 5), 3), run.code("parse", file, 1), 1);
  memory(parse, held.all_mib, held.mib, held.blocks);
  memory(run.train(12), held.others_mib, held.others_mib, 10);
  return run.look("kept-errors");
}

}  // namespace

TEST_CASE("findings: exceptions that are kept with what they refer to", "[findings]") {
  for (const std::uint64_t half : {1, 2}) {
    const auto found = kept("failed.append((x, error))", {.mib = 100 / half});
    REQUIRE(found.size() == 1);
    CHECK(found.front().saves_bytes == static_cast<std::int64_t>(100 * kOneMiB / half));
    REQUIRE(found.front().places.size() == 2);
    CHECK(found.front().places[0].line == 10);
    CHECK(found.front().places[0].function == "run");
    CHECK(found.front().places[1].line == 2);
  }
  CHECK(kept("failed.append(str(error))").empty());
  CHECK(kept("failed.append(error)", {}, "return body").empty());           // the function raises nothing
  CHECK(kept("failed.append(error)", {}, "pass", "raise Bad(x)").empty());  // before anything is made
  CHECK(kept("failed.append(error)", {.all_mib = 110}).empty());            // each call's is kept: a result
  CHECK(kept("failed.append(error)", {.mib = 20}).empty());                 // little
  CHECK(kept("failed.append(error)", {.others_mib = 900}).empty());         // a small part
  CHECK(kept("failed.append(error)", {.blocks = 2}).empty());               // of the call that runs
}
