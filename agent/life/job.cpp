#include "agent/life/job.hpp"

#include <stdlib.h>

#include "agent/core/process.hpp"
#include "agent/log/file.hpp"

namespace prof {
namespace {

constexpr std::int32_t kMost = 100'000'000;

// -1: none of them is set to a number.
std::int32_t first_number(const char* const* names) {
  for (; *names != nullptr; ++names) {
    const char* value = getenv(*names);
    if (value == nullptr || *value == '\0') continue;
    std::int32_t number = 0;
    const char* c = value;
    for (; *c >= '0' && *c <= '9' && number < kMost; ++c) number = number * 10 + (*c - '0');
    if (*c == '\0') return number;
  }
  return -1;
}

}  // namespace

void find_job() {
  static constexpr const char* kRanks[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", nullptr};
  static constexpr const char* kSizes[] = {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS", nullptr};
  Process& p = process();
  p.rank = first_number(kRanks);
  const std::int32_t size = p.rank < 0 ? 0 : first_number(kSizes);
  p.world_size = size > p.rank ? size : 0;
}

void joined_job(const Guard&, std::int32_t rank, std::int32_t size) {
  Process& p = process();
  if (rank < 0 || rank >= size || size > kMost) return;
  std::int32_t none = -1;
  if (__atomic_compare_exchange_n(&p.rank, &none, rank, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    p.world_size = size;
  else if (p.world_size == 0 && p.rank == rank)
    p.world_size = size;
  else
    return;
  // There is none where nothing was recorded so far: the one that is made then says it.
  if (log::Header* header = log::header()) {
    header->rank = p.rank;
    header->world_size = p.world_size;
  }
}

}  // namespace prof
