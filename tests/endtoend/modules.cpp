// Modules of PyTorch and operators in stacks, of a model that is trained for real.
#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/text_file.hpp"
#include "tests/support/torch_run.hpp"

using namespace prof::test;

namespace {

const std::filesystem::path kModulesScript = source_dir() / "tests/victims/python/torch_modules.py";

const Json& module_at(const Report& report, const Json& path, int line) {
  for (const Json& node : report.section("modules")) {
    if (node.at("path") == path && node.at("called_from").at("line") == line) return node;
  }
  FAIL("no module " << path << " called from line " << line);
  return report.section("modules");
}

const Json* function_named(const Report& report, const std::string& name) {
  for (const Json& function : report.section("functions")) {
    if (function.at("name") == name) return &function;
  }
  return nullptr;
}

double figure(const Json& node, const char* key) { return node.at(key).get<double>(); }

}  // namespace

// Catches modules that are told apart by their class alone, forward() that is not found behind PyTorch's own frames,
// and backward functions that are nobody's or somebody else's.
TEST_CASE("modules of a training: the time of forward() and of backward() by module and calling line") {
  if (!has_module("torch")) return skip_without("torch");
  TempDir temp;
  const Outcome run = python_victim("torch_modules.py", {"40"}).set("PROF_OPS", "stacks").profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  const Json& net = module_at(report, {"Net"}, line_of(kModulesScript, "net(x).sum()"));
  const Json& parts = module_at(report, {"Net", "Sequential"}, line_of(kModulesScript, "# parts"));
  const Json& last = module_at(report, {"Net", "Light"}, line_of(kModulesScript, "# last"));
  const Json& linear = module_at(report, {"Net", "Light", "Linear"}, line_of(kModulesScript, "# light"));
  // In all eight products of one size: six are Heavy's. Of forward() there are samples alone.
  CHECK(figure(parts, "backward_s") == Approx(7.0 / 8 * figure(net, "backward_s")).epsilon(0.12));
  CHECK(figure(last, "backward_s") == Approx(1.0 / 8 * figure(net, "backward_s")).epsilon(0.5));
  CHECK(figure(linear, "backward_s") <= figure(last, "backward_s") * 1.001);
  CHECK(figure(parts, "cpu_s") > 2 * figure(last, "cpu_s"));
  CHECK(figure(net, "cpu_s") >= figure(parts, "cpu_s") + figure(last, "cpu_s") - 1e-6);
  // Functions of the engine and of what stands outside of the model apart, all of backward() is the model's.
  double backward = 0;
  for (const Json& op : report.section("ops")) {
    const bool engine = op.at("name").get<std::string>().find("evaluate_function") != std::string::npos;
    if (op.at("kind") == "backward" && !engine) backward += figure(op, "cpu_s");
  }
  CHECK(figure(net, "backward_s") > 0.8 * backward);
  CHECK(figure(net, "backward_s") < 1.1 * backward);
}

TEST_CASE("operators stand in stacks by the names that are counted, with the time of what they run") {
  if (!has_module("torch")) return skip_without("torch");
  TempDir temp;
  const Outcome run = python_victim("torch_modules.py", {"40"}).profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  std::set<std::string> counted;
  for (const Json& op : report.section("ops")) counted.insert(op.at("name").get<std::string>());
  double linear = 0, backward = 0, all = 0;
  for (const Json& function : report.section("functions")) {
    const std::string name = function.at("name");
    all += figure(function, "tottime_s");
    CHECK_FALSE((name.starts_with("at::_ops::") && name.find("::call(") != std::string::npos));
    if (function.at("language") != "operator") continue;
    INFO(name);
    CHECK(counted.contains(name));
    if (name == "aten::linear") linear = figure(function, "cumtime_s");
    if (name == "AddmmBackward0") backward = figure(function, "cumtime_s");
  }
  CHECK(linear > 0.15 * all);
  CHECK(backward > 0.15 * all);
}

// Its operators are not counted: they are known by the functions that run them.
TEST_CASE("operators stand in stacks where they are not counted") {
  if (!has_module("torch")) return skip_without("torch");
  TempDir temp;
  const Outcome run = python_victim("torch_modules.py", {"20"}).set("PROF_OPS", "off").profiled(temp / "run").run();
  REQUIRE(run.ok());
  const Report report = Report::of(temp / "run");
  CHECK(report.section("ops").is_null());
  const Json* linear = function_named(report, "aten::linear");
  REQUIRE(linear != nullptr);
  CHECK(linear->at("language") == "operator");
  CHECK(figure(*linear, "cumtime_s") > 0);
  CHECK(module_at(report, {"Net"}, line_of(kModulesScript, "net(x).sum()")).at("backward_s").is_null());
}
