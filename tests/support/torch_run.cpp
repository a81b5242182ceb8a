#include "tests/support/torch_run.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/support/catch.hpp"

namespace prof::test {
namespace {

// torch.profiler says "[]" of an operator whose inputs it does not know.
std::string shapes_or_none(const std::string& shapes) { return shapes.empty() ? "[]" : shapes; }

// As microseconds, of a row that has them so or as nanoseconds.
double us(const nlohmann::json& row, const std::string& name) {
  const auto ns = row.find(name + "_ns");
  return ns != row.end() ? ns->get<double>() / 1e3 : row.at(name + "_us").get<double>();
}

}  // namespace

bool has_module(const char* module) {
  static std::map<std::string, bool> known;
  const auto [found, is_new] = known.try_emplace(module, false);
  const std::string asks =
      std::string("from importlib.util import find_spec; raise SystemExit(not find_spec('") + module + "'))";
  if (is_new) found->second = Command({kPython, "-I", "-c", asks}).run().ok();
  return found->second;
}

void skip_without(const char* module) { WARN("SKIPPED: there is no " << module << " for " << kPython); }

Command python_victim(const std::string& script, std::vector<std::string> arguments) {
  std::vector<std::string> argv{kPython, (source_dir() / "tests/victims/python" / script).string()};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  return Command(argv).limit(140);
}

OperatorTable torch_table(const Outcome& run) {
  OperatorTable out;
  for (const auto& row : nlohmann::json::parse(run.out)) {
    if (row.at("name") == "[memory]") continue;  // outside of any operator
    OperatorFigures& f = out[{row.at("name"), shapes_or_none(row.at("shapes"))}];
    f.calls += row.at("calls").get<long long>();
    f.self_bytes += row.at("self_bytes").get<long long>();
    f.bytes += row.at("bytes").get<long long>();
    f.self_us += us(row, "self");
    f.total_us += us(row, "total");
  }
  return out;
}

OperatorTable prof_table(const std::filesystem::path& run) {
  OperatorTable out;
  for (const CsvRow& row : view_of(run, "ops", {"--group-by", "shape"})) {
    OperatorFigures& f = out[{row.at("name"), shapes_or_none(row.at("shapes"))}];
    f.calls += number(row.at("calls"));
    f.self_bytes += number(row.at("self_mem_bytes"));
    f.bytes += number(row.at("mem_bytes"));
    f.self_us += static_cast<double>(number(row.at("self_cpu_ns"))) / 1e3;
    f.total_us += static_cast<double>(number(row.at("cpu_ns"))) / 1e3;
  }
  return out;
}

std::vector<OperatorKey> ten_largest(const OperatorTable& table, double OperatorFigures::*what) {
  std::vector<OperatorKey> keys;
  for (const auto& [key, figures] : table) keys.push_back(key);
  std::stable_sort(keys.begin(), keys.end(),
                   [&](const OperatorKey& a, const OperatorKey& b) { return table.at(a).*what > table.at(b).*what; });
  keys.resize(std::min<std::size_t>(keys.size(), 10));
  return keys;
}

long long calls_of(const CsvRows& ops, const std::string& name, const char* kind) {
  long long calls = 0;
  for (const CsvRow& row : ops) {
    if (row.at("name") == name && (kind == nullptr || row.at("kind") == kind)) calls += number(row.at("calls"));
  }
  return calls;
}

}  // namespace prof::test
