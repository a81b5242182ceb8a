// The rank of a process in a distributed job: what launchers say, and what communication libraries are told.
#include "agent/life/job.hpp"

#include <stdlib.h>

#include "agent/core/process.hpp"
#include "tests/support/agent_log.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

namespace {

constexpr const char* kNames[] = {"RANK",       "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID",
                                  "WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"};

// Of a process with these variables alone.
class Job {
 public:
  Job(std::initializer_list<std::pair<const char*, const char*>> environment) {
    for (const char* name : kNames) unsetenv(name);
    for (const auto& [name, value] : environment) setenv(name, value, 1);
    find_job();
  }
  ~Job() {
    for (const char* name : kNames) unsetenv(name);
    find_job();
  }
  std::int32_t rank() const { return process().rank; }
  std::int32_t size() const { return process().world_size; }
};

}  // namespace

// Catches numbers with something behind them, sizes that are less than the rank, and variables that are set to nothing.
TEST_CASE("a job's rank and size as launchers tell them") {
  CHECK(Job({}).rank() == -1);
  const Job torchrun({{"RANK", "3"}, {"WORLD_SIZE", "8"}, {"SLURM_PROCID", "1"}});
  CHECK(torchrun.rank() == 3);
  CHECK(torchrun.size() == 8);
  CHECK(Job({{"RANK", ""}, {"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}).size() == 1);
  CHECK(Job({{"RANK", "first"}}).rank() == -1);
  CHECK(Job({{"RANK", "1x"}, {"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "5"}}).rank() == 5);
  CHECK(Job({{"SLURM_PROCID", "5"}, {"SLURM_NTASKS", "5"}}).size() == 0);
  CHECK(Job({{"WORLD_SIZE", "4"}}).size() == 0);
}

// Catches a group of some processes that renumbers its members, and one that overrules the launcher.
TEST_CASE("the first group of processes tells the rank where the launcher did not") {
  const test::AgentGuard guard;
  {
    const Job job({});
    joined_job(guard, 4, 4);
    joined_job(guard, -1, 4);
    CHECK(job.rank() == -1);
    joined_job(guard, 2, 4);
    CHECK(job.rank() == 2);
    CHECK(job.size() == 4);
    joined_job(guard, 0, 1);
    CHECK(job.rank() == 2);
    CHECK(job.size() == 4);
    CHECK(test::agent_log().rank == 2);
    CHECK(test::agent_log().world_size == 4);
  }
  const Job told({{"RANK", "1"}});
  joined_job(guard, 0, 2);
  CHECK(told.rank() == 1);
  CHECK(told.size() == 0);
  joined_job(guard, 1, 2);
  CHECK(told.size() == 2);
}
