// The JSON report's modules of PyTorch.
#pragma once

#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

// Each before those inside it; null where none were seen.
Json modules_json(const show::Subject& subject);

}  // namespace prof::formats
