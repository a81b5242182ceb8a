#include "report/fold/call_tree.hpp"

#include <cstring>
#include <map>
#include <string>

#include "report/fold/time/functions.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/folded.hpp"

using namespace prof;
using test::Folded;
using test::Program;
using test::Stacks;
using test::Times;

namespace {

fold::Selection focus_on(const std::string& focus, const std::string& ignore = "") {
  fold::Selection selection;
  if (!focus.empty()) selection.focus = fold::Pattern(focus);
  if (!ignore.empty()) selection.ignore = fold::Pattern(ignore);
  return selection;
}

}  // namespace

TEST_CASE("tottime is a function's own, cumtime all below it", "[fold]") {
  Program p;
  p.cpu({1, 2}, 100);
  p.cpu({1, 3}, 30);
  p.cpu({1}, 5);
  CHECK(Folded({&p}).times() == Times{{"f1", {5, 135}}, {"f2", {100, 100}}, {"f3", {30, 30}}});
}

TEST_CASE("recursion counts once", "[fold]") {
  Program p;
  p.cpu({1, 2, 2, 2}, 100);    // direct
  p.cpu({1, 2, 3, 2, 3}, 10);  // mutual
  p.cpu({2, 1}, 7);            // the other way round
  CHECK(Folded({&p}).times() == Times{{"f1", {7, 117}}, {"f2", {100, 117}}, {"f3", {10, 10}}});
}

TEST_CASE("all rows together are the CPU time, sampled or not", "[fold]") {
  Program p;
  p.log.header.cpu_ns = 1000;
  p.cpu({1, 2}, 600);
  const Folded folded({&p});
  CHECK(folded.times() == Times{{"f1", {0, 600}}, {"f2", {600, 600}}, {"(unsampled)", {400, 400}}});
  CHECK(folded.tree.total().cpu.ns == 1000);
  CHECK(folded.symbols.function(folded.symbols.unsampled()).special);
}

TEST_CASE("the profiler's own time is one row, whoever noted it", "[fold]") {
  Program p;
  p.log.header.cpu_ns = 1000;
  p.log.header.helper_cpu_ns = 100;
  p.cpu({1, 2}, 600);
  p.log.cpu(p.log.node(0, p.log.frame(log::frame_word(log::FrameKind::Special, 14))), 3, 250);
  CHECK(Folded({&p}).times() ==
        Times{{"f1", {0, 600}}, {"f2", {600, 600}}, {"(profiler)", {350, 350}}, {"(unsampled)", {50, 50}}});
}

TEST_CASE("what was recorded on no stack is not lost", "[fold]") {
  Program p;
  p.log.cpu(0, 1, 50);
  const auto no_stack = p.log.frame(log::frame_word(log::FrameKind::Special, 2));
  const auto truncated = p.log.frame(log::frame_word(log::FrameKind::Special, 1));
  const auto anonymous = p.log.frame(log::frame_word(log::FrameKind::Anonymous, 0x7fff0000));
  p.log.cpu(p.log.node(0, no_stack), 1, 3);
  p.log.cpu(p.log.node(p.log.node(0, truncated), anonymous), 1, 4);
  const Stacks stacks = Folded({&p}).stacks();
  CHECK(stacks.at("(no stack)") == 53);
  CHECK(stacks.at("(truncated);(code outside any file)") == 4);
}

TEST_CASE("a function that was made at run time is a frame of its stack, once for all of its addresses", "[fold]") {
  Program p;
  const auto kernel = p.log.named(log::NameKind::MadeCode, "jit_kernel", "/src/jit_kernel.cpp");
  p.log.cpu(p.log.node(p.path({1}), kernel), 1, 30);
  p.log.cpu(p.log.node(p.path({2}), kernel), 1, 5);
  const Folded folded({&p});
  CHECK(folded.times().at("jit_kernel") == std::pair<std::int64_t, std::int64_t>{35, 35});
  CHECK(folded.stacks().at("f1;jit_kernel") == 30);
  const auto frame = folded.run.processes.front().tree.frames;
  for (std::uint32_t i = 0; i < frame.size(); ++i) {
    if (frame[i].kind != model::Frame::Kind::Anonymous) continue;
    const auto location = folded.symbols.locations(0, i)[0];
    const symbols::Function& function = folded.symbols.function(folded.symbols.location(location).function);
    CHECK(function.language == symbols::Language::Native);
    CHECK(function.file == "/src/jit_kernel.cpp");
    CHECK(function.module == "(made at run time)");
  }
}

TEST_CASE("frames of the profiler itself are hidden, their figures are not", "[fold]") {
  Program p;
  const auto agent = p.log.module("/opt/lib/libprof.so");
  const auto main = p.path({1});
  const auto trampoline = p.log.node(main, p.log.native(agent, 0x50));
  const auto routine = p.log.node(trampoline, p.log.native(1, 2));
  p.log.cpu(routine, 1, 10);
  p.log.cpu(trampoline, 1, 5);
  CHECK(Folded({&p}).stacks() == Stacks{{"f1;f2", 10}, {"f1", 5}});
  symbols::Options all;
  all.hide_agent = false;
  CHECK(Folded({&p}, {}, all).stacks() == Stacks{{"f1;f50;f2", 10}, {"f1;f50", 5}});
}

TEST_CASE("the same function in two processes is one row", "[fold]") {
  Program a(100), b(200), other(300, "/nowhere/q");
  a.cpu({1, 2}, 10);
  b.cpu({1, 2}, 20);
  other.cpu({1}, 4);
  const Folded folded({&a, &b, &other});
  const auto rows = fold::functions(folded.tree);
  REQUIRE(rows.size() == 3);
  CHECK(rows[0].self.cpu.ns == 30);
  CHECK(rows[0].self.cpu.samples == 2);
  fold::Selection second;
  second.pids = {200};
  CHECK(Folded({&a, &b, &other}, second).stacks() == Stacks{{"f1;f2", 20}});
}

TEST_CASE("focus and ignore keep and drop whole stacks", "[fold]") {
  Program p;
  p.cpu({1, 2}, 100);
  p.cpu({1, 3}, 30);
  p.cpu({1, 3, 2}, 7);
  CHECK(Folded({&p}, focus_on("0x2$")).stacks() == Stacks{{"f1;f2", 100}, {"f1;f3;f2", 7}});
  CHECK(Folded({&p}, focus_on("0x2$", "0x3$")).stacks() == Stacks{{"f1;f2", 100}});
  CHECK(Folded({&p}, focus_on("", "0x3$")).stacks() == Stacks{{"f1;f2", 100}});
  CHECK(Folded({&p}, focus_on("nothing")).stacks().empty());
  CHECK(fold::functions(Folded({&p}, focus_on("nothing")).tree).empty());
}

TEST_CASE("one thread can be looked at alone", "[fold]") {
  Program p;
  p.log.thread(0);
  std::strcpy(p.log.thread(1).name, "loader");
  p.cpu({1}, 10, 0);
  p.cpu({2}, 20, 1);
  const auto node = p.path({3});
  p.log.memory(log::RecordClass::Heap, node, test::memory_words(log::kCountUnit, 100, 0, 0, 0, 0, 1), 0);
  p.log.memory(log::RecordClass::Heap, node, test::memory_words(0, 0, log::kCountUnit, 100, 0, 0, 0),
               1);  // freed by the other
  fold::Selection by_name, by_tid;
  by_name.threads = {"loader"};
  by_tid.threads = {"1000"};
  CHECK(Folded({&p}, by_name).stacks() == Stacks{{"f2", 20}});
  const Folded first({&p}, by_tid);
  CHECK(first.stacks() == Stacks{{"f1", 10}});
  CHECK(first.stacks(model::Measure::Allocated) == Stacks{{"f3", 100}});
  CHECK_FALSE(first.tree.live_known());
  CHECK(first.tree.total().heap.peak_bytes == 0);
  CHECK(Folded({&p}).tree.live_known());
}

TEST_CASE("callers and callees of a function", "[fold]") {
  Program p;
  p.cpu({1, 3, 4}, 100);
  p.cpu({2, 3}, 10);
  p.cpu({3, 3, 4}, 5);
  const Folded folded({&p});
  const fold::Neighbours found = fold::neighbours(folded.tree, folded.function("f3"));
  CHECK(found.row.self.cpu.ns == 10);
  CHECK(found.row.cumulative.cpu.ns == 115);
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> callers, callees;
  for (const fold::Edge& edge : found.callers) {
    callers[edge.function == fold::kNoCaller ? "-" : folded.name(edge.function)] = {edge.self.cpu.ns,
                                                                                    edge.cumulative.cpu.ns};
  }
  for (const fold::Edge& edge : found.callees) {
    callees[folded.name(edge.function)] = {edge.self.cpu.ns, edge.cumulative.cpu.ns};
  }
  CHECK(callers == Times{{"f1", {0, 100}}, {"f2", {10, 10}}, {"-", {0, 5}}, {"f3", {0, 5}}});
  CHECK(callees == Times{{"f4", {105, 105}}, {"f3", {0, 5}}});
  CHECK(folded.name(found.callers.front().function) == "f1");
}

TEST_CASE("an edge that recurs on a stack counts once", "[fold]") {
  Program p;
  p.cpu({1, 2, 1, 2}, 10);
  const Folded folded({&p});
  const fold::Neighbours found = fold::neighbours(folded.tree, folded.function("f2"));
  REQUIRE(found.callers.size() == 1);
  CHECK(found.callers[0].cumulative.cpu.ns == 10);
  CHECK(found.row.cumulative.cpu.ns == 10);
}

TEST_CASE("modules count each stack once", "[fold]") {
  Program p;
  const auto library = p.log.module("/nowhere/lib.so");
  const auto one = p.path({1});
  const auto two = p.log.node(one, p.log.native(library, 2));
  const auto three = p.log.node(two, p.log.native(1, 3));
  const auto four = p.log.node(three, p.log.native(library, 4));
  p.log.cpu(four, 1, 10);
  p.log.cpu(one, 1, 1);
  const auto rows = fold::modules(Folded({&p}).tree);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].module == "/nowhere/lib.so");
  CHECK(rows[0].self.cpu.ns == 10);
  CHECK(rows[0].cumulative.cpu.ns == 10);
  CHECK(rows[1].self.cpu.ns == 1);
  CHECK(rows[1].cumulative.cpu.ns == 11);
}

// Catches a name that the report shows and a filter does not know.
TEST_CASE("a function is chosen by its name with and without parameters", "[fold]") {
  Program p(100);
  const auto kernel = p.log.named(log::NameKind::Kernel, "void sum<float>(float*, int)");
  p.log.cpu(p.log.node(p.path({1}), kernel), 1, 10);
  for (const char* chosen : {"^sum$", "sum<float>", R"(\(float\*, int\)$)"})
    CHECK(Folded({&p}, focus_on(chosen)).tree.total().cpu.ns == 10);
  CHECK(Folded({&p}, focus_on("^float")).stacks().empty());
}

TEST_CASE("names of any length can be filtered", "[fold]") {
  Program p(100, "/nowhere/" + std::string(30'000, 'a'));
  p.cpu({1}, 10);
  CHECK(Folded({&p}, focus_on("^(a|b)*c")).stacks().empty());
  CHECK(Folded({&p}, focus_on("^a")).tree.total().cpu.ns == 10);
}
