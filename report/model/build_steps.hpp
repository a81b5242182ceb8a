// The steps of a training loop.
#pragma once

#include "report/model/build_tree.hpp"
#include "report/read/raw_log.hpp"

namespace prof::model {

// `process` has its codes and names. What no part accounts for is StepPart::Other; a record of one step is its own
// longest.
Steps build_steps(const read::RawSteps& raw, const Ids& ids, const Process& process);

}  // namespace prof::model
