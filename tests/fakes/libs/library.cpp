#include "tests/fakes/libs/library.hpp"

#include <dlfcn.h>
#include <unistd.h>

namespace fakegpu::library {

Call::~Call() {
  write_ledger(
      R"({"t":"library","pid":%d,"tid":%u,"library":"%s","name":"%s","rc":%d,"flops":%llu,"bytes":%llu,"inside":%s})",
      getpid(), thread_id(), library_, name_, rc_, static_cast<unsigned long long>(flops),
      static_cast<unsigned long long>(bytes), inside_ ? "true" : "false");
}

bool start_driver() {
  static const bool started = [] {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (driver == nullptr) return false;
    auto* const init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
    return init != nullptr && init(0) == 0;
  }();
  return started;
}

}  // namespace fakegpu::library
