// Records of variable length: names, code, imports.
#include "report/read/raw_log.hpp"

#include "report/model/build_process.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/unit/support/parsed.hpp"

using namespace prof;
using test::ByteVector;
using test::LogBuilder;

namespace {

ByteVector code_record(std::uint32_t id, std::uint32_t name, std::uint32_t qualname, std::uint32_t file,
                       std::uint32_t table, std::size_t text_bytes) {
  log::CodeRecord record{};
  record.bytes = static_cast<std::uint32_t>(sizeof record + text_bytes);
  record.id = id;
  record.kind = log::CodeKind::Code;
  record.name_bytes = name;
  record.qualname_bytes = qualname;
  record.file_bytes = file;
  record.line_table_bytes = table;
  ByteVector bytes;
  test::append(bytes, record);
  bytes.resize(record.bytes, std::byte{'x'});
  return bytes;
}

}  // namespace

TEST_CASE("names that do not fit their record, and names that are not there", "[read]") {
  LogBuilder log;
  const auto name = log.name(log::NameKind::Kernel, "kernel");
  log.record(log::RecordClass::Device, log.node(0, log.named(name)), log::DeviceWords{1, 5, 5, 5, 0, 0});
  log.record(log::RecordClass::Device, log.node(0, log.named(log::kMaxNames - 1)), log::DeviceWords{1, 5, 5, 5, 0, 0});
  ByteVector bytes = log.bytes();
  CHECK(test::built(log).damage.bad_references == 1);
  test::first_of<log::NameRecord>(bytes, log::ChunkType::Names).group_bytes = UINT32_MAX;
  const read::RawLog raw = test::parsed(bytes);
  CHECK(raw.names.empty());
  CHECK(raw.damage.bad_records == 1);
  const model::Process process = model::build_process(raw, "log", 0);
  REQUIRE(process.tree.device.size() == 1);  // nobody can tell them apart
  CHECK(process.tree.device[0].metric.count == 2);
  CHECK(process.tree.frames[process.tree.nodes[process.tree.device[0].node].frame].name == model::kNoName);
}

// Catches a maker of records that was stopped for good, and with it all that others made after it.
TEST_CASE("a record that was never finished hides nothing behind it", "[read]") {
  LogBuilder log;
  log.name(log::NameKind::Kernel, "left");
  const auto name = log.name(log::NameKind::Kernel, "kernel");
  log.record(log::RecordClass::Device, log.node(0, log.named(name)), log::DeviceWords{1, 5, 5, 5, 0, 0});
  ByteVector bytes = log.bytes();
  auto& left = test::first_of<log::NameRecord>(bytes, log::ChunkType::Names);
  const std::uint32_t length = left.bytes;
  left = {};
  left.bytes = length | log::kUnfinished;
  const read::RawLog raw = test::parsed(bytes);
  CHECK(raw.names.size() == 1);
  CHECK_FALSE(model::build_process(raw, "log", 0).damage.any());
  for (const std::uint32_t wrong : {log::kUnfinished, 12U | log::kUnfinished, 0xfffffff8U | log::kUnfinished}) {
    left.bytes = wrong;
    const read::RawLog spoilt = test::parsed(bytes);
    CHECK(spoilt.names.empty());
  }
}

TEST_CASE("code and imports come back as they were written", "[read][python]") {
  LogBuilder log;
  log.code("fit", "Trainer.fit", "train.py", 4, std::string("\x80\x01\0", 3), log::CodeKind::Code, 12);
  log.code("<built-in method builtins.len>", "", "", 0, "", log::CodeKind::Builtin);
  log::ImportRecord import{};
  import.depth = 2;
  import.start_ns = 10;
  import.total_ns = 30;
  import.nested_ns = 12;
  import.flags = log::kImportFailed;
  log.import(import, "json.decoder");
  const model::Process process = test::built(log);
  CHECK_FALSE(process.damage.any());
  REQUIRE(process.codes.size() == 2);
  const model::Code& code = process.codes[0];
  CHECK(code.name == "fit");
  CHECK(code.display_name() == "Trainer.fit");
  CHECK(code.file == "train.py");
  CHECK(code.first_line == 4);
  CHECK(code.minor == 12);
  CHECK(code.line_table == std::string("\x80\x01\0", 3));
  CHECK(process.codes[1].kind == log::CodeKind::Builtin);
  CHECK(process.codes[1].display_name() == "<built-in method builtins.len>");
  REQUIRE(process.imports.size() == 1);
  CHECK(process.imports[0].name == "json.decoder");
  CHECK(process.imports[0].depth == 2);
  CHECK(process.imports[0].self_ns() == 18);
  CHECK(process.imports[0].failed);
}

TEST_CASE("records of code with lengths that do not fit are skipped", "[read][python]") {
  LogBuilder log;
  log.chunk(log::ChunkType::Codes, code_record(1, 8, 8, 8, 9, 32));           // one byte too many
  log.chunk(log::ChunkType::Codes, code_record(2, UINT32_MAX, 1, 0, 0, 32));  // the sum would wrap around
  log.chunk(log::ChunkType::Codes, code_record(0, 1, 1, 1, 1, 32));           // no id
  log.chunk(log::ChunkType::Codes, code_record(log::kMaxCodes, 1, 1, 1, 1, 32));
  log.chunk(log::ChunkType::Codes, code_record(3, 8, 8, 8, 8, 32));
  ByteVector import;
  log::ImportRecord record{};
  record.bytes = sizeof record;
  record.name_bytes = 1;
  test::append(import, record);
  log.chunk(log::ChunkType::Imports, import);
  const read::RawLog raw = test::parsed(log);
  CHECK(raw.damage.bad_records == 5);
  REQUIRE(raw.codes.size() == 1);
  CHECK(raw.codes[0].record.id == 3);
  CHECK(raw.codes[0].line_table == "xxxxxxxx");
  CHECK(raw.imports.empty());
}
