#include "report/fold/python/exact_calls.hpp"
#include "report/fold/python/imports.hpp"
#include "report/fold/python/line_hits.hpp"
#include "report/fold/time/edges.hpp"
#include "report/fold/time/library_loading.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/python_run.hpp"

using namespace prof;

namespace {

constexpr std::int64_t kMs = 1'000'000;

const fold::CalledFunction& called(const fold::ExactCalls& calls, const std::string& name) {
  for (const fold::CalledFunction& function : calls.functions) {
    if (function.name == name) return function;
  }
  FAIL("no function " << name);
  throw std::logic_error(name);
}

}  // namespace

TEST_CASE("exact calls are summed over callers and threads") {
  const test::PythonRun python;
  const fold::ExactCalls calls = fold::exact_calls(python.run, python.selection);
  REQUIRE(calls.functions.size() == 3);
  REQUIRE(calls.edges.size() == 4);
  const fold::CalledFunction& fit = calls.functions.front();  // the most of its own
  CHECK(fit.display_name() == "Trainer.fit");
  CHECK(fit.file == "train.py");
  CHECK(fit.line == 4);
  CHECK(fit.total.calls == 8);
  CHECK(fit.total.primitive == 2);
  CHECK(fit.total.self_ns == 40 * kMs);
  CHECK(fit.total.outer_ns == 90 * kMs);
  CHECK(fit.total.raised == 1);
  const fold::CalledFunction& length = called(calls, "<built-in method builtins.len>");
  CHECK(length.total.calls == 12);
  CHECK(length.file.empty());
  for (const fold::CallEdge& edge : calls.edges) {
    if (!edge.caller) CHECK(calls.functions[edge.callee].name == "<module>");
  }
}

TEST_CASE("exact calls of a thread or a process alone") {
  test::PythonRun python;
  python.selection.threads = {"helper"};
  const fold::ExactCalls calls = fold::exact_calls(python.run, python.selection);
  REQUIRE(calls.edges.size() == 1);
  CHECK(called(calls, "<built-in method builtins.len>").total.calls == 7);
  python.selection.threads.clear();
  python.selection.pids = {1};
  CHECK(fold::exact_calls(python.run, python.selection).empty());
}

TEST_CASE("the same function in two processes is one") {
  test::PythonRun python;
  python.run.processes.push_back(python.run.processes.front());
  const fold::ExactCalls calls = fold::exact_calls(python.run, python.selection);
  CHECK(calls.functions.size() == 3);
  CHECK(called(calls, "fit").total.calls == 16);
  const auto hits = fold::line_hits(python.run, python.selection);
  REQUIRE(hits.size() == 1);
  CHECK(hits.front().lines.front().metric.hits == 16);
}

TEST_CASE("line hits stand by function, lines ascending") {
  const test::PythonRun python;
  const auto hits = fold::line_hits(python.run, python.selection);
  REQUIRE(hits.size() == 1);
  const fold::FunctionHits& fit = hits.front();
  CHECK(fit.name == "Trainer.fit");
  CHECK(fit.file == "train.py");
  CHECK(fit.first_line == 4);
  CHECK(fit.ns == 24 * kMs);
  REQUIRE(fit.lines.size() == 2);
  CHECK(fit.lines[0].line == 5);
  CHECK(fit.lines[0].metric.hits == 8);
  CHECK(fit.lines[1].metric.ns == 18 * kMs);
}

TEST_CASE("imports are a tree in the order of their starts") {
  const test::PythonRun python;
  const auto rows = fold::imports(python.run, python.selection);
  std::vector<std::pair<std::string, std::uint32_t>> found;
  for (const fold::ImportRow& row : rows) found.emplace_back(row.import->name, row.depth);
  using Found = decltype(found);
  CHECK(found == Found{{"json", 0}, {"json.decoder", 1}, {"json.scanner", 2}, {"json.encoder", 1}, {"enum", 0}});
  CHECK(rows[0].import->self_ns() == 12'000'000);
}

TEST_CASE("imports of another thread are no part of the main thread's") {
  test::PythonRun python;
  model::Import& inner = python.run.processes.front().imports.at(1);  // json.decoder
  inner.slot = 1;
  for (const fold::ImportRow& row : fold::imports(python.run, python.selection)) {
    if (row.import->name == "json.decoder") CHECK(row.depth == 0);
  }
  python.selection.threads = {"helper"};
  CHECK(fold::imports(python.run, python.selection).size() == 1);
}

TEST_CASE("edges of all functions are what each function's neighbours say") {
  const test::PythonRun python;
  const fold::CallTree tree = fold::build_call_tree(python.run, python.symbols, python.selection);
  std::size_t compared = 0;
  for (const fold::GraphEdge& edge : fold::edges(tree)) {
    for (const fold::Edge& caller : fold::neighbours(tree, edge.callee).callers) {
      if (caller.function != edge.caller) continue;
      CHECK(caller.self == edge.self);
      CHECK(caller.cumulative == edge.cumulative);
      ++compared;
    }
  }
  CHECK(compared == fold::edges(tree).size());
  CHECK(compared >= 5);
}

TEST_CASE("loading: the loader itself, constructors by library, and no other service of the loader") {
  char pattern[] = "/tmp/prof-unit-XXXXXX";
  const std::filesystem::path directory = mkdtemp(pattern);
  {
    test::LogBuilder log;
    const std::uint32_t program = log.module("/nowhere/program"), loader = log.module("/nowhere/ld-linux-x86-64.so.2");
    const std::uint32_t c = log.module("/nowhere/libc.so.6"), big = log.module("/nowhere/libbig.so");
    const std::uint32_t small = log.module("/nowhere/libsmall.so");
    const std::uint32_t main = log.node(0, log.native(program, 0x10));
    const std::uint32_t open = log.node(log.node(main, log.native(c, 0x10)), log.native(loader, 0x10));
    const std::uint32_t init = log.node(open, log.native(loader, 0x20));
    const std::uint32_t constructor = log.node(init, log.native(big, 0x10));
    log.cpu(main, 1, 1'000);
    log.cpu(open, 1, 20'000);
    log.cpu(log.node(open, log.native(c, 0x20)), 1, 30'000);  // libc working for the loader
    log.cpu(constructor, 1, 400'000);
    log.cpu(log.node(constructor, log.native(c, 0x20)), 1, 500'000);  // libc working for the constructor
    // The constructor loads another library.
    const std::uint32_t nested = log.node(constructor, log.native(loader, 0x10));
    log.cpu(log.node(nested, log.native(small, 0x10)), 1, 6'000'000);
    log.write(directory / "1.1.proflog");
  }
  const model::Run run = model::load(directory);
  const symbols::Symbols symbols = symbols::symbolize(run);
  const fold::Loading loading = fold::loading(fold::build_call_tree(run, symbols));
  CHECK(loading.loader_ns == 50'000);
  REQUIRE(loading.libraries.size() == 2);
  CHECK(loading.libraries[0].module == "/nowhere/libsmall.so");
  CHECK(loading.libraries[0].constructors == 6'000'000);
  CHECK(loading.libraries[1].constructors == 900'000);
  CHECK(loading.libraries[1].samples == 2);
  std::filesystem::remove_all(directory);
}
