// The counters of a profile: memory over time.
#pragma once

#include <cstddef>
#include <vector>

#include "report/formats/write.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

// "counters" of the profile. `main_threads`: by process (index into Run::processes), the place of its main thread in
// the list of threads.
void write_counters(const show::Subject& subject, const std::vector<std::size_t>& processes,
                    const std::vector<std::size_t>& main_threads, const Write& write);

}  // namespace prof::formats
