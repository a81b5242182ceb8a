// The ways in which programs come to CUDA: the right function is called every time, and what cannot be seen on the host
// is at least seen on the device.
#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

struct Loaded {
  TempDir temp;
  Outcome outcome;
  explicit Loaded(const std::string& how, std::vector<int> toolkits = {12, 13}) {
    const BothWays both =
        run_both_ways(with_gpu(Command::victim("gpu_loader", {how}), temp / "ledger", toolkits), temp / "run");
    check_same(both);
    outcome = both.with;
    INFO(outcome);
    REQUIRE(outcome.ok());
  }
  Report report() const { return Report::of(temp / "run"); }
  Ledger ledger() const { return Ledger(temp / "ledger", outcome.pid); }
};

}  // namespace

// Catches wrappers that look their function up once, or in the wrong scope: E.g. RTLD_NEXT finds nothing when the
// library was loaded locally, and the first of two.
TEST_CASE("CUDA of libraries loaded locally and globally is seen") {
  for (const char* how : {"local", "global"}) {
    INFO(how);
    const Loaded loaded(how);
    check_gpu_truth(loaded.report(), loaded.ledger());
    CHECK(reported_kernels(loaded.report(), "twelve_50us").count == 30);
  }
}

TEST_CASE("two CUDA runtimes in one process are each called by who was built for them") {
  for (const char* how : {"two", "two-global"}) {
    INFO(how);
    const Loaded loaded(how);
    const Report report = loaded.report();
    check_gpu_truth(report, loaded.ledger());
    CHECK(reported_calls(report, "cudaLaunchKernel").count == 50);
    CHECK(reported_calls(report, "__cudaLaunchKernel").count == 50);
    CHECK(reported_kernels(report, "twelve_50us").count == 50);
    CHECK(reported_kernels(report, "thirteen_30us").count == 50);
  }
}

// Catches function pointers kept across a dlclose.
TEST_CASE("a CUDA runtime that is unloaded and loaded again, in another version, is called") {
  const Loaded loaded("reload");
  const Report report = loaded.report();
  check_gpu_truth(report, loaded.ledger());
  CHECK(reported_kernels(report, "twelve_50us").count == 50);
  CHECK(reported_kernels(report, "thirteen_30us").count == 50);
}

TEST_CASE("what goes past the interposed functions is seen on the device") {
  const Loaded deep("deepbind");
  CHECK(reported_kernels(deep.report(), "twelve_50us").total_ns == 30 * 50'000);
  const Loaded handle("handle");
  CHECK(reported_kernels(handle.report(), "triton_80us").total_ns == 30 * 80'000);
}

TEST_CASE("launches that no interposed function sees are found by CUPTI's callbacks, and said to be unseen without") {
  for (const bool callbacks : {true, false}) {
    TempDir temp;
    check_survives(with_gpu(Command::victim("gpu_loader", {"handle"}), temp / "ledger", {12, 13})
                       .set("PROF_CUDA_CALLBACKS", callbacks ? "on" : "off"),
                   temp / "run");
    const Report report = Report::of(temp / "run");
    CHECK(reported_kernels(report, "triton_80us").count == 30);
    CHECK(reported_calls(report, "cuLaunchKernel", "CUDA driver").count == (callbacks ? 30 : 0));
    CHECK(report.section("loss").at("reasons").at("device_unlinked").get<int>() == (callbacks ? 0 : 30));
  }
}

TEST_CASE("CUDA in a namespace of its own is left alone") {
  const Loaded loaded("dlmopen");
  CHECK(logs_in(loaded.temp / "run").size() == 1);  // no second agent
}

// Catches a host side that thinks itself complete: the runtime is linked into the program.
TEST_CASE("launches of a program with the runtime linked in hang below its functions") {
  TempDir temp;
  Command command = with_gpu(Command::victim("gpu_static", {"30"}), temp / "ledger");
  // No runtime tells where its CUPTI is; there may be another one on this machine.
  command.set("PROF_CUPTI", (fakes_dir() / "12/libcupti.so.12").string());
  check_survives(command, temp / "run");
  const Report report = Report::of(temp / "run");
  const Ledger ledger(temp / "ledger");
  CHECK(reported_kernels(report, "linked_in_90us").total_ns == ledger.kernels("linked_in_90us").total_ns);
  CHECK(reported_kernels(report, "linked_in_90us").count == 90);
  CHECK(reported_copies(report, "HtoD").bytes == 2000);
  double first = 0, second = 0;
  for (const Json& row : report.section("functions")) {
    if (row.at("name") == "first_caller") first += row.at("cumgpu_s").get<double>();
    if (row.at("name") == "second_caller") second += row.at("cumgpu_s").get<double>();
  }
  CHECK(first == Approx(30 * 90e-6));
  CHECK(second == Approx(60 * 90e-6));
}

TEST_CASE("a program that nvcc built is told to the nanosecond") {
  const std::filesystem::path nvcc = "/usr/local/cuda/bin/nvcc";
  if (!std::filesystem::exists(nvcc)) return skip("no nvcc");
  TempDir temp;
  const std::string program = (temp / "saxpy").string();
  const Outcome built = Command({nvcc.string(), "-cudart", "shared", "-o", program,
                                 (source_dir() / "tests/victims/cuda/gpu_saxpy.cu").string()})
                            .run();
  INFO(built);
  REQUIRE(built.ok());
  const BothWays both = run_both_ways(with_gpu(Command({program}), temp / "ledger", {13}), temp / "run");
  check_same(both);
  REQUIRE(both.with.ok());
  const Report report = Report::of(temp / "run");
  check_gpu_truth(report, Ledger(temp / "ledger", both.with.pid));
  CHECK(reported_calls(report, "__cudaLaunchKernel").count == 26);
  CHECK(reported_kernels(report).total_ns == 25 * 60'000 + 35'000);
}
