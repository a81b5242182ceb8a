#include "report/formats/pstats.hpp"

#include <fstream>

#include "report/formats/marshal.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/unit/support/python_run.hpp"

using namespace prof;
using formats::PythonNames;

namespace {

std::string exact(const test::PythonRun& python, PythonNames names) {
  std::string out;
  formats::pstats(formats::pstats_table(fold::exact_calls(python.run, python.selection), names),
                  [&out](std::string_view piece) { out += piece; });
  return out;
}

std::string sampled(const test::PythonRun& python, PythonNames names) {
  std::string out;
  formats::pstats(formats::pstats_table(fold::build_call_tree(python.run, python.symbols, python.selection), names),
                  [&out](std::string_view piece) { out += piece; });
  return out;
}

// What every interpreter here reads in the file: the lines of pstats_check.py.
void check_read(const std::string& content, const std::string& expected) {
  char pattern[] = "/tmp/prof-unit-XXXXXX";
  const std::filesystem::path directory = mkdtemp(pattern);
  std::ofstream(directory / "a.prof", std::ios::binary) << content;
  if (test::interpreters().empty()) WARN("no Python interpreter here: set PROF_TEST_PYTHONS to check pstats files");
  for (const test::Interpreter& interpreter : test::interpreters()) {
    const auto script = test::source_dir() / "tests/unit/support/pstats_check.py";
    const test::Outcome outcome =
        test::Command({interpreter.program.string(), "-I", script.string(), (directory / "a.prof").string()})
            .limit(60)
            .run();
    INFO(interpreter.program << " " << interpreter.version << "\n" << outcome.err);
    CHECK(outcome.ok());
    CHECK(outcome.out == expected);
  }
  std::filesystem::remove_all(directory);
}

std::string marshalled(const std::function<void(formats::Marshal&)>& fill) {
  std::string out;
  const formats::Write write = [&out](std::string_view piece) { out += piece; };
  formats::Marshal marshal(write);
  fill(marshal);
  return out;
}

}  // namespace

TEST_CASE("pstats of exact calls: what every interpreter reads is what was counted") {
  const test::PythonRun python;
  const std::string expected =
      "train.py\t1\t<module>\t1\t1\t1000\t100000\n"
      "train.py\t4\tfit\t8\t2\t40000\t90000\n"
      "<-\ttrain.py\t1\t<module>\t2\t2\t10000\t90000\n"
      "<-\ttrain.py\t4\tfit\t6\t2\t30000\t60000\n"
      "~\t0\t<built-in method builtins.len>\t12\t12\t10000\t10000\n"
      "<-\ttrain.py\t4\tfit\t12\t12\t10000\t10000\n"
      "total\t21\t15\t51000\n";
  check_read(exact(python, PythonNames::Plain), expected);
}

TEST_CASE("pstats with qualified names") {
  const test::PythonRun python;
  const formats::PstatsTable table =
      formats::pstats_table(fold::exact_calls(python.run, python.selection), PythonNames::Qualified);
  CHECK(table.contains({"train.py", 4, "Trainer.fit"}));
  CHECK(table.contains({"train.py", 1, "<module>"}));
  CHECK(formats::pstats_table(fold::build_call_tree(python.run, python.symbols), PythonNames::Qualified)
            .contains({"train.py", 4, "Trainer.fit"}));
}

TEST_CASE("pstats of samples: CPU time, and samples as calls") {
  const test::PythonRun python;
  const std::string expected =
      "/nowhere/libwork.so\t0\tlibwork.so+0x100\t3\t3\t30000\t30000\n"
      "<-\ttrain.py\t4\tfit\t3\t3\t30000\t30000\n"
      "/nowhere/libwork.so\t0\tlibwork.so+0x200\t1\t1\t10000\t10000\n"
      "<-\t<__array_function__ internals>\t177\tdot\t1\t1\t10000\t10000\n"
      "/nowhere/libwork.so\t0\tlibwork.so+0x300\t1\t1\t5000\t5000\n"
      "<__array_function__ internals>\t177\tdot\t1\t1\t0\t10000\n"
      "<-\ttrain.py\t4\tfit\t1\t1\t0\t10000\n"
      "train.py\t1\t<module>\t7\t7\t0\t70000\n"
      "train.py\t4\tfit\t7\t7\t30000\t70000\n"
      "<-\ttrain.py\t1\t<module>\t7\t7\t20000\t70000\n"
      "<-\ttrain.py\t4\tfit\t1\t1\t10000\t10000\n"
      "total\t20\t20\t75000\n";
  check_read(sampled(python, PythonNames::Plain), expected);
}

TEST_CASE("a recursion that began before calls were counted is no division by zero") {
  test::PythonRun python;
  for (model::CallRow& row : python.run.processes.front().tree.calls) row.metric.primitive = 0;
  const std::string content = exact(python, PythonNames::Plain);
  CHECK(content.find(std::string("(\5\0\0\0i\0\0\0\0", 10)) == std::string::npos);
  CHECK(content.find(std::string("(\5\0\0\0i\1\0\0\0", 10)) != std::string::npos);
}

TEST_CASE("marshal: integers of every size, and text that is not UTF-8") {
  using namespace std::string_literals;
  CHECK(marshalled([](auto& m) { m.integer(-1); }) == "i\xff\xff\xff\xff"s);
  CHECK(marshalled([](auto& m) { m.integer(INT32_MAX); }) == "i\xff\xff\xff\x7f"s);
  CHECK(marshalled([](auto& m) { m.integer(std::int64_t{1} << 31); }) == "l\3\0\0\0\0\0\0\0\2\0"s);
  CHECK(marshalled([](auto& m) { m.integer(-(std::int64_t{1} << 32)); }) == "l\xfd\xff\xff\xff\0\0\0\0\4\0"s);
  CHECK(marshalled([](auto& m) { m.integer(INT64_MIN); }) == "l\xfb\xff\xff\xff\0\0\0\0\0\0\0\0\10\0"s);
  CHECK(marshalled([](auto& m) { m.text("a\xff\xed\xb3\xbf"); }) == "u\10\0\0\0a\\xff\xed\xb3\xbf"s);
  CHECK(marshalled([](auto& m) { m.real(1.0); }) == "g\0\0\0\0\0\0\xf0\x3f"s);
}

TEST_CASE("hostile names leave a file that can be read") {
  test::PythonRun python;
  for (model::Code& code : python.run.processes.front().codes) code.file += "\xff\n\x1b\xed\xb3\xbf";
  const std::string content = exact(python, PythonNames::Plain);
  for (const test::Interpreter& interpreter : test::interpreters()) {
    std::ofstream(python.directory() / "a.prof", std::ios::binary) << content;
    const test::Outcome outcome =
        test::Command({interpreter.program.string(), "-c",
                       "import marshal, sys; d = marshal.load(open(sys.argv[1], 'rb')); print(len(d))",
                       (python.directory() / "a.prof").string()})
            .run();
    CHECK(outcome.out == "3\n");
  }
}
