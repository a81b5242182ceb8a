// Python frames in stacks of allocations, against what the interpreter itself says at the very place.
#include <cstdlib>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/support/python_stacks.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;
namespace fs = std::filesystem;

namespace {

struct Places {
  PythonStacks got, wanted, mixed;
  long long marks = 0;
};

// `command` without its last argument: where places.py writes what it saw.
Places run_places(const Interpreter& interpreter, const std::map<std::string, std::string>& environment = {}) {
  TempDir temp;
  const std::string seen = (temp / "seen.json").string();
  Command command = python_victim(interpreter, "places.py", {seen});
  for (const auto& [name, value] : environment) command.set(name, value);
  const Outcome run = command.profiled(temp / "run").set("PROF_HEAP", "sampled:64K").set("PROF_DEPTH", "1024").run();
  INFO(run);
  REQUIRE(run.ok());
  const long long block = run.fact("block");
  const Report report = Report::of(temp / "run", {"--interpreter-frames"});
  const std::string program = interpreter.program.filename().string();
  const std::string library = "libpython3." + std::to_string(interpreter.minor) + ".so.1.0";
  Places places{allocation_stacks(report, block), stacks_in(seen), mixed_stacks(report, block, library),
                run.fact("marks")};
  // What the interpreter takes for itself does not begin with the victim's own two functions.
  const auto not_marked = [](const auto& entry) {
    for (const auto& [file, name, line] : entry.first) {
      if (!name.empty()) return name != "mark" && name != "held";
    }
    return true;
  };
  std::erase_if(places.got, not_marked);
  std::erase_if(places.mixed, not_marked);
  return places;
}

// A copy of the interpreter without a symbol table, or nothing where it does not run from another place.
bool strip_copy(const Interpreter& interpreter, const fs::path& folder, Interpreter& copy,
                std::map<std::string, std::string>& environment) {
  const fs::path program = fs::canonical(interpreter.program), prefix = program.parent_path().parent_path();
  const fs::path library = prefix / "lib" / ("libpython3." + std::to_string(interpreter.minor) + ".so.1.0");
  std::vector<std::string> strip{"strip", "-s"};
  fs::create_directories(folder / "lib");
  copy = interpreter;
  copy.program = folder / program.filename();
  fs::copy_file(program, copy.program);
  strip.push_back(copy.program.string());
  if (fs::exists(library)) {
    fs::copy_file(library, folder / "lib" / library.filename());
    strip.push_back((folder / "lib" / library.filename()).string());
  }
  environment = {{"PYTHONHOME", prefix.string()}, {"LD_LIBRARY_PATH", (folder / "lib").string()}};
  return Command(strip).run().ok();
}

}  // namespace

// Catches wrong offsets, lines decoded one instruction too early or late, frames of generators and coroutines that are
// missing or doubled, groups at the wrong run of the evaluation loop, code objects taken for others.
TEST_CASE("every Python frame of an allocation is the one that the interpreter names, with its line") {
  REQUIRE_FALSE(all_interpreters().empty());
  for (const Interpreter& interpreter : all_interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      const Places places = run_places(interpreter);
      REQUIRE(places.marks > 190);
      check_equal(places.got, places.wanted);
    }
  }
}

// Catches merging by the names of the interpreter's functions.
TEST_CASE("an interpreter without symbols gives the same stacks") {
  for (const Interpreter& interpreter : interpreters()) {
    DYNAMIC_SECTION(interpreter.program.string() << " " << interpreter.version) {
      TempDir temp;
      Interpreter copy;
      std::map<std::string, std::string> environment;
      REQUIRE(strip_copy(interpreter, temp / "copy", copy, environment));
      const Places stripped = run_places(copy, environment), whole = run_places(interpreter);
      check_equal(stripped.got, stripped.wanted);
      check_equal(stripped.mixed, whole.mixed);
    }
  }
}
