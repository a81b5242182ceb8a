// Operators of PyTorch, compared with what torch.profiler counts in the same process.
#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/report.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/torch_run.hpp"

using namespace prof::test;

namespace {

Command training(const std::string& model, int steps, std::vector<std::string> what) {
  what.insert(what.begin(), {model, std::to_string(steps)});
  return python_victim("torch_ops.py", what);
}

// What stands in the scope of the victims that torch.profiler looks at.
Command in_window(Command command) { return command.set("PROF_CAPTURE_RANGE", "nvtx:window@record_function"); }

// By a number, one overload calls the other. torch.profiler takes them for one where its clock, of microseconds, lets
// it: what it counts differs from run to run.
bool calls_an_overload(const OperatorKey& key) { return key.first.rfind("aten::div", 0) == 0; }

// Within one percent. All of it when `want` is small: a step's memory is what was allocated less what was freed.
bool same_bytes(long long got, long long want) { return std::abs(got - want) * 100 <= std::abs(want); }

}  // namespace

// Catches operators that are missed, counted twice or under another name, and times that leave out or repeat what is
// inside.
TEST_CASE("operators are those that torch.profiler counts: calls, shapes and times", "[alone]") {
  const std::string model = GENERATE(as<std::string>{}, "transformer", "resnet");
  if (!has_module("torch")) return skip_without("torch");
  if (model == "resnet" && !has_module("torchvision")) return skip_without("torchvision");
  INFO(model);
  TempDir temp;
  const Outcome run = in_window(training(model, 3, {"shapes"})).set("PROF_OPS", "shapes").profiled(temp / "run").run();
  INFO(run.err);
  REQUIRE(run.ok());
  OperatorTable want = torch_table(run), got = prof_table(temp / "run");
  CHECK(want.size() > 50);
  CHECK(got.erase({"window", "[]"}) == 1);
  CHECK(got.size() == want.size());
  long long all = 0;
  for (const auto& [key, figures] : want) {
    INFO(key.first << ' ' << key.second);
    const auto found = got.find(key);
    REQUIRE(found != got.end());
    all += figures.calls;
    if (key.first == "aten::empty") {
      // torch.profiler's own, when it starts in the window; and it takes two that run in the same microsecond for one.
      CHECK(found->second.calls >= figures.calls);
      CHECK(found->second.calls <= figures.calls + 1 + figures.calls / 50);
    } else if (calls_an_overload(key)) {
      CHECK(found->second.calls <= figures.calls);
      CHECK(figures.calls <= 2 * found->second.calls);
    } else {
      CHECK(found->second.calls == figures.calls);
    }
  }
  CHECK(all > 1000);
  // torch.profiler cuts times to microseconds: what the many short operators inside another one take is in its self
  // time.
  for (const auto& [what, tolerance] :
       {std::pair(&OperatorFigures::self_us, 0.25), std::pair(&OperatorFigures::total_us, 0.1)}) {
    for (const OperatorKey& key : ten_largest(want, what)) {
      // One call has hundreds of operators inside: what these are cut by is as long as its own time. The tree of events
      // knows it, below.
      if (what == &OperatorFigures::self_us && key.first == "aten::bmm") continue;
      const double mine = got.at(key).*what, torchs_own = want.at(key).*what;
      INFO(key.first << ' ' << key.second << ": " << mine << " us, by torch " << torchs_own);
      CHECK(std::abs(mine - torchs_own) <= tolerance * torchs_own + 5.0 * static_cast<double>(want.at(key).calls));
    }
  }
}

// Catches memory that is booked on another operator than the one that allocates or frees it, sums that leave something
// out or repeat it, and an order of the largest that is not that of their times. torch.profiler's tables find the
// operator of a piece of memory by the microsecond; its tree of events knows it.
TEST_CASE("operators have the memory and the times of torch.profiler's tree of events", "[alone]") {
  const std::string model = GENERATE(as<std::string>{}, "transformer", "resnet");
  if (!has_module("torch")) return skip_without("torch");
  if (model == "resnet" && !has_module("torchvision")) return skip_without("torchvision");
  INFO(model);
  TempDir temp;
  const Outcome run = in_window(python_victim("torch_tree.py", {model, "3"}))
                          .set("PROF_OPS", "shapes,memory")
                          .profiled(temp / "run")
                          .run();
  INFO(run.err);
  REQUIRE(run.ok());
  OperatorTable want = torch_table(run), got = prof_table(temp / "run");
  got.erase({"window", "[]"});
  CHECK(got.size() == want.size());
  for (const auto& [key, figures] : want) {
    INFO(key.first << ' ' << key.second);
    const auto found = got.find(key);
    REQUIRE(found != got.end());
    CHECK(found->second.calls == figures.calls);
    CHECK(same_bytes(found->second.self_bytes, figures.self_bytes));
    CHECK(same_bytes(found->second.bytes, figures.bytes));
  }
  for (const auto what : {&OperatorFigures::self_us, &OperatorFigures::total_us}) {
    const std::vector<OperatorKey> largest = ten_largest(want, what);
    for (std::size_t i = 0; i < largest.size(); ++i) {
      const OperatorKey& key = largest[i];
      const double mine = got.at(key).*what, torchs_own = want.at(key).*what;
      INFO(key.first << ' ' << key.second << ": " << mine << " us, by torch " << torchs_own);
      CHECK(std::abs(mine - torchs_own) <= 0.1 * torchs_own + static_cast<double>(want.at(key).calls));
      for (std::size_t j = i + 1; j < largest.size(); ++j) {
        if (want.at(largest[j]).*what < 0.8 * torchs_own) CHECK(got.at(largest[j]).*what < mine);
      }
    }
  }
}

// Catches a profiler that torch's own is disturbed by: other operators, or memory that nobody asked it for.
TEST_CASE("torch.profiler says the same with operators recorded beside it") {
  if (!has_module("torch")) return skip_without("torch");
  TempDir temp;
  const Outcome bare = training("mlp", 2, {"shapes"}).run();
  const Outcome beside = training("mlp", 2, {"shapes"}).set("PROF_OPS", "shapes,memory").profiled(temp / "run").run();
  INFO(bare.err << beside.err);
  REQUIRE(bare.ok());
  REQUIRE(beside.ok());
  CHECK(beside.err.find("Memory block of unknown size") == std::string::npos);
  const OperatorTable a = torch_table(bare), b = torch_table(beside);
  CHECK(a.size() == b.size());
  for (const auto& [key, figures] : a) {
    INFO(key.first << ' ' << key.second);
    REQUIRE(b.count(key) == 1);
    if (!calls_an_overload(key)) CHECK(b.at(key).calls == figures.calls);
    CHECK(b.at(key).bytes == 0);
  }
}

TEST_CASE("ten times the training steps take no more than a fifth more of log") {
  const std::string ops = "shapes,memory";  // all that can be recorded of them
  if (!has_module("torch")) return skip_without("torch");
  TempDir temp;
  for (const int steps : {20, 200}) {
    const Outcome run = training("mlp", steps, {}).set("PROF_OPS", ops).profiled(temp / std::to_string(steps)).run();
    INFO(run.err);
    REQUIRE(run.ok());
  }
  CHECK(static_cast<double>(disk_bytes(temp / "200")) <= 1.2 * static_cast<double>(disk_bytes(temp / "20")));
  CHECK(calls_of(view_of(temp / "200", "ops"), "Optimizer.step#SGD.step", "scope") == 201);
  // The scopes are ranges as well, so that other figures can be told by them.
  const CsvRows ranges = view_of(temp / "200", "ranges");
  const CsvRow& step = row_where(ranges, "name", "Optimizer.step#SGD.step");
  CHECK(step.at("count") == "201");
  CHECK(step.at("domain") == "record_function");
}

// Catches memory that is booked on another operator than the one that allocates or frees it, and sums of it that leave
// something out.
TEST_CASE("memory of tensors is told by operator, less what is freed") {
  if (!has_module("torch")) return skip_without("torch");
  TempDir temp;
  const Outcome run = Command({kPython, "-c",
                               "import torch\n"
                               "from torch.profiler import record_function\n"
                               "with record_function('made'):\n"
                               "    a = torch.empty(1000)\n"
                               "    b = torch.zeros(500, dtype=torch.float64)\n"
                               "    del a\n"
                               "    with record_function('inside'):\n"
                               "        c = torch.empty(10000).fill_(1)\n"
                               "with record_function('freed'):\n"
                               "    del b, c\n"})
                          .limit(140)
                          .set("PROF_OPS", "memory")
                          .profiled(temp / "run")
                          .run();
  INFO(run);
  REQUIRE(run.ok());
  CHECK(run.err.empty());
  const OperatorTable got = prof_table(temp / "run");
  const auto of = [&](const char* name) { return got.at({name, "[]"}); };
  // The scopes themselves have small tensors, some hundred bytes in all.
  const auto about = [](long long bytes, long long want) { return std::abs(bytes - want) < 1000; };
  CHECK(about(of("made").bytes, 4000 + 40000));
  CHECK(about(of("made").self_bytes, -4000));
  CHECK(about(of("inside").bytes, 40000));
  CHECK(about(of("inside").self_bytes, 0));
  CHECK(about(of("freed").bytes, -44000));
  CHECK(about(of("freed").self_bytes, -44000));
  CHECK(about(of("aten::empty").self_bytes, 4000 + 4000 + 40000));
}

TEST_CASE("operators that are switched off are not recorded, and their scopes are no ranges") {
  if (!has_module("torch")) return skip_without("torch");
  TempDir temp;
  const Outcome run = training("mlp", 2, {}).set("PROF_OPS", "off").profiled(temp / "run").run();
  REQUIRE(run.ok());
  CHECK(view_of(temp / "run", "ops").empty());
  CHECK(view_of(temp / "run", "ranges").empty());
}
