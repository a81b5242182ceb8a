// Ranks of a distributed program: told apart, each with its own figures, and in a trace that tools compare ranks by.
#include <algorithm>
#include <fstream>
#include <sstream>

#include "tests/support/catch.hpp"
#include "tests/support/interpreters.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/torch_run.hpp"

using namespace prof::test;

namespace {

constexpr int kWorld = 2;

bool has_gloo() {
  const char* asks =
      "import torch.distributed as d; raise SystemExit(not (d.is_available() and d.is_gloo_available()))";
  return Command({kPython, "-c", asks}).limit(120).run().ok();
}

// The lines of chrome_check.py, which knows nothing of us.
std::vector<std::string> exported(const std::filesystem::path& run, const std::filesystem::path& file, int rank) {
  const Outcome outcome = Command({prof_program().string(), "export", run.string(), "-f", "chrome", "-o", file.string(),
                                   "--rank", std::to_string(rank)})
                              .run();
  INFO(outcome);
  REQUIRE(outcome.ok());
  const Outcome check = Command({interpreters().front().program.string(), "-I",
                                 (source_dir() / "tests/unit/support/chrome_check.py").string(), file.string()})
                            .run();
  INFO(check.err);
  REQUIRE(check.ok());
  std::vector<std::string> lines;
  std::istringstream text(check.out);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

long long count_of(const std::vector<std::string>& lines, const std::string& start) {
  return std::count_if(lines.begin(), lines.end(), [&](const std::string& line) { return line.rfind(start, 0) == 0; });
}

std::string start_of(const std::filesystem::path& file) {
  std::string text(200, ' ');
  std::ifstream(file).read(text.data(), static_cast<std::streamsize>(text.size()));
  return text;
}

}  // namespace

// Catches ranks that are known by their environment alone, that a group of some of them renumbers, and whose operators
// and events are counted for another one.
TEST_CASE("the ranks of a distributed program are told apart, however they know who they are") {
  const bool told = GENERATE(true, false);
  INFO((told ? "by their environment" : "by an argument"));
  if (!has_module("torch")) return skip_without("torch");
  if (!has_gloo()) return skip_without("gloo");
  TempDir temp;
  std::vector<std::string> arguments{std::to_string(kWorld), temp.path().string()};
  if (told) arguments.push_back("told");
  const Outcome run = python_victim("gloo_ranks.py", arguments).set("PROF_TRACE", "4M").profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.ok());

  for (int rank = 0; rank < kWorld; ++rank) {
    INFO("rank " << rank);
    const CsvRows ops = view_of(temp / "run", "ops", {"--rank", std::to_string(rank)});
    CHECK(calls_of(ops, "aten::erf") == 2 + rank);
    CHECK(calls_of(ops, "Optimizer.step#SGD.step") == 5);
    CHECK(calls_of(ops, "gloo:all_reduce") == (rank == kWorld - 1 ? 11 : 10));

    const auto lines = exported(temp / "run", temp / "trace.json", rank);
    CHECK(count_of(lines, "rank " + std::to_string(rank)) == 1);
    CHECK(start_of(temp / "trace.json").find("\"world_size\": 2}") != std::string::npos);
    CHECK(count_of(lines, "cpu_op\taten::erf\t") == 2 + rank);
    CHECK(count_of(lines, "user_annotation\tProfilerStep#") >= 4);
  }
}
