// What `prof report RUN --format json` says of a run, with the questions that tests ask. Each section is read when it
// is asked for: most of a log of PyTorch is of no interest to any one test, and takes a second.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace prof::test {

using Json = nlohmann::json;

class Report {
 public:
  // Of a run directory, which has to stay for as long as it is asked. All questions fail the test when prof fails or
  // its output is not JSON.
  static Report of(const std::filesystem::path& run, std::vector<std::string> options = {});

  // The section of that name; later questions have the same answer. Lives as long as the report.
  const Json& section(const std::string& name) const;

  // Rows of "functions" whose name is `name`, or `name` with an argument list; added up over modules. Seconds.
  double tottime(const std::string& name) const;
  double cumtime(const std::string& name) const;
  // Sum of tottime over all functions. Seconds.
  double tottime_of_all() const;

  double cpu_s() const { return section("run").at("cpu_s").get<double>(); }

  // Exact figures of the malloc family.
  long long allocations() const { return section("heap").at("allocations").get<long long>(); }
  long long frees() const { return section("heap").at("frees").get<long long>(); }
  long long allocated_bytes() const { return section("heap").at("allocated_bytes").get<long long>(); }

  // Sum of a metric ("live_bytes", "peak_bytes", "allocated_bytes", "allocations") over the sites of a section ("heap"
  // or "mappings") with a frame of that name on their stack.
  double site_sum(const std::string& function, const std::string& metric, const std::string& of = "heap") const;

  // Process images whose executable's file name is `exe`; all images when empty.
  std::vector<Json> processes(const std::string& exe = "") const;
  // Process images with that pid.
  std::vector<Json> images_of(long pid) const;

 private:
  std::filesystem::path run_;
  std::vector<std::string> options_;
  mutable std::map<std::string, Json> sections_;
};

// Runs `prof report` on anything and returns what became of it: for runs that may be damaged.
struct Outcome report_outcome(const std::filesystem::path& run, std::vector<std::string> options = {});

// Logs in a run directory, and the bytes they take on disk.
std::vector<std::filesystem::path> logs_in(const std::filesystem::path& run);
unsigned long long disk_bytes(const std::filesystem::path& run);

// Whether a symbolised name is that function: "burn", "burn(int)" and "ns::burn(int)" are "burn".
bool is_function(const std::string& symbol, const std::string& name);

}  // namespace prof::test
