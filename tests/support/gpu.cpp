#include "tests/support/gpu.hpp"

#include <cxxabi.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <set>

#include "tests/support/catch.hpp"

namespace prof::test {

namespace {

const char* copy_kind(const Json& work) {
  if (work.at("kind") == "set") return "memset";
  switch (work.at("copy").get<int>()) {
    case 1:
      return "HtoD";
    case 2:
      return "DtoH";
    case 8:
      return "DtoD";
    case 9:
      return "HtoH";
    default:
      return "PtoP";
  }
}

void add_work(Tally& tally, const Json& work) {
  ++tally.count;
  tally.bytes += work.at("bytes").get<long long>();
  tally.total_ns += work.at("end").get<long long>() - work.at("start").get<long long>();
}

// The function's name alone, without scope, arguments and template arguments, as the report shows kernels.
std::string plain_name(const std::string& mangled) {
  int status = 0;
  char* const demangled = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  std::string name = status == 0 ? demangled : mangled;
  std::free(demangled);
  name = name.substr(0, name.find_first_of("<("));
  return name.substr(name.find_last_of(" :") + 1);
}

long long nanoseconds(const Json& row) { return std::llround(row.at("total_s").get<double>() * 1e9); }

const Json& rows(const Report& report, const char* section) {
  const Json& found = report.section(section);
  INFO("section " << section);
  REQUIRE_FALSE(found.is_null());
  return found;
}

}  // namespace

std::filesystem::path fakes_dir() { return victim_path("x").parent_path().parent_path() / "fakes"; }

Command with_gpu(Command command, const std::filesystem::path& ledger, const std::vector<int>& toolkits, bool driver) {
  std::string path = driver ? (fakes_dir() / "driver").string() : "";
  for (const int toolkit : toolkits) {
    if (!path.empty()) path += ':';
    path += (fakes_dir() / std::to_string(toolkit)).string();
  }
  return command.set("LD_LIBRARY_PATH", path).set("FAKE_GPU_LEDGER", ledger.string());
}

Ledger::Ledger(const std::filesystem::path& file, long pid) {
  std::ifstream stream(file);
  REQUIRE(stream);
  for (std::string line; std::getline(stream, line);) {
    Json one = Json::parse(line);
    if (pid == 0 || one.at("pid").get<long>() == pid) lines_.push_back(std::move(one));
  }
}

std::vector<Json> Ledger::of(const std::string& type) const {
  std::vector<Json> found;
  for (const Json& line : lines_) {
    if (line.at("t") == type) found.push_back(line);
  }
  return found;
}

Tally Ledger::calls(const std::string& function) const {
  Tally tally;
  for (const Json& line : lines_) {
    if (line.at("t") != "call" || line.at("name") != function) continue;
    const auto error = line.at("rc").get<long long>();
    ++tally.count;
    if (error != 0 && error != 600) ++tally.failed;  // 600: not ready
    if (error == 0) tally.bytes += line.at("bytes").get<long long>();
    tally.total_ns += line.at("end").get<long long>() - line.at("start").get<long long>();
  }
  return tally;
}

std::vector<std::string> Ledger::functions(const std::string& domain) const {
  std::set<std::string> names;
  for (const Json& line : lines_) {
    if (line.at("t") == "call" && line.at("domain") == domain) names.insert(line.at("name").get<std::string>());
  }
  return {names.begin(), names.end()};
}

Tally Ledger::kernels(const std::string& name, bool graphs) const {
  Tally tally;
  for (const Json& line : lines_) {
    if (line.at("t") != "work" || line.at("kind") != "kernel") continue;
    if (!graphs && line.at("graph").get<int>() != 0) continue;
    if (name.empty() || line.at("name") == name) add_work(tally, line);
  }
  return tally;
}

std::vector<std::string> Ledger::kernel_names() const {
  std::set<std::string> names;
  for (const Json& line : lines_) {
    if (line.at("t") == "work" && line.at("kind") == "kernel") names.insert(line.at("name").get<std::string>());
  }
  return {names.begin(), names.end()};
}

Tally Ledger::copies(const std::string& kind) const {
  Tally tally;
  for (const Json& line : lines_) {
    if (line.at("t") != "work" || line.at("kind") == "kernel") continue;
    if (copy_kind(line) == kind) add_work(tally, line);
  }
  return tally;
}

Tally reported_calls(const Report& report, const std::string& function, const std::string& library) {
  Tally tally;
  for (const Json& row : rows(report, "api")) {
    if (row.at("name") != function || row.at("library") != library) continue;
    tally.count += row.at("calls").get<long long>();
    tally.failed += row.at("failed").get<long long>();
    if (!row.at("bytes").is_null()) tally.bytes += row.at("bytes").get<long long>();
    tally.total_ns += nanoseconds(row);
  }
  return tally;
}

Tally reported_kernels(const Report& report, const std::string& name) {
  Tally tally;
  for (const Json& row : rows(report, "kernels")) {
    if (!name.empty() && plain_name(row.at("name").get<std::string>()) != name) continue;
    tally.count += row.at("calls").get<long long>();
    tally.total_ns += nanoseconds(row);
  }
  return tally;
}

Tally reported_copies(const Report& report, const std::string& kind) {
  Tally tally;
  for (const Json& row : rows(report, "copies")) {
    if (row.at("kind") != kind) continue;
    tally.count += row.at("calls").get<long long>();
    tally.bytes += row.at("bytes").get<long long>();
    tally.total_ns += nanoseconds(row);
  }
  return tally;
}

long long device_memory_of(const Report& report, const std::string& what, const std::string& function,
                           const std::string& figure) {
  long long total = 0;
  for (const Json& site : report.section("device_memory").at(what).at("sites")) {
    for (const Json& frame : site.at("stack")) {
      if (!is_function(frame.at("name").get<std::string>(), function)) continue;
      total += site.at(figure).get<long long>();
      break;
    }
  }
  return total;
}

void check_gpu_truth(const Report& report, const Ledger& ledger, bool device) {
  for (const std::string& function : ledger.functions("runtime")) {
    INFO(function);
    const Tally truth = ledger.calls(function), seen = reported_calls(report, function);
    CHECK(seen.count == truth.count);
    CHECK(seen.failed == truth.failed);
    CHECK(seen.bytes == truth.bytes);
    CHECK(seen.total_ns >= truth.total_ns);  // it is measured around the function
  }
  if (!device) return;
  for (const std::string& kernel : ledger.kernel_names()) {
    INFO(kernel);
    const Tally truth = ledger.kernels(kernel), seen = reported_kernels(report, plain_name(kernel));
    CHECK(seen.count == truth.count);
    CHECK(seen.total_ns == truth.total_ns);
  }
  CHECK(reported_kernels(report).count == ledger.kernels().count);
  for (const char* kind : {"HtoD", "DtoH", "DtoD", "HtoH", "PtoP", "memset"}) {
    INFO(kind);
    const Tally truth = ledger.copies(kind), seen = reported_copies(report, kind);
    CHECK(seen.count == truth.count);
    CHECK(seen.bytes == truth.bytes);
    CHECK(seen.total_ns == truth.total_ns);
  }
}

}  // namespace prof::test
