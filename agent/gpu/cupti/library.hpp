// libcupti: which one, and its functions.
#pragma once

#include <string_view>

#include "agent/gpu/cupti/abi.hpp"

namespace prof::gpu::cupti {

struct Library {
  void* handle;
  char path[1024];
  Functions functions;
  std::uint32_t version;  // as cuptiGetVersion says
  bool torch;             // PyTorch's profiler is in this process
  bool programs;          // the program had a libcupti loaded itself
};

// Finds and loads the libcupti that fits the process: PROF_CUPTI's, the one of path `at_work` (empty: none), the one of
// a profiler that it has loaded and that brings its own, the one that it has loaded itself, the one beside its CUDA
// runtime, one by its usual names, one in CUDA's usual places. Each is asked by `accept` whether it works with this
// driver: a CUPTI that is newer does not. False, with a static text: there is none that does. A library that was loaded
// is never unloaded. Ordinary code.
bool open_library(Library& library, const char* at_work, bool (*accept)(Library&), const char*& why);

// Writes the path of the object that has this function. Ordinary code.
void path_of(const void* function, char* path, std::size_t room);

// The functions of a loaded library. False: those that are indispensable are missing.
bool find_functions(void* handle, Functions& functions);

// Whether the libcupti that has this function collects records for each subscriber by itself (CUDA 13.2 and later).
bool has_scopes(const void* function);

// The name of the call that CUPTI numbers so, without the version in which it came (cudaLaunchKernel_v7000); empty: it
// has none. Lives as long as the library.
std::string_view call_name(const Functions& functions, std::uint32_t domain, std::uint32_t id);

// The path of the first loaded object whose file name begins with `prefix`; false: there is none. Ordinary code.
bool loaded_object(const char* prefix, char* path, std::size_t room);

}  // namespace prof::gpu::cupti
