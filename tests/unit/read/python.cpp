// Code, imports and the interpreter: from bytes to the model.
#include "report/model/build_process.hpp"
#include "report/model/build_python.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"

using namespace prof;
using model::Frame;
using test::ByteVector;
using test::LogBuilder;

namespace {

read::RawLog parsed_python(const LogBuilder& log) {
  const ByteVector bytes = log.bytes();
  return read::parse(bytes, bytes);
}

model::Process process_of(const LogBuilder& log) { return model::build_process(parsed_python(log), "1.proflog", 0); }

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
  const model::Process process = process_of(log);
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
  const read::RawLog raw = parsed_python(log);
  CHECK(raw.damage.bad_records == 5);
  REQUIRE(raw.codes.size() == 1);
  CHECK(raw.codes[0].record.id == 3);
  CHECK(raw.codes[0].line_table == "xxxxxxxx");
  CHECK(raw.imports.empty());
}

TEST_CASE("the same code under two ids is one, and so are its frames", "[model][python]") {
  LogBuilder log;
  const auto first = log.code("f", "", "a.py", 1, "t"), again = log.code("f", "", "a.py", 1, "t");
  const auto other = log.code("f", "", "a.py", 2, "t");
  const auto a = log.node(0, log.python(first, 8)), b = log.node(0, log.python(again, 8));
  const auto c = log.node(0, log.python(other, 8));
  log.cpu(a, 1, 10);
  log.cpu(b, 1, 20);
  log.cpu(c, 1, 40);
  const model::Process process = process_of(log);
  CHECK(process.codes.size() == 2);
  REQUIRE(process.tree.cpu.size() == 2);
  CHECK(process.tree.cpu[0].metric.ns == 30);
  const Frame& frame = process.tree.frames[process.tree.nodes[process.tree.cpu[0].node].frame];
  CHECK(frame.kind == Frame::Kind::Python);
  CHECK(frame.code == 0);
  CHECK(frame.place == 8);
}

TEST_CASE("code that is not there is unknown code: only without being announced it is damage", "[model][python]") {
  LogBuilder log;
  log.cpu(log.node(0, log.python(0, 4)), 1, 10);  // the writer could not describe it
  CHECK_FALSE(process_of(log).damage.any());
  log.cpu(log.node(0, log.python(77, 4)), 1, 20);
  const model::Process process = process_of(log);
  CHECK(process.damage.bad_references == 1);
  REQUIRE(process.tree.cpu.size() == 1);  // the same frame for both
  const Frame& frame = process.tree.frames[process.tree.nodes[process.tree.cpu[0].node].frame];
  CHECK(frame.kind == Frame::Kind::Python);
  CHECK(frame.code == model::kNoCode);
}

TEST_CASE("exact calls and lines leave the tree", "[model][python]") {
  LogBuilder log;
  const auto f = log.code("f", "", "a.py", 1), g = log.code("g", "", "a.py", 9);
  const auto whole_f = log.python(f, log::kWholeCode), whole_g = log.python(g, log::kWholeCode);
  const auto root = log.node(0, log.special(log::SpecialFrame::ExactCalls));
  const auto nobody = log.node(root, log.special(log::SpecialFrame::NoCaller)), by_f = log.node(root, whole_f);
  const auto top = log.node(nobody, whole_f), edge = log.node(by_f, whole_g), twin = log.node(by_f, whole_g);
  log.calls(top, {1, 1, 5, 50, 1, 50, 0});
  log.calls(edge, {2, 2, 20, 20, 2, 20, 1});
  log.calls(twin, {3, 3, 30, 30, 3, 30, 0});
  log.calls(edge, {UINT64_MAX, 0, 0, 0, 0, 0, 0}, 1);
  const auto lines = log.node(0, log.special(log::SpecialFrame::ExactLines));
  const auto line = log.node(lines, log.python_line(f, 3));
  log.lines(line, {7, 700});
  log.lines(line, {1, 100});
  log.cpu(log.node(0, log.python(f, 0)), 1, 10);
  const model::Process process = process_of(log);
  CHECK_FALSE(process.damage.any());
  CHECK(process.tree.nodes.size() == 2);
  REQUIRE(process.tree.calls.size() == 3);
  CHECK_FALSE(process.tree.calls[0].caller);
  CHECK(process.tree.calls[0].metric.outer_ns == 50);
  const model::CallRow& merged = process.tree.calls[1];
  REQUIRE(merged.caller);
  CHECK(process.tree.frames[*merged.caller].code == 0);
  CHECK(process.tree.frames[merged.callee].code == 1);
  CHECK(merged.metric == model::CallMetric{5, 5, 50, 50, 5, 50, 1});
  CHECK(process.tree.calls[2].slot == 1);
  CHECK(process.tree.calls[2].metric.calls == INT64_MAX);
  REQUIRE(process.tree.lines.size() == 1);
  CHECK(process.tree.lines[0].metric == model::LineMetric{8, 800});
  CHECK(process.tree.frames[process.tree.lines[0].frame].line == 3);
}

TEST_CASE("exact counts at places that are none are damage, and no time is lost by it", "[model][python]") {
  LogBuilder log;
  const auto f = log.python(log.code("f", "", "a.py", 1), log::kWholeCode);
  const auto native = log.native(log.module("/bin/a"), 0x10);
  const auto calls = log.node(0, log.special(log::SpecialFrame::ExactCalls));
  const auto caller = log.node(calls, f), callee = log.node(caller, f);
  const auto deep = log.node(callee, f), odd = log.node(caller, native);
  const auto stack = log.node(0, native);
  const auto below = log.node(stack, log.special(log::SpecialFrame::ExactCalls));  // no root: it has a caller
  for (const auto node : {calls, caller, deep, odd, stack, below}) log.calls(node, {1, 1, 1, 1, 1, 1, 1});
  for (const auto node : {callee, stack}) log.lines(node, {1, 1});
  log.cpu(callee, 1, 30);
  log.cpu(below, 1, 5);
  const model::Process process = process_of(log);
  CHECK(process.tree.calls.empty());
  CHECK(process.tree.lines.empty());
  CHECK(process.damage.bad_references == 9);
  std::int64_t ns = 0;
  for (const auto& row : process.tree.cpu) ns += row.metric.ns;
  CHECK(ns == 35);
}

TEST_CASE("what is known of the interpreter, of threads and their names", "[model][python]") {
  LogBuilder log;
  CHECK_FALSE(process_of(log).python);
  log.info(log::InfoKey::Python, "version=3.11.2\npath=/usr/bin/python3.11\nframes=off\nreason=a debug build\nodd");
  log.info(log::InfoKey::Python, "frames=on\nmode=calls\nnote=two tools\nnew=1");
  std::memset(log.thread(0).python_name, 'y', sizeof(log::ThreadRecord::python_name));  // no NUL
  log.thread(0).python_stacks = 9;
  log.thread(0).python_groups = 12;
  std::strcpy(log.thread(1).name, "kernel");
  const model::Process process = process_of(log);
  REQUIRE(process.python);
  CHECK(process.python->version == "3.11.2");
  CHECK(process.python->path == "/usr/bin/python3.11");
  CHECK(process.python->frames);
  CHECK(process.python->reason.empty());
  CHECK(process.python->mode == "calls");
  CHECK(process.python->note == "two tools");
  CHECK(process.threads[0].display_name() == std::string(48, 'y'));
  CHECK(process.threads[0].python_stacks == 9);
  CHECK(process.threads[0].python_groups == 12);
  CHECK(process.threads[1].display_name() == "kernel");
}

TEST_CASE("texts of any length are cut at a character", "[model][python]") {
  std::string name(4095, 'n');
  name += "\xc3\xa9";
  name += "more";
  LogBuilder log;
  log.code(name, "", "a.py", 1);
  CHECK(process_of(log).codes[0].name == std::string(4095, 'n'));
}
