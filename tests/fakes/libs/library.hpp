// What the fakes of the libraries above CUDA share. Each call writes a line to the ledger with what it was asked for,
// which is found out by doing it: operations are counted one by one, in loops, and not by a formula.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/fakes/device/fakegpu.hpp"
#include "tests/victims/cuda/library_api.h"

namespace fakegpu::library {

// From the first line of a library's function to its last. With FAKE_GPU_LEDGER it stands there as
// {"t":"library","library","name","rc","flops","bytes","inside"}; `inside`: another library called it.
class Call {
 public:
  Call(const char* library, const char* name, bool inside = false) : library_(library), name_(name), inside_(inside) {}
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  std::uint64_t flops = 0, bytes = 0;
  int done(int rc) { return rc_ = rc; }

 private:
  const LibraryScope scope_;
  const char* library_;
  const char* name_;
  bool inside_;
  int rc_ = 0;
};

// Starts the driver, as the first handle of such a library does; false: there is none.
bool start_driver();

// Operations of `m` by `n` sums of `k` products, times `batch`.
inline std::uint64_t products(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t batch = 1) {
  std::uint64_t operations = 0;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t l = 0; l < k; ++l) operations += 2;
      }
    }
  }
  return operations;
}

}  // namespace fakegpu::library

#define FAKE_API extern "C" __attribute__((visibility("default")))
