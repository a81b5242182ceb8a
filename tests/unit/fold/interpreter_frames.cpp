// Which native frames of a mixed stack are shown.
//
// The interpreter is a file that does not exist, so its functions have no names: "python3.11+0x1". Where names decide,
// this test program stands for the interpreter.
#include "report/fold/interpreter_frames.hpp"

#include <dlfcn.h>

#include <filesystem>

#include "report/fold/gpu/gpu.hpp"
#include "report/fold/python/tasks.hpp"
#include "report/symbols/elf_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/folded.hpp"

using namespace prof;
using fold::Frames;
using fold::InterpreterFrames;
using test::Folded;
using test::Program;
using test::Stacks;

extern "C" {
[[gnu::noinline]] void PyObject_CallForTests() { asm volatile(""); }
[[gnu::noinline]] void list_sort_for_tests() { asm volatile("nop"); }
}

namespace {

constexpr char kInterpreter[] = "/nowhere/python3.11";

struct PythonProgram : Program {
  explicit PythonProgram(const std::string& interpreter = kInterpreter, const std::vector<std::uint8_t>& build_id = {})
      : Program(100, "/nowhere/lib.so") {
    python = log.module(interpreter, build_id);
    libc = log.module("/nowhere/libc.so.6");
    log.info(log::InfoKey::Python, "version=3.11.2\nframes=on\npath=" + interpreter);
    outer = log.code("outer", "", "a.py", 1);
    inner = log.code("inner", "", "a.py", 9);
    importer = log.code("_find_and_load", "", "<frozen importlib._bootstrap>", 1167);
  }

  std::uint32_t p(std::uint32_t code) { return log.python(code, 0); }
  std::uint32_t interpreter(std::uint64_t address) { return log.native(python, address); }
  std::uint32_t lib(std::uint64_t address) { return log.native(1, address); }
  std::uint32_t c(std::uint64_t address) { return log.native(libc, address); }

  void at(const std::vector<std::uint32_t>& frames, std::uint64_t ns) {
    std::uint32_t node = 0;
    for (const std::uint32_t frame : frames) node = log.node(node, frame);
    log.cpu(node, 1, ns);
  }

  std::uint32_t python = 0, libc = 0, outer = 0, inner = 0, importer = 0;
};

fold::Selection selection(Frames frames, InterpreterFrames interpreter = InterpreterFrames::Fold) {
  fold::Selection selection;
  selection.fold.interpreter = interpreter;
  selection.fold.frames = frames;
  return selection;
}

std::vector<std::uint8_t> build_id_of(const std::filesystem::path& file) {
  const std::string hex = symbols::ElfFile::open(file)->build_id();
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

Stacks stacks(const PythonProgram& program, const fold::Selection& selection = {}) {
  return Folded({&program}, selection).stacks();
}

}  // namespace

TEST_CASE("frames of the interpreter between Python frames and above them are hidden", "[fold][python]") {
  PythonProgram p;
  p.at({p.c(1), p.c(2), p.interpreter(1), p.p(p.outer), p.interpreter(2), p.interpreter(3), p.p(p.inner)}, 10);
  p.at({p.c(1), p.c(2), p.interpreter(1), p.p(p.outer)}, 5);
  CHECK(stacks(p) == Stacks{{"outer;inner", 10}, {"outer", 5}});
  CHECK(stacks(p, selection(Frames::Mixed, InterpreterFrames::Show)) ==
        Stacks{{"f1;f2;f1;outer;f2;f3;inner", 10}, {"f1;f2;f1;outer", 5}});
}

TEST_CASE("the same native frame is hidden where Python goes on, and shown as work where it ends", "[fold][python]") {
  PythonProgram p;
  const auto outer = p.log.node(0, p.p(p.outer));
  const auto sort = p.log.node(outer, p.interpreter(7));
  p.log.cpu(sort, 1, 100);                           // a sort,
  p.log.cpu(p.log.node(sort, p.p(p.inner)), 1, 30);  // and its key function
  CHECK(stacks(p) == Stacks{{"outer;(interpreter internals)", 100}, {"outer;inner", 30}});
}

TEST_CASE("an interpreter that one process has under another path is one", "[fold][python]") {
  const std::vector<std::uint8_t> build_id(20, 7);
  Program first(99, "/nowhere/app");  // loads the same file, elsewhere, and runs no Python
  const std::uint32_t copy = first.log.module("/elsewhere/python3.11", build_id);
  first.log.cpu(first.log.node(0, first.log.native(copy, 7)), 1, 5);
  PythonProgram p(kInterpreter, build_id);
  p.at({p.p(p.outer), p.interpreter(7)}, 100);
  const Folded folded({&first, &p}, selection(Frames::Mixed));
  CHECK(folded.stacks() == Stacks{{"f7", 5}, {"outer;(interpreter internals)", 100}});
}

TEST_CASE("native code of other modules always stays", "[fold][python]") {
  PythonProgram p;
  p.at({p.p(p.outer), p.interpreter(1), p.lib(2)}, 10);                                  // called by Python
  p.at({p.p(p.outer), p.interpreter(1), p.lib(2), p.interpreter(3), p.p(p.inner)}, 20);  // calls back into Python
  p.at({p.p(p.outer), p.interpreter(1), p.lib(2), p.interpreter(3)}, 40);                // uses the interpreter
  p.at({p.lib(8), p.interpreter(1), p.p(p.outer)}, 80);                                  // embeds it
  p.at({p.c(1), p.lib(8), p.interpreter(1), p.p(p.outer)}, 160);
  p.at({p.c(1), p.lib(9)}, 320);  // knows nothing of Python
  CHECK(stacks(p) == Stacks{{"outer;f2", 10},
                            {"outer;f2;inner", 20},
                            {"outer;f2;(interpreter internals)", 40},
                            {"f8;outer", 80},
                            {"f1;f8;outer", 160},
                            {"f1;f9", 320}});
}

TEST_CASE("a stack without Python is shown whole, the interpreter's start and end included", "[fold][python]") {
  PythonProgram p;
  p.at({p.c(1), p.interpreter(2), p.interpreter(3)}, 10);
  CHECK(stacks(p) == Stacks{{"f1;f2;f3", 10}});
}

TEST_CASE("the small program around a shared libpython is no more than its start", "[fold][python]") {
  PythonProgram p("/nowhere/lib/libpython3.12.so.1.0");
  const auto program = p.log.module("/nowhere/bin/python3.12");
  p.at({p.log.native(program, 1), p.c(2), p.interpreter(3), p.p(p.outer)}, 10);
  const auto trampoline = p.log.frame(log::frame_word(log::FrameKind::Anonymous, 0x7f00));
  p.at({p.p(p.outer), p.interpreter(3), trampoline, p.interpreter(4), p.p(p.inner)}, 20);
  CHECK(stacks(p) == Stacks{{"outer", 10}, {"outer;inner", 20}});
}

TEST_CASE("the import system is hidden between what imports and what is imported", "[fold][python]") {
  PythonProgram p;
  p.at({p.p(p.outer), p.interpreter(1), p.p(p.importer), p.p(p.importer), p.interpreter(2), p.p(p.inner)}, 10);
  p.at({p.p(p.outer), p.p(p.importer), p.interpreter(1), p.lib(2)}, 20);
  p.at({p.c(1), p.interpreter(1), p.p(p.importer), p.interpreter(1), p.p(p.inner)}, 40);
  CHECK(stacks(p) == Stacks{{"outer;inner", 10}, {"outer;_find_and_load;f2", 20}, {"inner", 40}});
  CHECK(stacks(p, selection(Frames::Python)) ==
        Stacks{{"outer;inner", 10}, {"outer;_find_and_load", 20}, {"inner", 40}});
  CHECK(stacks(p, selection(Frames::Python, InterpreterFrames::Show)) ==
        Stacks{{"outer;_find_and_load;_find_and_load;inner", 10},
               {"outer;_find_and_load", 20},
               {"_find_and_load;inner", 40}});
}

TEST_CASE("one language alone: time of the other goes to its caller", "[fold][python]") {
  PythonProgram p;
  const auto truncated = p.log.special(log::SpecialFrame::Truncated);
  p.at({p.c(1), p.p(p.outer), p.interpreter(2), p.lib(3)}, 10);
  p.at({truncated, p.lib(3), p.p(p.outer), p.lib(4), p.p(p.inner)}, 20);
  p.at({p.c(1), p.lib(5)}, 40);
  p.at({p.p(p.inner)}, 80);
  CHECK(stacks(p, selection(Frames::Python)) ==
        Stacks{{"outer", 10}, {"(truncated);outer;inner", 20}, {"(native)", 40}, {"inner", 80}});
  CHECK(stacks(p, selection(Frames::Native)) ==
        Stacks{{"f1;f2;f3", 10}, {"(truncated);f3;f4", 20}, {"f1;f5", 40}, {"(Python)", 80}});
  for (const Frames frames : {Frames::Mixed, Frames::Python, Frames::Native}) {
    CHECK(Folded({&p}, selection(frames)).tree.total().cpu.ns == 150);
  }
}

// Catches ranges that part what is one tree without them, or whose absence shows as something else.
TEST_CASE("ranges are the outermost frames, or are left out", "[fold][python]") {
  PythonProgram p;
  const auto range = p.log.named(log::NameKind::Range, "r");
  p.at({range, p.c(1), p.interpreter(2), p.p(p.outer), p.lib(3)}, 10);
  p.at({p.c(1), p.interpreter(2), p.p(p.outer), p.lib(3)}, 20);
  p.at({range, p.lib(4)}, 40);
  p.at({range}, 80);
  CHECK(stacks(p) == Stacks{{"r;outer;f3", 10}, {"outer;f3", 20}, {"r;f4", 40}, {"r", 80}});
  fold::Selection without;
  without.fold.ranges = fold::Ranges::Hide;
  CHECK(stacks(p, without) == Stacks{{"outer;f3", 30}, {"f4", 40}, {"(no stack)", 80}});
  without.fold.frames = Frames::Python;
  CHECK(stacks(p, without) == Stacks{{"outer", 30}, {"(native)", 40}, {"(no stack)", 80}});
  without.fold.frames = Frames::Native;
  CHECK(stacks(p, without) == Stacks{{"f1;f2;f3", 30}, {"f4", 40}, {"(no stack)", 80}});

  const Folded shown({&p}), hidden({&p}, without);
  const auto inside = [](const Folded& folded, const fold::Selection& selection) {
    const auto rows = fold::ranges(folded.run, folded.tree, selection);
    REQUIRE(rows.size() == 1);
    return rows[0].inside.cpu.ns;
  };
  CHECK(inside(shown, {}) == 130);
  CHECK(inside(hidden, without) == 130);
}

// Catches tasks that are taken for native code between two Python functions, which is hidden or parts them.
TEST_CASE("tasks stand between the loop and their frames, or are left out", "[fold][python]") {
  PythonProgram p;
  const auto a = p.log.named(log::NameKind::Task, "a", "inner"), b = p.log.named(log::NameKind::Task, "b", "inner"),
             other = p.log.named(log::NameKind::Task, "a", "other");
  p.at({p.p(p.outer), a, p.interpreter(2), p.p(p.inner), p.lib(3)}, 10);
  p.at({p.p(p.outer), b, p.interpreter(2), p.p(p.inner), p.lib(3)}, 20);
  p.at({p.p(p.outer), other}, 40);
  p.at({p.p(p.outer), a, p.interpreter(2), p.p(p.outer), b, p.p(p.inner)}, 80);
  CHECK(stacks(p) ==
        Stacks{{"outer;a;inner;f3", 10}, {"outer;b;inner;f3", 20}, {"outer;a", 40}, {"outer;a;outer;b;inner", 80}});
  CHECK(stacks(p, selection(Frames::Python)) ==
        Stacks{{"outer;a;inner", 10}, {"outer;b;inner", 20}, {"outer;a", 40}, {"outer;a;outer;b;inner", 80}});
  fold::Selection without;
  without.fold.tasks = fold::Tasks::Hide;
  CHECK(stacks(p, without) == Stacks{{"outer;inner;f3", 30}, {"outer", 40}, {"outer;outer;inner", 80}});
  without.fold.frames = Frames::Python;
  CHECK(stacks(p, without) == Stacks{{"outer;inner", 30}, {"outer", 40}, {"outer;outer;inner", 80}});

  const Folded shown({&p}), hidden({&p}, without);
  const auto check = [&](const Folded& folded, const fold::Selection& selection) {
    const fold::TaskRows tasks = fold::tasks(folded.run, folded.tree, selection);
    CHECK(tasks.all.cpu.ns == 150);
    REQUIRE(tasks.rows.size() == 3);
    const auto is = [&](std::size_t i, const char* name, const char* coroutine, std::int64_t ns) {
      const symbols::Function& task = folded.symbols.function(tasks.rows[i].function);
      CHECK(task.name == name);
      CHECK(task.module == coroutine);
      CHECK(tasks.rows[i].inside.cpu.ns == ns);
    };
    is(0, "b", "inner", 100);
    is(1, "a", "inner", 90);
    is(2, "a", "other", 40);
    REQUIRE(tasks.rows[0].coroutine != fold::TaskRow::kUnknown);
    CHECK(folded.symbols.function(tasks.rows[0].coroutine).name == "inner");
    CHECK(tasks.rows[2].coroutine == fold::TaskRow::kUnknown);
  };
  check(shown, {});
  check(hidden, without);
}

TEST_CASE("functions that carry calls are told by their names", "[fold][python]") {
  Dl_info info{};
  REQUIRE(dladdr(reinterpret_cast<void*>(&PyObject_CallForTests), &info) != 0);
  const auto address = [&](void (*function)()) {
    return reinterpret_cast<std::uintptr_t>(function) - reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  };
  const auto self = std::filesystem::canonical("/proc/self/exe");
  PythonProgram p(self.string(), build_id_of(self));
  const auto call = p.interpreter(address(&PyObject_CallForTests)), sort = p.interpreter(address(&list_sort_for_tests));
  p.at({p.p(p.outer), call, sort, call}, 10);      // a sort that calls, and was called
  p.at({p.p(p.outer), call}, 20);                  // no more than a call
  p.at({p.p(p.outer), call, sort, p.lib(2)}, 40);  // what has a name and works stays on the way, too
  p.at({p.p(p.outer), call, p.lib(2), sort}, 80);
  const Folded folded({&p});
  CHECK(folded.stacks() == Stacks{{"outer;list_sort_for_tests", 10},
                                  {"outer", 20},
                                  {"outer;list_sort_for_tests;f2", 40},
                                  {"outer;f2;list_sort_for_tests", 80}});
  for (std::uint32_t i = 0; i < folded.symbols.function_count(); ++i) {
    const symbols::Function& function = folded.symbols.function(i);
    INFO(function.name << " of " << function.module);
    CHECK(function.interpreter == (function.module == self.string()));
  }
}

TEST_CASE("Python functions of one name are told apart by file and line, not by process", "[symbols][python]") {
  PythonProgram a, b;
  b.log.header.pid = 101;
  b.log.header.log_id = b.log.header.start_ticks = 101;
  const auto lambda1 = a.log.code("<lambda>", "", "a.py", 3), lambda2 = a.log.code("<lambda>", "", "a.py", 4);
  a.at({a.p(lambda1)}, 1);
  a.at({a.p(lambda2)}, 2);
  a.at({a.p(a.outer)}, 4);
  b.at({b.p(b.outer)}, 8);
  const Folded folded({&a, &b});
  const auto rows = fold::functions(folded.tree);
  REQUIRE(rows.size() == 3);
  const symbols::Function& outer = folded.symbols.function(rows[0].function);
  CHECK(rows[0].self.cpu.ns == 12);
  CHECK(outer.name == "outer");
  CHECK(outer.language == symbols::Language::Python);
  CHECK(outer.file == "a.py");
  CHECK(outer.line == 1);
  CHECK(outer.module.empty());
  CHECK(folded.symbols.function(rows[1].function).line == 4);
  CHECK(folded.symbols.function(rows[2].function).line == 3);
}

TEST_CASE("lines of Python frames come from the line table; unknown code has a name of its own", "[symbols][python]") {
  PythonProgram p;
  const auto code = p.log.code("f", "C.f", "c.py", 10, std::string("\xd9\x01\x02\xd9\x01\x02", 6));  // two units each
  p.log.cpu(p.log.node(0, p.log.python(code, 4)), 1, 10);
  p.log.cpu(p.log.node(0, p.log.python(code, log::kNotStarted)), 1, 20);
  p.log.cpu(p.log.node(0, p.log.python(0, 4)), 1, 40);
  const Folded folded({&p}, {}, {}, fold::Granularity::Line);
  std::map<std::pair<std::string, std::uint32_t>, std::int64_t> lines;
  for (std::uint32_t node = 1; node < folded.tree.nodes().size(); ++node) {
    const std::uint32_t line = folded.symbols.location(folded.tree.nodes()[node].location).line;
    lines[{folded.tree.function(node).name, line}] = folded.tree.self().cpu[node].ns;
  }
  CHECK(lines == decltype(lines){{{"C.f", 12}, 10}, {{"C.f", 10}, 20}, {{"(unknown Python code)", 0}, 40}});
}

TEST_CASE("focus finds Python functions by their file, too", "[fold][python]") {
  PythonProgram p;
  p.at({p.p(p.outer), p.lib(2)}, 10);
  p.at({p.lib(2)}, 20);
  fold::Selection by_file;
  by_file.focus.emplace("a\\.py$");
  CHECK(stacks(p, by_file) == Stacks{{"outer;f2", 10}});
}
