// `prof export -f chrome` of real runs, for a reader that knows nothing of us.
#include <algorithm>
#include <map>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

Outcome prof_export(const TempDir& temp, std::vector<std::string> options) {
  std::vector<std::string> argv{prof_program().string(),       "export", (temp / "run").string(), "-f", "chrome", "-o",
                                (temp / "trace.json").string()};
  argv.insert(argv.end(), options.begin(), options.end());
  return Command(argv).run();
}

// What chrome_check.py finds in the file.
struct TracedGpu {
  std::vector<std::string> lines;

  // Spans of a category, of a process or GPU; of all without one.
  long long spans(const std::string& category, long pid = -1) const {
    return std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
      if (line.rfind(category + "\t", 0) != 0) return false;
      std::istringstream fields(line);
      std::string field;
      for (int i = 0; i < 3; ++i) std::getline(fields, field, '\t');
      return pid < 0 || field == std::to_string(pid);
    });
  }
  bool has(const std::string& line) const { return std::find(lines.begin(), lines.end(), line) != lines.end(); }
};
TracedGpu checked(const TempDir& temp) {
  REQUIRE_FALSE(interpreters().empty());
  const Outcome outcome =
      Command({interpreters().front().program.string(), "-I",
               (source_dir() / "tests/unit/support/chrome_check.py").string(), (temp / "trace.json").string()})
          .run();
  INFO(outcome.err);
  REQUIRE(outcome.ok());
  TracedGpu found;
  std::istringstream text(outcome.out);
  for (std::string line; std::getline(text, line);) found.lines.push_back(line);
  return found;
}

// The page of the run has the events of the file, neither more nor fewer.
void check_page(const TempDir& temp) {
  const std::string page = (temp / "page.html").string();
  const Outcome made =
      Command({prof_program().string(), "report", (temp / "run").string(), "--html", "--full", "-o", page}).run();
  INFO(made);
  REQUIRE(made.ok());
  const Outcome same =
      Command({interpreters().front().program.string(), (source_dir() / "tests/page/trace_events.py").string(), page,
               (temp / "trace.json").string()})
          .run();
  INFO(same);
  CHECK(same.ok());
}

long long copies(const Ledger& ledger) {
  long long count = 0;
  for (const char* kind : {"HtoD", "DtoH", "DtoD", "HtoH", "PtoP"}) count += ledger.copies(kind).count;
  return count;
}

}  // namespace

// Catches work of one process that is linked to calls of another, ranks that a tool does not find, and events that are
// in the file of the wrong rank, twice or not at all.
TEST_CASE("the traces of two ranks, in one file and in a file of each") {
  TempDir temp;
  const std::string program = victim_path("gpu_work12").string();
  const Outcome run =
      with_gpu(Command({"/bin/sh", "-c", "RANK=0 \"$0\" copies & RANK=1 \"$0\" streams & wait", program}),
               temp / "ledger")
          .set("PROF_TRACE", "4M")
          .profiled(temp / "run")
          .run();
  INFO(run);
  REQUIRE(run.ok());
  std::map<int, long> pids;
  for (const Json& process : Report::of(temp / "run").processes()) {
    if (!process.at("rank").is_null()) pids[process.at("rank").get<int>()] = process.at("pid").get<long>();
  }
  REQUIRE(pids.size() == 2);

  const Outcome both = prof_export(temp, {});
  INFO(both);
  REQUIRE(both.ok());
  CHECK(both.error_lines().size() == 1);
  CHECK(both.err.find("several ranks") != std::string::npos);
  const TracedGpu whole = checked(temp);
  const Ledger all(temp / "ledger");
  REQUIRE(all.kernels().count > 0);
  CHECK(whole.has("rank"));
  CHECK(whole.spans("kernel") == all.kernels().count);
  CHECK(whole.spans("gpu_memcpy") == copies(all));
  CHECK(whole.spans("gpu_memset") == all.copies("memset").count);
  check_page(temp);

  for (const auto& [rank, pid] : pids) {
    INFO("rank " << rank);
    const Outcome one = prof_export(temp, {"--rank", std::to_string(rank)});
    INFO(one);
    REQUIRE(one.ok());
    CHECK(one.error_lines().empty());
    const TracedGpu found = checked(temp);
    const Ledger ledger(temp / "ledger", pid);
    const long long works = ledger.kernels().count + copies(ledger) + ledger.copies("memset").count;
    CHECK(found.has("rank " + std::to_string(rank)));
    CHECK(found.spans("kernel") == ledger.kernels().count);
    CHECK(found.spans("gpu_memcpy") == copies(ledger));
    CHECK(found.has("arrows " + std::to_string(works)));
    CHECK(found.spans("cuda_runtime", pid) == found.spans("cuda_runtime"));
  }
  CHECK(prof_export(temp, {"--rank", "7"}).exit_code != 0);
}

// Catches arrows that share an id: the launch of a graph has one to each of its kernels.
TEST_CASE("the trace of graphs, kernel by kernel") {
  TempDir temp;
  const Outcome run = with_gpu(Command::victim("gpu_work12", {"graphs"}), temp / "ledger")
                          .set("PROF_TRACE", "4M")
                          .set("PROF_CUDA_GRAPH", "node")
                          .profiled(temp / "run")
                          .run();
  INFO(run);
  REQUIRE(run.ok());
  const Outcome exported = prof_export(temp, {});
  INFO(exported);
  REQUIRE(exported.ok());
  const Ledger ledger(temp / "ledger");
  const TracedGpu found = checked(temp);
  CHECK(found.spans("kernel") == ledger.kernels().count);
  CHECK(ledger.kernels().count > ledger.kernels("", false).count);
}

TEST_CASE("a run without a trace is told so") {
  TempDir temp;
  REQUIRE(with_gpu(Command::victim("gpu_work12", {"streams"}), temp / "ledger").profiled(temp / "run").run().ok());
  const Outcome exported = prof_export(temp, {});
  INFO(exported);
  CHECK(exported.exit_code != 0);
  CHECK(exported.error_lines().size() == 1);
  CHECK(exported.err.find("--trace") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(temp / "trace.json"));
}
