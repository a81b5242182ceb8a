// What it took to load shared libraries: the dynamic loader's own work, and the constructors that it called.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/fold/call_tree.hpp"

namespace prof::fold {

struct LoadedLibrary {
  std::string module;             // path
  std::int64_t constructors = 0;  // CPU ns below its constructors, without other libraries' that they loaded
  std::int64_t samples = 0;
};

struct Loading {
  std::int64_t loader_ns = 0;  // CPU time in the loader itself: mapping, relocations, look-up of symbols
  std::int64_t loader_samples = 0;
  std::vector<LoadedLibrary> libraries;  // ordered by constructors, descending
};

// Of CPU samples. A library's constructors are what the loader calls in it.
Loading loading(const CallTree& tree);

}  // namespace prof::fold
