#include "report/read/schema.hpp"

#include <string>

#include "report/model/build_process.hpp"
#include "report/read/raw_log.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/support/step_log.hpp"

using namespace prof;
using test::ByteVector;
using test::LogBuilder;

namespace {

using R = log::RecordClass;

std::string own_schema() { return {log::kSchema.data(), log::kSchema.size()}; }

// The schema of another agent: this one's, but for one line.
std::string schema_with(R what, const std::string& fields) {
  std::string text = own_schema();
  const std::size_t line = text.find("class " + std::to_string(static_cast<std::uint32_t>(what)) + " ");
  const std::size_t from = text.find(": ", line) + 2;
  return text.replace(from, text.find('\n', from) - from, fields);
}

// Behind all records, where it has to be found too.
ByteVector log_with(LogBuilder log, const std::string& schema) {
  ByteVector content;
  test::append_text(content, schema);
  log.chunk(log::ChunkType::Schema, content);
  return log.bytes();
}

read::RawLog parsed(const LogBuilder& log, const std::string& schema) {
  const ByteVector bytes = log_with(log, schema);
  return read::parse(bytes, bytes);
}

LogBuilder one_record(R what, const std::vector<std::uint64_t>& words) {
  LogBuilder log;
  log.raw_record(log::record_header(1, what, static_cast<std::uint32_t>(words.size())), words);
  return log;
}

}  // namespace

TEST_CASE("a log with this program's own schema, or none, is read as it stands", "[read]") {
  read::Schema schema;
  CHECK(schema.layout(R::Heap) == nullptr);
  CHECK(schema.read(own_schema()));
  for (const log::RecordFields& record : log::kRecordFields) CHECK(schema.layout(record.id) == nullptr);
  CHECK(schema.read(own_schema() + "class 99 later: what count sum\n"));
  for (const log::RecordFields& record : log::kRecordFields) CHECK(schema.layout(record.id) == nullptr);
}

TEST_CASE("fields of a newer agent are skipped, wherever they stand", "[read]") {
  const read::RawLog log = parsed(one_record(R::Lines, {77, 5, 88, 50, 99}),
                                  schema_with(R::Lines,
                                              "new count sum; hits count sum; newer shift:8,way:56; ns "
                                              "nanoseconds sum; newest bytes max"));
  CHECK_FALSE(log.damage.any());
  REQUIRE(log.lines.size() == 1);
  CHECK(log.lines[0].words.hits == 5);
  CHECK(log.lines[0].words.ns == 50);
}

TEST_CASE("what an older agent did not count is zero, and no least time", "[read]") {
  LogBuilder builder;
  const auto wait = builder.node(0, builder.special(log::SpecialFrame::Waits));
  const auto read = builder.node(wait, builder.named(log::NameKind::Wait, "read", "file"));
  builder.raw_record(log::record_header(read, R::WaitTotal, 4), {3, 900, 700, 4096});
  const ByteVector bytes = log_with(builder, schema_with(R::WaitTotal,
                                                         "calls count sum; total_ns nanoseconds sum; "
                                                         "max_ns nanoseconds max; bytes bytes sum"));
  const model::Process process = model::build_process(read::parse(bytes, bytes), "log", 0);
  CHECK_FALSE(process.damage.any());
  REQUIRE(process.tree.wait_totals.size() == 1);
  const model::WaitTotal& total = process.tree.wait_totals[0].metric;
  CHECK(total.calls == 3);
  CHECK(total.failed == 0);
  CHECK(total.ns == 900);
  CHECK_FALSE(total.each.min_ns);
  CHECK(total.each.max_ns == 700);
  CHECK(total.bytes == 4096);
  CHECK(total.last_errno == 0);
}

TEST_CASE("fields in another order are found by their names, frees in the earlier copy", "[read]") {
  const std::string schema = schema_with(
      R::Heap, "freed_bytes bytes sum; bytes bytes sum; freed_count 1/65536 sum; count 1/65536 sum; largest bytes max");
  const auto log_of = [&](std::uint64_t frees) {
    LogBuilder log;
    log.raw_record(log::record_header(1, R::Heap, 5), {100 * frees, 300, 65536 * frees, 3 * 65536, 100});
    // "as class 2": so has this one.
    log.raw_record(log::record_header(1, R::Map, 5), {0, 8192, 0, 65536, 8192});
    return log_with(log, schema);
  };
  const read::RawLog log = read::parse(log_of(1), log_of(2));
  REQUIRE(log.heap.words.size() == 1);
  const log::HeapWords& words = log.heap.words[0].words;
  CHECK(words.count == 3 * 65536);
  CHECK(words.bytes == 300);
  CHECK(words.freed_count == 65536);
  CHECK(words.freed_bytes == 100);
  CHECK(words.largest == 100);
  CHECK(words.samples == 0);
  REQUIRE(log.maps.words.size() == 1);
  CHECK(log.maps.words[0].words.bytes == 8192);
  CHECK(log.maps.words[0].words.largest == 8192);
}

TEST_CASE("words without names are told by how many there are", "[read]") {
  std::vector<std::uint64_t> words(1 + 4, 0);
  words[0] = 1;
  words[4] = 44;
  const read::RawLog log =
      parsed(one_record(R::HeapSizes, words), schema_with(R::HeapSizes, "new count sum; 4 count sum; rest count sum"));
  REQUIRE(log.heap.sizes.size() == 1);
  const log::HeapSizesWords& sizes = log.heap.sizes[0].words;
  CHECK(sizes.count[0] == 0);
  CHECK(sizes.count[3] == 44);
  CHECK(sizes.count[4] == 0);
}

TEST_CASE("a record shorter than its description lacks what is behind it", "[read]") {
  const read::RawLog log =
      parsed(one_record(R::Lines, {77}), schema_with(R::Lines, "ns nanoseconds sum; hits count sum"));
  REQUIRE(log.lines.size() == 1);
  CHECK(log.lines[0].words.ns == 77);
  CHECK(log.lines[0].words.hits == 0);
}

// Agents of minor version 7 forgot to tell of some words that they wrote.
TEST_CASE("words behind a description that stops early are what they are without one", "[read]") {
  const read::RawLog log =
      parsed(one_record(R::Operator, {1, 2, 0, 2, 2, 5, 6, 7, 8}),
             schema_with(R::Operator,
                         "calls count sum; total_ns nanoseconds sum; nested_ns nanoseconds sum; min_ns "
                         "nanoseconds min; max_ns nanoseconds max; host_bytes bytes sum"));
  REQUIRE(log.operators.size() == 1);
  CHECK(log.operators[0].words.device_bytes == 6);
  CHECK(log.operators[0].words.unlinked == 8);
  const read::RawLog shorter =
      parsed(one_record(R::Range, {1, 5}), schema_with(R::Range, "count count sum; total_ns nanoseconds sum"));
  REQUIRE(shorter.ranges.size() == 1);
  CHECK(shorter.ranges[0].words.total_ns == 5);
  CHECK(shorter.ranges[0].words.min_ns == UINT64_MAX);  // none, rather than 0
  CHECK(shorter.ranges[0].words.max_ns == 0);
}

TEST_CASE("a damaged schema is told, and records are read as this program knows them", "[read]") {
  const std::string swapped = "ns nanoseconds sum; hits count sum";
  const std::string good = schema_with(R::Lines, swapped);
  for (const std::string& bad : {
           "x" + good,                                               // does not begin as one
           good + "class 4 calls: calls count sum\n",                // a class twice
           good + "class 0 none: calls count sum\n",                 // no class
           good + "class 256 none: calls count sum\n",               //
           good + "class 60: calls count sum\n",                     // without a name
           good + "class 60 later:\n",                               // without fields
           good + "class 60 later: as class 61\n",                   // like one that is not there
           good + "class 60 later: as class 1 too\n",                //
           schema_with(R::Lines, swapped + "; hits count sum"),      // a field twice
           schema_with(R::Lines, swapped + ";"),                     // one that is missing
           schema_with(R::Lines, swapped + "; more"),                // without a unit
           schema_with(R::Lines, swapped + "; more count "),         // without its rule
           schema_with(R::Lines, swapped + "; more count sum sum"),  //
       }) {
    INFO(bad.substr(bad.size() - 60));
    const read::RawLog log = parsed(one_record(R::Lines, {5, 50}), bad);
    CHECK(log.damage.bad_schema);
    CHECK(log.damage.any());
    REQUIRE(log.lines.size() == 1);
    CHECK(log.lines[0].words.hits == 5);
    CHECK(log.lines[0].words.ns == 50);
  }
}

// A process can end while it writes it: no damage, and what stands there in full lines counts.
TEST_CASE("of a schema that was being written, the lines that are whole count", "[read]") {
  const std::string good = schema_with(R::Lines, "ns nanoseconds sum; hits count sum");
  const std::size_t at = good.find("ns nanoseconds sum; hits");
  const std::size_t end = good.find('\n', at);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, at + 5, end, end + 1, end + 9, good.size() - 1}) {
    INFO(size << " of " << good.size());
    const read::RawLog log = parsed(one_record(R::Lines, {5, 50}), good.substr(0, size) + std::string(8, '\0'));
    CHECK_FALSE(log.damage.bad_schema);
    REQUIRE(log.lines.size() == 1);
    CHECK(log.lines[0].words.hits == (size > end ? 50 : 5));
  }
}

TEST_CASE("no schema makes records longer than they can be", "[read]") {
  for (const char* many :
       {"0", "256", "4294967297", "99999999999999999999999", "-1", "2x", "250 count sum; 6", "254 count sum; a b; 1"}) {
    INFO(many);
    const read::RawLog log = parsed(one_record(R::HeapSizes, {5, 6}),
                                    schema_with(R::HeapSizes, "new count sum; " + std::string(many) + " count sum"));
    CHECK(log.damage.bad_schema);
    REQUIRE(log.heap.sizes.size() == 1);
    CHECK(log.heap.sizes[0].words.count[0] == 5);
  }
  const read::RawLog log =
      parsed(one_record(R::HeapSizes, {5, 6}), schema_with(R::HeapSizes, "new count sum; 254 count sum"));
  CHECK_FALSE(log.damage.bad_schema);
  REQUIRE(log.heap.sizes.size() == 1);
  CHECK(log.heap.sizes[0].words.count[0] == 6);
}

TEST_CASE("steps of another agent are found by the names of their fields", "[read]") {
  LogBuilder builder;
  ByteVector content;
  log::StepsHeader header = test::steps_header(log::StepSource::Optimizer);
  header.records = 2;
  header.record_words = 7;
  test::append(content, header);
  // One more part of steps than there are here, and no figures of those that are not the longest.
  for (const std::uint64_t word : {1, 1000, 88, 3, 1, 2, 3, 2, 2000, 88, 5, 4, 5, 6}) test::append(content, word);
  builder.chunk(log::ChunkType::Steps, content);
  const read::RawLog log = parsed(builder, schema_with(R::Step,
                                                       "count count sum; begin_ns nanoseconds min; newer count sum; "
                                                       "ns nanoseconds sum; 3 nanoseconds sum"));
  REQUIRE(log.steps);
  // They have no numbers, so none is known to follow another.
  CHECK(log.steps->records.empty());
  const read::RawLog numbered = parsed(builder, schema_with(R::Step,
                                                            "first number min; begin_ns nanoseconds min; newer count "
                                                            "sum; count count sum; 3 nanoseconds sum"));
  REQUIRE(numbered.steps);
  REQUIRE(numbered.steps->records.size() == 1);
  const log::StepRecord& step = numbered.steps->records[0];
  CHECK(step.first == 1);
  CHECK(step.count == 3);
  CHECK(step.begin_ns == 1000);
  CHECK(step.sum.parts_ns[2] == 3);
  CHECK(step.sum.parts_ns[3] == 0);
  CHECK(step.shortest_ns == UINT64_MAX);
  CHECK(step.longest_ns == 0);
}

TEST_CASE("points of another agent are found by the names of their fields", "[read]") {
  LogBuilder builder;
  // The other agent has the live bytes first, and the slot behind them.
  builder.series({{70, 3, 0, 0, 0, 9, 0, 0, 0}});
  builder.device_series(0, {{5, 600, 0, 0, 0, 0, 11, 12, 0, 0, 0, 0}});
  std::string schema = schema_with(R::SeriesPoint, "heap_live bytes snapshot; slot number");
  const std::string device = "class 253 ";
  const std::size_t at = schema.find(device);
  schema.replace(at, schema.find('\n', at) - at, device + "device_point: slot number; own_bytes bytes snapshot");
  const read::RawLog log = parsed(builder, schema);
  CHECK_FALSE(log.damage.any());
  REQUIRE(log.series);
  REQUIRE(log.series->points.size() == 1);
  CHECK(log.series->points[0].slot == 3);
  CHECK(log.series->points[0].heap_live == 70);
  CHECK(log.series->points[0].rss == 0);
  REQUIRE(log.device_series.size() == 1);
  REQUIRE(log.device_series[0].points.size() == 1);
  const log::DevicePoint& point = log.device_series[0].points[0];
  CHECK(point.slot == 5);
  CHECK(point.own_bytes == 600);
  CHECK(point.used_bytes == 0);
  CHECK(point.busy_percent == UINT32_MAX);  // not 0 %
  CHECK(point.clock_mhz == UINT32_MAX);
}

// Before they were described, logs had records of these classes in the order of this program's first version.
TEST_CASE("steps and points of an agent that does not describe them are read as they stand", "[read]") {
  std::string older = own_schema();
  older.resize(older.find("class 253 "));
  LogBuilder builder;
  test::add_steps(builder, test::steps_header(log::StepSource::Range), {test::step_record(1, 100, 40)});
  builder.series({{7, 3, 2, 0, 0, 9, 0, 0, 0}});
  builder.device_series(0, {{5, 600, 0, 0, 0, 0, 11, 12, 0, 0, 0, 0}});
  const read::RawLog log = parsed(builder, older);
  CHECK_FALSE(log.damage.any());
  REQUIRE(log.steps);
  REQUIRE(log.steps->records.size() == 1);
  CHECK(log.steps->records[0].ns == 40);
  REQUIRE(log.series);
  CHECK(log.series->points.at(0).slot == 7);
  CHECK(log.series->points.at(0).rss == 9);
  REQUIRE(log.device_series.size() == 1);
  CHECK(log.device_series[0].points.at(0).memory_busy_percent == 12);
}
