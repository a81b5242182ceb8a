// The stand-in of CUPTI is held to what was measured of the real one and published, with CUDA 13.0 on a device of
// compute capability 8.6: what follows from other rules than these was never seen.
#include <map>

#include "tests/support/catch.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/temp_dir.hpp"

using namespace prof::test;

namespace {

std::string answers(const char* rule, const std::map<std::string, std::string>& settings = {}) {
  TempDir temp;
  Command command = with_gpu(Command::victim("gpu_rules", {rule}), temp / "ledger", {13});
  for (const auto& [name, value] : settings) command.set(name, value);
  const Outcome outcome = command.run();
  INFO(outcome);
  CHECK(outcome.ok());
  return outcome.out;
}

}  // namespace

TEST_CASE("the fake CUPTI records calls that are chosen as the real one does") {
  CHECK(answers("calls") == R"(0 1
malloc chosen
  cudaMalloc_v3020
free, too
  cudaMalloc_v3020
  cudaFree_v3020
the copy, too, by 2
  cudaMalloc_v3020
  cudaMemcpy_v3020
  cudaFree_v3020
all, malloc taken back
  cudaMemcpy_v3020
  cudaFree_v3020
all again
  cudaMalloc_v3020
  cudaMemcpy_v3020
  cudaFree_v3020
free taken back
  cudaMalloc_v3020
  cudaMemcpy_v3020
none
none, the copy chosen
all once more
  cudaMalloc_v3020
  cudaMemcpy_v3020
  cudaFree_v3020
)");
  CHECK(answers("late-calls") == R"(a context
malloc chosen
all, malloc taken back
  cudaMemcpy_v3020
  cudaFree_v3020
)");
  constexpr const char* kDriver = R"(0 1
alloc chosen
  cuMemAlloc_v2
free, too
  cuMemAlloc_v2
  cuMemFree_v2
all, the set taken back
  cuMemAlloc_v2
  cuMemFree_v2
)";
  CHECK(answers("driver-calls") == kDriver);
  CHECK(answers("late-driver-calls") == kDriver);
}

TEST_CASE("the fake CUPTI refuses what the real one refuses") {
  CHECK(answers("kinds") ==
        "14 0 0 0 0 0 38 38 0 0 0 0 0 0 38 38 38 0 14 0 14 38 0 38 38 0 21 14 38 38 38 38 0 0 0 0 0 0 0 0 38 38 38 38 "
        "0 0 0 0 0 0 0 0 21 0 0 14\n"
        "0 14 0 0 14 0 0\n"
        "1 0 0 1 1 0 0 0 1 1 0 0 \n");
  CHECK(answers("callbacks") == R"(0 39 1 1 1 1 0 1 0 1 1 1 1 1 1
22
22
2022
0 0 0
)");
  CHECK(answers("clock") == "1\n");
}

TEST_CASE("the fake CUPTI joins ids with calls, and hands out buffers, as the real one does") {
  CHECK(answers("ids") == R"(0 200
18 1
records
  cudaMalloc_v3020
  id 100 of 3
  cudaLaunchKernel_v7000
  id 100 of 3
  id 200 of 4
  cudaMemset_v3020
  id 101 of 3
  cudaMemset_v3020
  cudaFree_v3020
)");
  CHECK(answers("buffers") == R"(context: 0 0
enabled: 0 0
nothing to record: 0 0
launched: 1 0
flushed meanwhile: 1 0
synchronised: 1 0
flushed: 1 1
flushed again: 1 1
launched: 2 1
disabled: 2 1
flushed: 2 2
launched while disabled: 2 2
calls enabled: 2 2
a call: 3 2
flushed: 3 3
)");
}

TEST_CASE("the fake CUPTI tells of graphs, copies between devices and its own cost as the real one does") {
  CHECK(answers("graphs") == R"(captured
whole
  graph
  graph
captured
one by one
  kernel
  kernel
  kernel
  kernel
)");
  CHECK(answers("peers", {{"FAKE_CUPTI_PEERS_BY_HOST", "1"}}) == R"(copied
  copy of kind 2 from 3 to 3, 4096 bytes, device 0
  copy of kind 1 from 3 to 3, 4096 bytes, device 1
)");
  CHECK(answers("overhead") == R"(launched
  overhead 7
  kernel
launched
  overhead 7
  kernel
nothing since
)");
}
