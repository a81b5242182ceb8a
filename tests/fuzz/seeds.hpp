// Small valid logs that fuzzing starts from: between them they have a record and a chunk of every kind.
#pragma once

#include <vector>

#include "tests/support/log_builder.hpp"

namespace prof::fuzz {

// The first one is empty.
std::vector<test::LogBuilder> seed_logs();

// One of them: operators, modules, steps.
test::LogBuilder training_log();

}  // namespace prof::fuzz
