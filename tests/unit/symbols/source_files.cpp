#include "report/symbols/source_files.hpp"

#include <filesystem>
#include <fstream>

#include "report/symbols/method_source.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/support/python_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"

using namespace prof;
using test::text;

namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines{""};
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

}  // namespace

TEST_CASE("source files: only regular files are read") {
  const test::PythonRun python;
  symbols::SourceFiles files(python.run);
  CHECK(files.file("train.py").readable);
  CHECK(files.line("train.py", 1) == "import json");
  CHECK(files.line("train.py", 12).empty());
  CHECK(files.line("train.py", 0).empty());
  for (const char* name : {"/dev/zero", "/", "", "<string>", "no-such.py"}) CHECK_FALSE(files.file(name).readable);
}

// Catches files of containers, and a name alone that any file may have.
TEST_CASE("source files: names that are not on this machine are looked for by their ends") {
  test::PythonRun python;
  const test::TempDir elsewhere;
  std::filesystem::create_directories(python.directory() / "src/build");
  std::filesystem::create_directories(elsewhere / "work/app");
  std::ofstream(python.directory() / "src/sum.cpp") << "of the run\n";
  std::ofstream(python.directory() / "src/build/sum.cpp") << "longer\n";
  std::ofstream(elsewhere / "work/app/main.py") << "of a root\n";
  symbols::SourceFiles files(python.run, {}, {elsewhere.path()});
  CHECK(files.line("/build/demo/src/sum.cpp", 1) == "of the run");
  CHECK(files.line("/build/src/build/sum.cpp", 1) == "longer");
  CHECK(files.line("/work/app/main.py", 1) == "of a root");
  CHECK(files.take_missing().empty());
  CHECK_FALSE(files.file("/build/sum.cpp").readable);
  CHECK_FALSE(files.file("/build/train.py").readable);
  CHECK_FALSE(files.file("/build/src/other.cpp").readable);
  CHECK_FALSE(files.file("/build/src/build").readable);
  CHECK(files.take_missing().size() == 4);
  CHECK_FALSE(files.file("/build/sum.cpp").readable);  // known to be missing, and missed again
  CHECK(files.take_missing() == std::set<std::string>{"/build/sum.cpp"});
  symbols::SourceFiles none(python.run, [](const auto&) { return false; });
  CHECK_FALSE(none.file("/build/demo/src/sum.cpp").readable);
}

// Catches modules of a project, programs that were started elsewhere, and folders that are looked into for others.
TEST_CASE("source files: those of Java are looked for where builds have them") {
  test::PythonRun python;
  const test::TempDir elsewhere;
  const auto write = [](const std::filesystem::path& folder, const char* name) {
    std::filesystem::create_directories(folder / "org/demo");
    std::ofstream(folder / "org/demo" / name) << name << "\n";
  };
  write(python.directory() / "src/main/java", "Tool.java");
  write(python.directory() / "src/main/java", "tool.py");
  write(python.directory() / "core/src/main/kotlin", "Core.kt");
  write(elsewhere / "app/src/main/java", "Other.java");
  write(elsewhere / "beside", "Beside.java");
  std::filesystem::create_directories(elsewhere / "app/build/classes/java/main");
  model::Process& process = python.run.processes.front();
  const bool java = GENERATE(true, false);
  process.modules.emplace_back().path = java ? "/jdk/lib/server/libjvm.so" : "/usr/lib/libc.so.6";
  process.argv = {
      "java", "-cp",
      "missing.jar:" + (elsewhere / "app/build/classes/java/main").string() + ":" + (elsewhere / "beside").string(),
      "org.demo.Tool"};
  symbols::SourceFiles files(python.run);
  CHECK(files.file("org/demo/Tool.java").readable == java);
  CHECK(files.file("org/demo/Core.kt").readable == java);
  CHECK(files.file("org/demo/Other.java").readable == java);
  CHECK(files.file("org/demo/Beside.java").readable == java);  // where javac leaves what it makes
  CHECK_FALSE(files.file("org/demo/Missing.java").readable);
  CHECK_FALSE(files.file("org/demo/tool.py").readable);
  CHECK_FALSE(files.file("/org/demo/Tool.java").readable);
  symbols::SourceFiles with_root(python.run, {}, {elsewhere / "app/src/main/java"});
  CHECK(with_root.line("org/demo/Other.java", 1) == "Other.java");
}

TEST_CASE("where a method begins, by what its name comes with") {
  const auto of = [](const char* group) {
    const symbols::MethodSource source = symbols::method_source(group);
    return source.file + "|" + std::to_string(source.line);
  };
  CHECK(of("java/util/HashMap.java:556") == "java/util/HashMap.java|556");
  CHECK(of("Hot.java") == "Hot.java|0");
  for (const char* group : {"", ":", "a:", "a:0", "a:-1", "a:1x", "a:99999999999"})
    CHECK(of(group) == std::string(group) + "|0");
}

// Catches calls of the same name, constructors, and what no declaration stands for.
TEST_CASE("where a method is declared, by its source") {
  const std::vector<std::string> lines = {"class Tool {",
                                          "  Tool(int size) {",
                                          "    this.size = size;",
                                          "  }",
                                          "  @Override",
                                          "  public List<Order> unique(",
                                          "      List<Order> orders) {",
                                          "    // keeps the first",
                                          "    List<Order> out = unique(orders, 2);",
                                          "    return unique(out);",
                                          "  }",
                                          "  int one() { return 1; }",
                                          "}"};
  CHECK(symbols::declared_line(lines, 9, "org.demo.Tool.unique") == 6);
  CHECK(symbols::declared_line(lines, 10, "org.demo.Tool.unique") == 6);
  CHECK(symbols::declared_line(lines, 3, "org.demo.Tool.<init>") == 2);
  CHECK(symbols::declared_line(lines, 12, "org.demo.Tool.one") == 12);
  CHECK(symbols::declared_line(lines, 9, "org.demo.Tool.lambda$unique$0") == 9);
  CHECK(symbols::declared_line(lines, 9, "org.demo.Tool.<clinit>") == 9);
  CHECK(symbols::declared_line(lines, 9, "org.demo.Tool.other") == 9);
  CHECK(symbols::declared_line(lines, 90, "org.demo.Tool.one") == 90);
  CHECK(symbols::declared_line({}, 3, "one") == 3);
}

TEST_CASE("the last line of a function is that of its block") {
  const std::vector<std::string> source = lines_of(
      "@decorated\n"            // 1
      "@twice(\n"               // 2
      "    1)\n"                // 3
      "def f(\n"                // 4
      "    a,\n"                // 5
      "):\n"                    // 6
      "    if a:\n"             // 7
      "# a comment\n"           // 8
      "\n"                      // 9
      "        return 1\n"      // 10
      "    return 2\n"          // 11
      "\n"                      // 12
      "x = 1\n"                 // 13
      "    async def g(): 0\n"  // 14
      "    y\n");               // 15
  CHECK(symbols::last_line_of_function(source, 1, 7) == 11);
  CHECK(symbols::last_line_of_function(source, 4, 4) == 11);
  CHECK(symbols::last_line_of_function(source, 14, 14) == 14);
  CHECK(symbols::last_line_of_function(source, 4, 13) == 13);  // a line that was seen is in it
  CHECK(symbols::last_line_of_function(source, 99, 7) == 7);
  CHECK(symbols::last_line_of_function(source, 99, UINT32_MAX) == 16);
  CHECK(symbols::last_line_of_function(source, 1, UINT32_MAX) == 16);
  CHECK(symbols::last_line_of_function(source, 15, 99) == 16);
}
