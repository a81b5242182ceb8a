#include "report/fold/own/own_lines.hpp"

#include <numeric>

#include "report/fold/line_tree.hpp"
#include "report/fold/own/activity.hpp"
#include "report/show/own/own_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/python_run.hpp"

using namespace prof;
using fold::OwnLine;
using test::FindingsRun;
using test::kMs;

namespace {

fold::OwnLines lines_of(const show::Subject& subject, fold::OwnGroup group = fold::OwnGroup::Line) {
  return fold::own_lines(fold::line_tree(subject.run, subject.symbols, subject.selection), group);
}

const OwnLine& row(const fold::OwnLines& lines, std::uint32_t line) {
  for (const OwnLine& row : lines.rows) {
    if (row.own && row.line == line) return row;
  }
  FAIL("no line " << line);
  throw std::logic_error("row");
}

std::int64_t spent(const OwnLine& row, const std::string& on) {
  for (const fold::Part& part : row.spent) {
    if (part.name == on) return part.amount;
  }
  return 0;
}

constexpr std::int64_t kMillisecond = 1'000'000;

}  // namespace

TEST_CASE("own lines have all that they led to, and add up to the whole", "[fold]") {
  const test::PythonRun python;
  const fold::OwnLines lines = lines_of(python.subject());
  CHECK(row(lines, 5).cpu.ns == 60 * kMillisecond);
  CHECK(row(lines, 6).cpu.ns == 10 * kMillisecond);
  CHECK(row(lines, 6).memory.bytes == 4096);
  CHECK(spent(row(lines, 5), "own code") == 30 * kMillisecond);
  CHECK(spent(row(lines, 5), "libwork") == 30 * kMillisecond);
  REQUIRE_FALSE(lines.rows.back().own);
  CHECK(lines.rows.back().cpu.ns == 5 * kMillisecond);
  CHECK(lines.cpu_ns == 75 * kMillisecond);
  // Line 11 only calls: it has nothing of its own, and no row.
  CHECK(std::none_of(lines.rows.begin(), lines.rows.end(),
                     [](const OwnLine& r) { return r.line == 11 && r.cpu.ns != 0; }));
  const fold::OwnLines functions = lines_of(python.subject(), fold::OwnGroup::Function);
  CHECK(row(functions, 4).cpu.ns == 70 * kMillisecond);
}

// Catches packages, the standard library and generated code taken for the user's.
TEST_CASE("own code is what is installed nowhere", "[fold]") {
  for (const auto& [file, own] : std::initializer_list<std::pair<const char*, bool>>{
           {"/home/me/project/app.py", true},
           {"relative.py", true},
           {"/home/me/venv/lib/python3.11/site-packages/flask/app.py", false},
           {"/usr/lib/python3/dist-packages/numpy/core/numeric.py", false},
           {"/usr/lib/python3.11/json/decoder.py", false},
           {"/home/me/.pyenv/versions/3.12.1/lib/python3.12/threading.py", false},
           {"<frozen importlib._bootstrap>", false},
           {"<string>", false},
           {"<ipython-input-3-abc>", true},
       }) {
    INFO(file);
    FindingsRun run;
    run.log.cpu(run.line(0, run.code("f", file), 3), 1, kMs);
    CHECK(lines_of(run.subject()).any_own() == own);
  }
  CHECK(fold::below_packages("/v/lib/python3.11/site-packages/flask/app.py") == "flask/app.py");
  CHECK(fold::below_standard_library("/usr/lib/python3.11/json/decoder.py") == "json/decoder.py");
  CHECK(fold::below_standard_library("/v/lib/python3.11/site-packages/flask/app.py").empty());
}

// Catches what stands in front of a program to choose its version taken for the user's.
TEST_CASE("own scripts of a shell", "[fold]") {
  for (const auto& [file, own] : std::initializer_list<std::pair<const char*, bool>>{
           {"/home/me/project/build.sh", true},
           {"/home/me/project/.ci/run", true},
           {"/usr/bin/ldd", false},
           {"/home/me/.pyenv/shims/python3", false},
           {"/home/me/.nvm/nvm-exec", false},
       }) {
    INFO(file);
    FindingsRun run;
    run.log.cpu(run.log.node(0, run.log.named(log::NameKind::Script, "", file, 3)), 1, kMs);
    CHECK(lines_of(run.subject()).any_own() == own);
  }
}

TEST_CASE("own code is what python -c was given, and what the user says", "[fold]") {
  {
    FindingsRun run;
    run.log.info(log::InfoKey::Argv, std::string("python3\0-c\0print()", 18));
    run.log.cpu(run.line(0, run.code("<module>", "<string>"), 1), 1, kMs);
    CHECK(lines_of(run.subject()).any_own());
  }
  FindingsRun run;
  run.log.cpu(run.line(0, run.code("f", "/v/site-packages/mine/a.py"), 3), 1, kMs);
  run.log.cpu(run.line(0, run.code("f", "/v/site-packages/minecraft/a.py"), 4), 1, kMs);
  run.finish();
  CHECK_FALSE(lines_of(run.subject()).any_own());
  run.selection.own_paths = {"/v/site-packages/mine"};
  CHECK(lines_of(run.subject()).rows.size() == 2);
  CHECK(lines_of(run.subject()).rows.front().line == 3);
  run.selection.own_paths.clear();
  run.selection.all_own = true;
  CHECK(lines_of(run.subject()).rows.size() == 3);
}

TEST_CASE("what lines spend their time in: packages, activities, waits", "[fold]") {
  FindingsRun run;
  const auto mine = run.train(7);
  const auto pandas = run.line(mine, run.code("apply", "/v/site-packages/pandas/core/frame.py"), 5);
  const auto numpy = run.line(pandas, run.code("dot", "/v/site-packages/numpy/core/multiarray.py"), 5);
  run.log.cpu(numpy, 4, 40 * kMs);  // is pandas', which was asked
  const auto json = run.line(mine, run.code("dumps", "/usr/lib/python3.11/json/__init__.py"), 5);
  run.log.cpu(json, 2, 20 * kMs);
  const auto import = run.line(mine, run.code("<module>", "/v/site-packages/torch/__init__.py"), 5);
  run.log.cpu(run.line(import, run.code("f", "/v/site-packages/numpy/core/multiarray.py"), 5), 1, 10 * kMs);
  const auto wait = run.log.node(mine, run.log.named(log::NameKind::Wait, "recv", "network"));
  run.log.record(log::RecordClass::Wait, wait, log::WaitWords{3 * log::kCountUnit, 30 * kMs, 3});
  const fold::OwnLines lines = lines_of(run.subject());
  const OwnLine& seven = row(lines, 7);
  CHECK(seven.cpu.ns == 70 * kMillisecond);
  CHECK(seven.blocked_ns == 30 * kMillisecond);
  CHECK(spent(seven, "pandas") == 40 * kMillisecond);
  CHECK(spent(seven, "JSON") == 20 * kMillisecond);
  CHECK(spent(seven, "imports") == 10 * kMillisecond);
  CHECK(spent(seven, "waiting: network") == 30 * kMillisecond);
  CHECK(spent(seven, "numpy") == 0);
  CHECK(seven.spent.front().name == "pandas");
}

TEST_CASE("whose code allocated what a line held at the peak", "[fold]") {
  FindingsRun run;
  const auto mine = run.train(7);
  const auto pandas = run.line(mine, run.code("concat", "/v/site-packages/pandas/core/reshape/concat.py"), 5);
  const auto numpy = run.line(pandas, run.code("copy", "/v/site-packages/numpy/core/multiarray.py"), 5);
  const auto allocate = [&](std::uint32_t at, std::uint64_t peak) {
    run.log.memory(log::RecordClass::Heap, at,
                   test::memory_words(log::kCountUnit, 2 * peak, log::kCountUnit, 2 * peak, peak, 1, 1));
  };
  allocate(numpy, 3 << 20);
  allocate(mine, 1 << 20);
  const fold::OwnLines lines = lines_of(run.subject());
  const OwnLine& seven = row(lines, 7);
  CHECK(seven.memory.peak_bytes == 4 << 20);
  REQUIRE(seven.held.size() == 2);
  CHECK(seven.held[0].name == "pandas");
  CHECK(seven.held[0].amount == 3 << 20);
  CHECK(seven.held[1].name == "own code");
  CHECK(show::held_text(seven) == "pandas 75.0 %, own code 25.0 %");
}

// Catches the program itself taken for an import of it.
TEST_CASE("a module that is run is no import; what it imports is", "[fold]") {
  FindingsRun run;
  const auto runs = run.line(0, run.code("_run_code", "<frozen runpy>"), 3);
  const auto program = run.line(runs, run.code("<module>", "/usr/lib/python3.11/timeit.py"), 5);
  run.log.cpu(program, 5, 50 * kMs);
  run.log.cpu(run.line(program, run.code("<module>", "/v/site-packages/torch/__init__.py"), 5), 2, 20 * kMs);
  const fold::OwnLines lines = lines_of(run.subject());
  REQUIRE_FALSE(lines.any_own());
  CHECK(spent(lines.rows.back(), "timeit") == 50 * kMillisecond);
  CHECK(spent(lines.rows.back(), "imports") == 20 * kMillisecond);
}

// Catches the compilation of files taken for imports, since it goes through the import system.
TEST_CASE("files that are compiled are imports only where they are imported", "[fold]") {
  FindingsRun run;
  constexpr const char* kSystem = "<frozen importlib._bootstrap_external>";
  const auto compiles = [&](std::uint32_t above) {
    const auto source = run.line(above, run.code("SourceLoader.source_to_code", kSystem), 5);
    return run.line(source, run.code("_call_with_frames_removed", "<frozen importlib._bootstrap>"), 5);
  };
  const auto mine = run.train(7), other = run.train(8);
  run.log.cpu(compiles(run.line(mine, run.code("compile", "/usr/lib/python3.11/py_compile.py"), 5)), 4, 40 * kMs);
  run.log.cpu(compiles(run.line(other, run.code("_find_and_load", "<frozen importlib._bootstrap>"), 5)), 3, 30 * kMs);
  const fold::OwnLines lines = lines_of(run.subject());
  CHECK(spent(row(lines, 8), "imports") == 30 * kMillisecond);
  CHECK(spent(row(lines, 7), "imports") == 0);
}

// Catches all lines of a method shown as that where it begins, and the VM's own classes taken for the user's.
TEST_CASE("own lines of a Java method are those that ran, by the classes that they used", "[fold]") {
  FindingsRun run;
  const auto line = [&](std::uint32_t above, std::uint32_t number) {
    return run.log.node(above,
                        run.log.named(log::NameKind::Method, "org.demo.Tool.count", "org/demo/Tool.java:20", number));
  };
  const auto merge =
      run.log.named(log::NameKind::Method, "java.util.TreeMap$Sub.merge", "java/util/TreeMap.java:730", 734);
  run.log.cpu(line(0, 22), 3, 30 * kMs);
  run.log.cpu(run.log.node(line(0, 25), merge), 4, 40 * kMs);
  run.log.cpu(line(0, 0), 1, 10 * kMs);
  const show::Subject subject = run.subject();
  const fold::OwnLines lines = lines_of(subject);
  CHECK(row(lines, 22).cpu.ns == 30 * kMillisecond);
  CHECK(spent(row(lines, 25), "java.util.TreeMap") == 40 * kMillisecond);
  CHECK(row(lines, 20).cpu.ns == 10 * kMillisecond);
  CHECK(row(lines, 22).file == "org/demo/Tool.java");
  const fold::OwnLines functions = lines_of(subject, fold::OwnGroup::Function);
  CHECK(row(functions, 20).cpu.ns == 80 * kMillisecond);
}
