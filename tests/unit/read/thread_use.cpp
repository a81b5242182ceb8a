#include "report/model/build_process.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/unit/support/parsed.hpp"

using namespace prof;
using test::ByteVector;
using test::LogBuilder;

TEST_CASE("what the system says of threads: nothing where it does not, slots that are there alone", "[read]") {
  LogBuilder log;
  log.thread(0);
  log.thread(1);
  log::ThreadUseRecord known{}, silent{};
  known.noted_ns = 5;
  known.known = log::kKnowsRunQueue | log::kKnowsDelay;
  known.run_queue_ns = 7;
  known.storage_delay_ns = UINT64_MAX;
  log.thread_uses({known, silent, known});
  ByteVector content;
  test::append(content, known);
  log.chunk(log::ChunkType::ThreadUse, content, 0, UINT64_MAX);
  const model::Process process = test::built(log);
  REQUIRE(process.threads.size() == 2);
  CHECK(process.threads[0].use.run_queue_ns == 7);
  CHECK(process.threads[0].use.storage_delay_ns == INT64_MAX);
  CHECK_FALSE(process.threads[0].use.major_faults);
  CHECK_FALSE(process.threads[1].use.run_queue_ns);
  CHECK(process.damage.bad_references == 2);
}
