#include "report/model/build_process.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/log_builder.hpp"
#include "tests/unit/support/parsed.hpp"

using namespace prof;
using model::Frame;
using test::LogBuilder;

TEST_CASE("the same code under two ids is one, and so are its frames", "[model][python]") {
  LogBuilder log;
  const auto first = log.code("f", "", "a.py", 1, "t"), again = log.code("f", "", "a.py", 1, "t");
  const auto other = log.code("f", "", "a.py", 2, "t");
  const auto a = log.node(0, log.python(first, 8)), b = log.node(0, log.python(again, 8));
  const auto c = log.node(0, log.python(other, 8));
  log.cpu(a, 1, 10);
  log.cpu(b, 1, 20);
  log.cpu(c, 1, 40);
  const model::Process process = test::built(log);
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
  CHECK_FALSE(test::built(log).damage.any());
  log.cpu(log.node(0, log.python(77, 4)), 1, 20);
  const model::Process process = test::built(log);
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
  const model::Process process = test::built(log);
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
  const model::Process process = test::built(log);
  CHECK(process.tree.calls.empty());
  CHECK(process.tree.lines.empty());
  CHECK(process.damage.bad_references == 9);
  std::int64_t ns = 0;
  for (const auto& row : process.tree.cpu) ns += row.metric.ns;
  CHECK(ns == 35);
}

TEST_CASE("what is known of the interpreter, of threads and their names", "[model][python]") {
  LogBuilder log;
  CHECK_FALSE(test::built(log).python);
  log.info(log::InfoKey::Python, "version=3.11.2\npath=/usr/bin/python3.11\nframes=off\nreason=a debug build\nodd");
  log.info(log::InfoKey::Python, "frames=on\nmode=calls\nnote=two tools\nnew=1");
  std::memset(log.thread(0).python_name, 'y', sizeof(log::ThreadRecord::python_name));  // no NUL
  log.thread(0).python_stacks = 9;
  log.thread(0).python_groups = 12;
  std::strcpy(log.thread(1).name, "kernel");
  const model::Process process = test::built(log);
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
  CHECK(test::built(log).codes[0].name == std::string(4095, 'n'));
}
