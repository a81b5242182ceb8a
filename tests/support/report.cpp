#include "tests/support/report.hpp"

#include <sys/stat.h>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"

namespace prof::test {

namespace fs = std::filesystem;

Outcome report_outcome(const fs::path& run, std::vector<std::string> options) {
  std::vector<std::string> argv{prof_program().string(), "report", run.string(), "--format", "json"};
  argv.insert(argv.end(), options.begin(), options.end());
  return Command(argv).run();
}

Report Report::of(const fs::path& run, std::vector<std::string> options) {
  Report report;
  report.run_ = run;
  report.options_ = std::move(options);
  report.section("run");  // a log that cannot be read fails here
  return report;
}

const Json& Report::section(const std::string& name) const {
  if (const auto read = sections_.find(name); read != sections_.end()) return read->second;
  std::vector<std::string> options = options_;
  options.insert(options.end(), {"--section", name});
  const Outcome outcome = report_outcome(run_, std::move(options));
  INFO("prof report " << run_ << " --section " << name);
  INFO(outcome);
  REQUIRE(outcome.ok());
  Json json = Json::parse(outcome.out, nullptr, false);
  REQUIRE_FALSE(json.is_discarded());
  REQUIRE(json.at("schema") == 1);
  return sections_[name] = std::move(json.at(name));
}

bool is_function(const std::string& symbol, const std::string& name) {
  if (symbol == name) return true;  // "(unsampled)" and the like, too
  static const std::string kUnnamed = "(anonymous namespace)::";
  if (symbol.rfind(kUnnamed, 0) == 0) return is_function(symbol.substr(kUnnamed.size()), name);
  const std::string plain = symbol.substr(0, symbol.find('('));
  if (plain == name) return true;
  const std::size_t scope = plain.rfind("::");
  return scope != std::string::npos && plain.substr(scope + 2) == name;
}

namespace {

double sum_over(const Json& functions, const std::string& name, const char* metric) {
  double sum = 0;
  for (const Json& f : functions) {
    if (is_function(f.at("name").get<std::string>(), name) && !f.at(metric).is_null())
      sum += f.at(metric).get<double>();
  }
  return sum;
}

}  // namespace

double Report::tottime(const std::string& name) const { return sum_over(section("functions"), name, "tottime_s"); }
double Report::cumtime(const std::string& name) const { return sum_over(section("functions"), name, "cumtime_s"); }

double Report::tottime_of_all() const {
  double sum = 0;
  for (const Json& f : section("functions")) {
    if (!f.at("tottime_s").is_null()) sum += f.at("tottime_s").get<double>();
  }
  return sum;
}

double Report::site_sum(const std::string& function, const std::string& metric, const std::string& of) const {
  double sum = 0;
  for (const Json& site : section(of).at("sites")) {
    for (const Json& frame : site.at("stack")) {
      if (is_function(frame.at("name").get<std::string>(), function)) {
        sum += site.at(metric).get<double>();
        break;
      }
    }
  }
  return sum;
}

std::vector<Json> Report::processes(const std::string& exe) const {
  std::vector<Json> found;
  for (const Json& p : section("processes")) {
    if (exe.empty() || (p.at("exe").is_string() && fs::path(p.at("exe").get<std::string>()).filename() == exe))
      found.push_back(p);
  }
  return found;
}

std::vector<Json> Report::images_of(long pid) const {
  std::vector<Json> found;
  for (const Json& p : section("processes")) {
    if (p.at("pid").get<long>() == pid) found.push_back(p);
  }
  return found;
}

std::vector<fs::path> logs_in(const fs::path& run) {
  std::vector<fs::path> logs;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(run, none)) {
    if (entry.path().extension() == ".proflog") logs.push_back(entry.path());
  }
  return logs;
}

unsigned long long disk_bytes(const fs::path& run) {
  unsigned long long bytes = 0;
  for (const fs::path& log : logs_in(run)) {
    struct stat s {};
    if (stat(log.c_str(), &s) == 0) bytes += static_cast<unsigned long long>(s.st_blocks) * 512;
  }
  return bytes;
}

}  // namespace prof::test
