// Operators of PyTorch where control does not go straight: threads, processes, scripts, exceptions, backward passes
// within each other. How often each is called follows from the victims' code.
#include <signal.h>

#include <algorithm>
#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/command.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/torch_run.hpp"

using namespace prof::test;

namespace {

// One of the victim's parts, which must say the same as without the agent.
void run_flow(const TempDir& temp, const std::string& part) {
  const Outcome bare = python_victim("torch_flow.py", {part}).run();
  const Outcome run = python_victim("torch_flow.py", {part}).profiled(temp / "run").run();
  INFO(bare << run);
  REQUIRE(bare.ok());
  REQUIRE(run.ok());
  CHECK(run.out == bare.out);
  CHECK(run.err == bare.err);
}

struct InThreads {
  std::size_t threads = 0, processes = 0;
  long long least = 0, most = 0;  // calls in one of them
};

InThreads in_threads(const TempDir& temp, const std::string& name) {
  InThreads out;
  std::set<std::string> pids;
  for (const CsvRow& row : view_of(temp / "run", "ops", {"--group-by", "thread"})) {
    if (row.at("name") != name) continue;
    const long long calls = number(row.at("calls"));
    out.least = out.threads == 0 ? calls : std::min(out.least, calls);
    out.most = std::max(out.most, calls);
    ++out.threads;
    pids.insert(row.at("pid"));
  }
  out.processes = pids.size();
  return out;
}

}  // namespace

// Catches callbacks that a forked child is lost to, threads that share a stack of operators, ends that an exception
// skips, and counts that wait for the end of the process.
TEST_CASE("operators of workers, threads, scripts and failed calls are there after a kill") {
  if (!has_module("torch")) return skip_without("torch");
  TempDir temp;
  const Outcome run = python_victim("torch_workers.py").profiled(temp / "run").run();
  INFO(run);
  REQUIRE(run.signal == SIGKILL);
  const CsvRows ops = view_of(temp / "run", "ops");
  CHECK(calls_of(ops, "aten::erf") == 12);  // in the two workers
  CHECK(calls_of(ops, "aten::tanh") == 6);
  CHECK(calls_of(ops, "aten::cosh") == 3 * 50);
  CHECK(calls_of(ops, "aten::sinh") == 3);
  CHECK(calls_of(ops, "scripted", "script") == 1);
  CHECK(calls_of(ops, "aten::mm") == 5);
  CHECK(calls_of(ops, "attempt#*", "scope") == 5);
  CHECK(calls_of(ops, "loading", "scope") == 1);
  CHECK(in_threads(temp, "aten::erf").threads == 2);
}

// Catches operators that are lost where several threads begin their first one at once, and backward ones that are
// booked on the thread of their forward.
TEST_CASE("operators of replicas in threads are counted where they run") {
  if (!has_module("torch")) return skip_without("torch");
  TempDir temp;
  run_flow(temp, "threads");
  const CsvRows ops = view_of(temp / "run", "ops");
  CHECK(calls_of(ops, "aten::asinh") == 4 * 20);
  CHECK(calls_of(ops, "AsinhBackward0", "backward") == 4);
  CHECK(in_threads(temp, "aten::asinh").threads == 4);
  CHECK(in_threads(temp, "AsinhBackward0").threads == 1);
  CHECK(calls_of(ops, "aten::atan") == 4 * 20);
  CHECK(calls_of(ops, "AtanBackward0", "backward") == 4 * 20);
  const InThreads backward = in_threads(temp, "AtanBackward0");
  CHECK(backward.threads == 4);
  CHECK(backward.least == 20);
  CHECK(backward.most == 20);
}

// Catches functions of scripts that end on another thread, and those that an exception leaves.
TEST_CASE("operators of scripts are counted, in tasks of their own and when they fail") {
  if (!has_module("torch")) return skip_without("torch");
  TempDir temp;
  run_flow(temp, "scripts");
  const CsvRows ops = view_of(temp / "run", "ops");
  CHECK(calls_of(ops, "aten::acosh") == 3 * 6 * 5);
  CHECK(calls_of(ops, "forking", "script") == 3);
  CHECK(calls_of(ops, "refusing", "script") == 4);
  CHECK(calls_of(ops, "aten::expm1") == 4);
  CHECK(calls_of(ops, "aten::atanh") == 1 + 7);
  CHECK(calls_of(ops, "traced", "script") == 7);
  const CsvRows forking = view_of(temp / "run", "ops", {"--focus", "^forking$"});
  CHECK(calls_of(forking, "<forked function>", "script") <= 3 * 6);  // run by the threads that are free
  CHECK(calls_of(forking, "aten::expm1") == 0);
  CHECK(calls_of(forking, "aten::atanh") == 0);
  CHECK(number(row_where(forking, "name", "forking").at("cpu_ns")) > 0);
}

// Catches operators that stay open behind an exception: what comes later would be inside them.
TEST_CASE("operators that fail have an end, and what follows is not inside them") {
  if (!has_module("torch")) return skip_without("torch");
  TempDir temp;
  run_flow(temp, "failures");
  const CsvRows failing = view_of(temp / "run", "ops", {"--focus", "^failing"});
  CHECK(calls_of(failing, "failing#*", "scope") == 5);
  CHECK(calls_of(failing, "aten::expm1") == 5);
  CHECK(calls_of(failing, "aten::sinc") == 5);
  CHECK(calls_of(failing, "RefusesBackward", "backward") == 5);
  CHECK(calls_of(failing, "aten::erfc") == 0);
  CHECK(calls_of(failing, "aten::log1p") == 0);
  const CsvRows ops = view_of(temp / "run", "ops");
  for (const char* scope : {"first", "second", "between", "after"}) CHECK(calls_of(ops, scope, "scope") == 1);
  CHECK(calls_of(view_of(temp / "run", "ops", {"--focus", "^second$"}), "aten::erfc") == 1);
  for (const char* before : {"first", "second", "between"}) {
    CHECK(calls_of(view_of(temp / "run", "ops", {"--focus", "^" + std::string(before) + "$"}), "aten::log1p") == 0);
  }
  // Begun here and ended in a thread.
  CHECK(calls_of(ops, "crossing", "scope") == 1);
  const CsvRows crossing = view_of(temp / "run", "ops", {"--focus", "^crossing$"});
  CHECK(calls_of(crossing, "aten::frac") == 1);
  CHECK(calls_of(crossing, "aten::trunc") == 0);
  CHECK(row_where(view_of(temp / "run", "ranges"), "name", "crossing").at("count") == "1");
}

// Catches backward passes that lose count where one runs inside another one, here or in a thread of PyTorch's pool.
TEST_CASE("operators of backward passes within backward passes are counted") {
  if (!has_module("torch")) return skip_without("torch");
  TempDir temp;
  run_flow(temp, "reentrant");
  const CsvRows ops = view_of(temp / "run", "ops");
  CHECK(calls_of(ops, "aten::erfc") == 2 * 10);  // and once more for the backward pass
  CHECK(calls_of(ops, "ErfcBackward0", "backward") == 10);
  CHECK(calls_of(ops, "aten::lgamma") == 100);
  CHECK(calls_of(ops, "ReentersBackward", "backward") == 100);
  CHECK(in_threads(temp, "aten::lgamma").threads == 2);
}

// Catches a child of torch.multiprocessing whose operators go to its parent's log, or nowhere.
TEST_CASE("operators of forked and of spawned processes are in their own logs") {
  if (!has_module("torch")) return skip_without("torch");
  TempDir temp;
  run_flow(temp, "processes");
  CHECK(calls_of(view_of(temp / "run", "ops"), "aten::digamma") == 4 * 10);
  for (const char* name : {"aten::digamma", "DigammaBackward0"}) {
    const InThreads each = in_threads(temp, name);
    CHECK(each.processes == 4);
    CHECK(each.least == 10);
    CHECK(each.most == 10);
  }
}
