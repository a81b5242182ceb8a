// Hash functions of C++ that give many keys the same value, by their source.
#pragma once

#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"
#include "report/findings/program_time.hpp"

namespace prof::findings {

// Of programs that spend much of their time in std::unordered_map and its kin, with such a function beside: one
// finding.
std::vector<Finding> look_for_poor_hashes(const Evidence& evidence);

// What is told where a hash, at its place, gives many keys the same value; `seen` is said of the CPU time that it
// costs.
Finding of_poor_hash(const Evidence& evidence, const CpuAt& cpu, const Place& hash, const char* seen,
                     const char* advice);

}  // namespace prof::findings
