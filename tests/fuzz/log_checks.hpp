// What must hold of every log, however damaged it is.
#pragma once

#include "report/model/profile.hpp"
#include "tests/fuzz/expect.hpp"

namespace prof::fuzz {

// All that refers to something refers to something that is there.
void check_process(const model::Process& process);

// The parts of the wall time of any thread add up to it.
void check_walls(const model::Run& run);

// Steps are in their order, and what is told of them is of them.
void check_steps(const model::Run& run);

}  // namespace prof::fuzz
