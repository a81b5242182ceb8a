// What a program is told that asks whether there is CUDA: our definitions of its functions stand in every process.
#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

// Catches definitions of ours that answer a program's dlsym or weak reference where nobody else does: it would take the
// way through CUDA, on a machine that has none. And messages of dlerror that are not the program's.
TEST_CASE("a program that asks for CUDA where there is none is told so as alone") {
  for (const char* program : {"gpu_probe", "gpu_probe_fixed"}) {
    INFO(program);
    TempDir temp;
    const BothWays both = run_both_ways(Command::victim(program), temp / "run");
    check_same(both);
    CHECK(both.with.ok());
    CHECK(both.with.err.empty());
    CHECK(both.with.out.starts_with("weak 0 0 0, in data 0 0\n"));
    CHECK(both.with.out.find("default cudaMalloc: none") != std::string::npos);
    const Outcome off = Command::victim(program).profiled(temp / "off").set("PROF_CUDA", "off").run();
    CHECK(off.out == both.alone.out);
  }
}

// Catches a "no" that is remembered.
TEST_CASE("a program that asks for CUDA before and after it loads it is told so as alone, and its calls are counted") {
  TempDir temp;
  const Command command =
      with_gpu(Command::victim("gpu_probe", {"libcudart.so.12", "libcuda.so.1"}), temp / "ledger", {12});
  const BothWays both = run_both_ways(command, temp / "run");
  check_same(both);
  CHECK(both.with.ok());
  CHECK(reported_calls(Report::of(temp / "run"), "cudaGetDeviceCount").count == 5);
}

// Catches a frame of ours between a caller and dlsym, which finds itself then; and real functions that are looked for
// in CUDA's libraries alone, past whoever stands before them.
TEST_CASE("a library that is preloaded behind us and passes calls of CUDA on keeps its place") {
  TempDir temp;
  const Outcome run = with_gpu(Command::victim("gpu_work12", {"memory", "20"}), temp / "ledger")
                          .profiled(temp / "run")
                          .set("LD_PRELOAD", agent_library().string() + " " + victim_path("gpu_next.so").string())
                          .run();
  INFO(run);
  REQUIRE(run.ok());
  CHECK(run.fact("parent") == 1);
  const long long calls = reported_calls(Report::of(temp / "run"), "cudaMalloc").count;
  CHECK(calls > 0);
  CHECK(run.fact("allocations_behind") == calls);
  CHECK(Ledger(temp / "ledger", run.pid).calls("cudaMalloc").count == calls);
}

// The same before us: it is the program to us, and the first to be asked.
TEST_CASE("a library that is preloaded before us and passes calls of CUDA on reaches us") {
  TempDir temp;
  const Outcome run = with_gpu(Command::victim("gpu_work12", {"memory", "20"}), temp / "ledger")
                          .profiled(temp / "run")
                          .set("LD_PRELOAD", victim_path("gpu_next.so").string() + " " + agent_library().string())
                          .run();
  INFO(run);
  REQUIRE(run.ok());
  const long long calls = reported_calls(Report::of(temp / "run"), "cudaMalloc").count;
  CHECK(calls > 0);
  CHECK(run.fact("allocations_behind") == calls);
}

TEST_CASE("dlsym of libprof.so is a jump") {
  const Outcome code =
      Command({"objdump", "-d", "--no-show-raw-insn", "--disassemble=dlsym", agent_library().string()}).run();
  REQUIRE(code.ok());
  // What is passed on has not moved the stack when it goes.
  const std::size_t jump = code.out.find("*%rax");
  REQUIRE(jump != std::string::npos);
  CHECK(code.out.substr(0, jump).find("push") == std::string::npos);
  CHECK(code.out.substr(0, jump).find("call") == std::string::npos);
  CHECK(code.out.find("call   *") == std::string::npos);
}
