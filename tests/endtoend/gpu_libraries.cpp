// What the report says of calls of the libraries above CUDA against the books of their fakes, which find out what they
// are asked for by doing it; and against the real libraries, as far as these work without a GPU.
#include <algorithm>
#include <map>

#include "tests/support/catch.hpp"
#include "tests/support/compare.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

struct Asked {
  long long calls = 0, failed = 0, bytes = 0, flops = 0;
  bool operator==(const Asked&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Asked& a) {
  return out << a.calls << " calls, " << a.failed << " failed, " << a.bytes << " B, " << a.flops << " FLOP";
}
using Table = std::map<std::pair<std::string, std::string>, Asked>;  // by library and function

// The program's own calls, without what the libraries call of each other.
Table truth(const Ledger& ledger) {
  Table table;
  for (const Json& line : ledger.of("library")) {
    if (line.at("inside").get<bool>()) continue;
    Asked& asked = table[{line.at("library").get<std::string>(), line.at("name").get<std::string>()}];
    ++asked.calls;
    if (line.at("rc") != 0) {
      ++asked.failed;
      continue;
    }
    asked.bytes += line.at("bytes").get<long long>();
    asked.flops += line.at("flops").get<long long>();
  }
  return table;
}

Table reported(const Report& report) {
  Table table;
  for (const Json& row : report.section("api")) {
    const auto library = row.at("library").get<std::string>();
    if (library == "CUDA runtime" || library == "CUDA driver") continue;
    table[{library, row.at("name").get<std::string>()}] = {
        row.at("calls").get<long long>(), row.at("failed").get<long long>(), row.at("bytes").get<long long>(),
        row.at("flops").get<long long>()};
  }
  return table;
}

void check_equal(const Table& reported, const Table& truth) {
  for (const auto& [name, asked] : truth) {
    INFO(name.first << ": " << name.second);
    REQUIRE(reported.count(name) == 1);
    CHECK(reported.at(name) == asked);
  }
  for (const auto& [name, asked] : reported) {
    INFO(name.first << ": " << name.second << ": " << asked);
    CHECK(truth.count(name) == 1);
  }
}

Command libraries(int toolkit, const std::string& kind, int count, const TempDir& temp) {
  return with_gpu(Command::victim("gpu_libraries" + std::to_string(toolkit), {kind, std::to_string(count)}),
                  temp / "ledger", {toolkit});
}

// Runs it under the agent with every toolkit, and compares. `kernels`: what the libraries launch is told as well.
void check_libraries(const std::string& kind, int count, const std::vector<std::string>& expected) {
  for (const int toolkit : {11, 12, 13}) {
    INFO("toolkit " << toolkit << ", " << kind);
    TempDir temp;
    check_survives(libraries(toolkit, kind, count, temp), temp / "run");
    const Ledger ledger(temp / "ledger");
    const Table table = truth(ledger);
    for (const std::string& name : expected) {
      INFO(name);
      CHECK(std::any_of(table.begin(), table.end(), [&](const auto& row) { return row.first.second == name; }));
    }
    const Report report = Report::of(temp / "run");
    check_equal(reported(report), table);
    const Tally kernels = ledger.kernels();
    if (kernels.count == 0) continue;
    const Tally told = reported_kernels(report);
    CHECK(told.count == kernels.count);
    CHECK(told.total_ns == kernels.total_ns);
  }
}

}  // namespace

// Catches a product inside a product that is counted twice: the fake GemmEx calls cuBLASLt across the PLT.
TEST_CASE("cuBLAS calls are counted with their operations and bytes, and not again inside each other") {
  check_libraries("blas", 5, {"cublasSgemm_v2", "cublasGemmEx", "cublasSgemmBatched", "cublasDtrsm_v2"});
}

TEST_CASE("products of cuBLASLt have the sizes of their descriptors, transposed or not") {
  check_libraries("lt", 1, {"cublasLtMatmul"});
}

TEST_CASE("convolutions of cuDNN have the sizes of their descriptors in all three directions") {
  check_libraries("dnn", 3,
                  {"cudnnConvolutionForward", "cudnnConvolutionBackwardData", "cudnnConvolutionBackwardFilter"});
}

// Catches a shadow that needs the graph to be there still when its plan is executed.
TEST_CASE("plans of cuDNN's backend have the work of the graphs that they were made of") {
  check_libraries("graphs", 7, {"cudnnBackendExecute"});
}

// Catches plans that are known by their number alone after that was given to another one.
TEST_CASE("transforms of cuFFT have the work of their plans") {
  check_libraries("fft", 4, {"cufftExecC2C", "cufftExecR2C"});
}

TEST_CASE("NCCL calls are counted with their bytes, and ids go through by value") {
  check_libraries("nccl", 6, {"ncclAllReduce", "ncclAllGather", "ncclGroupEnd", "ncclCommInitRank"});
}

// Catches rows with too few arguments, or ones that pass on the wrong kind of register.
TEST_CASE("arguments of functions by name alone arrive in their registers and on the stack") {
  check_libraries(
      "arguments", 1,
      {"cusolverDnSsyevdx", "curandGenerateNormal", "cusparseSpMM", "cudnnBatchNormalizationForwardTrainingEx"});
}

TEST_CASE("failed calls of libraries are counted with their error and ask for nothing") {
  check_libraries("failures", 1, {"cublasSgemm_v2", "cufftExecC2C", "ncclAllReduce"});
  TempDir temp;
  check_survives(libraries(12, "failures", 1, temp), temp / "run");
  const Table table = reported(Report::of(temp / "run"));
  CHECK(table.at({"cuBLAS", "cublasSgemm_v2"}) == Asked{3, 2, 4 * (3 * 5 + 5 * 4 + 3 * 4), 2 * 3 * 4 * 5});
}

TEST_CASE("library calls of eight threads at once are all counted, with the plans that they make and drop") {
  check_libraries("threads", 200, {"cublasSgemm_v2", "cublasGemmEx", "cudnnBackendExecute"});
}

// Catches kernels that hang below the thread, or below the library's own frames, and not below the call that asked.
TEST_CASE("library work is told by the function that asked for it, with the GPU's time for it") {
  TempDir temp;
  check_survives(libraries(12, "graphs", 20, temp), temp / "run");
  const Report report = Report::of(temp / "run");
  const Asked asked = reported(report).at({"cuDNN", "cudnnBackendExecute"});
  const Json& rows = report.section("flops");
  REQUIRE(rows.size() == 1);
  const Json& row = rows.at(0);
  CHECK(row.at("name") == "cudnnBackendExecute");
  CHECK(is_function(row.at("site").at("name").get<std::string>(), "execute"));
  CHECK(row.at("calls") == 60);
  CHECK(row.at("flops") == asked.flops);
  const double gpu_s = 60 * 80e-6;
  CHECK(row.at("gpu_s").get<double>() == Approx(gpu_s));
  CHECK(row.at("flops_per_s").get<double>() == Approx(static_cast<double>(asked.flops) / gpu_s));
}

TEST_CASE("without a driver the libraries' own errors come through") {
  TempDir temp;
  Command command = with_gpu(Command::victim("gpu_libraries12", {"blas"}), temp / "ledger", {12}, false);
  const BothWays both = run_both_ways(command, temp / "run");
  check_same_end(both);
  CHECK(both.with.exit_code == 99);
  CHECK(reported(Report::of(temp / "run")).at({"cuBLAS", "cublasCreate_v2"}) == Asked{1, 1, 0, 0});
}

// The descriptors are those of the real cuBLASLt and cuDNN. What needs a GPU goes to functions that do nothing.
TEST_CASE("descriptors of the real libraries tell what calls ask for") {
  if (!std::filesystem::exists(victim_path("gpu_descriptors"))) return skip("no toolkit with cuBLASLt and cuDNN");
  TempDir temp;
  const Outcome outcome = Command::victim("gpu_descriptors").profiled(temp / "run").run();
  INFO(outcome);
  REQUIRE(outcome.ok());
  const Table table = reported(Report::of(temp / "run"));
  for (const char* name :
       {"cublasLtMatmul", "cublasLtMatrixTransform", "cudnnConvolutionForward", "cudnnConvolutionBackwardData",
        "cudnnConvolutionBackwardFilter", "cudnnRNNForward", "cudnnMultiHeadAttnForward", "cudnnBackendExecute"}) {
    INFO(name);
    const std::string library = std::string(name).starts_with("cublasLt") ? "cuBLASLt" : "cuDNN";
    REQUIRE(table.count({library, name}) == 1);
    const Asked& asked = table.at({library, name});
    CHECK(asked.failed == 0);
    CHECK(asked.flops == outcome.fact(std::string(name) + "_flops"));
    if (outcome.has_fact(std::string(name) + "_bytes"))
      CHECK(asked.bytes == outcome.fact(std::string(name) + "_bytes"));
  }
}
