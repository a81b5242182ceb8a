#include "tests/support/python_stacks.hpp"

#include <cmath>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/text_file.hpp"

namespace prof::test {

namespace fs = std::filesystem;

Command python_victim(const Interpreter& interpreter, const std::string& name, std::vector<std::string> args) {
  const fs::path script = source_dir() / "tests/victims/python" / name;
  args.insert(args.begin(), {interpreter.program.string(), "-s", "-E", "-B", "-W", "ignore", script.string()});
  return Command(std::move(args));
}

bool is_python(const Json& frame) { return frame.at("module").is_null() && frame.at("file").is_string(); }

namespace {

PythonFrame python_frame(const Json& frame) {
  return {frame.at("file").get<std::string>(), frame.at("name").get<std::string>(),
          frame.at("line").is_null() ? 0 : frame.at("line").get<long>()};
}

template <class Add>
PythonStacks stacks_of_sites(const Report& report, long long block, Add add) {
  PythonStacks stacks;
  for (const Json& site : report.section("heap").at("sites")) {
    const long blocks = std::lround(site.at("allocated_bytes").get<double>() / static_cast<double>(block));
    if (blocks == 0) continue;
    PythonStack stack;
    for (const Json& frame : site.at("stack")) add(stack, frame);
    stacks[stack] += blocks;
  }
  return stacks;
}

void print(std::ostream& to, const PythonStack& stack) {
  for (const auto& [file, name, line] : stack) to << "\n    " << file << ":" << line << " " << name;
}

void print_excess(std::ostream& to, const PythonStacks& of, const PythonStacks& over, const char* title) {
  int shown = 0;
  for (const auto& [stack, count] : of) {
    const auto found = over.find(stack);
    const long there = found == over.end() ? 0 : found->second;
    if (count <= there || ++shown > 4) continue;
    to << "\n" << title << " " << count << " times instead of " << there << ":";
    print(to, stack);
  }
}

}  // namespace

PythonStacks allocation_stacks(const Report& report, long long block) {
  return stacks_of_sites(report, block, [](PythonStack& stack, const Json& frame) {
    if (is_python(frame)) stack.push_back(python_frame(frame));
  });
}

PythonStacks mixed_stacks(const Report& report, long long block, const std::string& interpreter_file) {
  return stacks_of_sites(report, block, [&](PythonStack& stack, const Json& frame) {
    if (is_python(frame)) {
      const auto [file, name, line] = python_frame(frame);
      stack.emplace_back(fs::path(file).filename().string(), name, line);
      return;
    }
    const std::string file =
        frame.at("module").is_null() ? "?" : fs::path(frame.at("module").get<std::string>()).filename().string();
    const PythonFrame native{file, "", 0};
    if (file != interpreter_file && (stack.empty() || stack.back() != native)) stack.push_back(native);
  });
}

PythonStacks stacks_in(const fs::path& json_file) {
  const Json json = Json::parse(content(json_file), nullptr, false);
  REQUIRE_FALSE(json.is_discarded());
  PythonStacks stacks;
  for (const Json& recorded : json.at("stacks")) {
    PythonStack stack;
    for (const Json& frame : recorded) {
      stack.emplace_back(frame.at(0).get<std::string>(), frame.at(1).get<std::string>(), frame.at(2).get<long>());
    }
    stacks[stack] += 1;
  }
  return stacks;
}

void check_equal(const PythonStacks& got, const PythonStacks& wanted) {
  std::ostringstream difference;
  print_excess(difference, wanted, got, "missing: the interpreter says it was there");
  print_excess(difference, got, wanted, "made up: reported");
  INFO(difference.str());
  const bool equal = got == wanted;
  CHECK(equal);
}

Placement placement(const Report& report) {
  Placement sum;
  for (const Json& process : report.section("processes")) {
    for (const Json& thread : process.at("thread_list")) {
      if (thread.at("python_groups").is_null()) continue;  // no interpreter in that process
      sum.groups += thread.at("python_groups").get<long long>();
      sum.samples += thread.at("samples").is_null() ? 0 : thread.at("samples").get<long long>();
    }
  }
  const Json& reasons = report.section("loss").at("reasons");
  sum.unplaced = reasons.at("python_unplaced").get<long long>();
  sum.rejected = reasons.at("python_rejected").get<long long>();
  return sum;
}

}  // namespace prof::test
