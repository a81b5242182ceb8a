// Steps of training, and actions of trainers, in the JSON document.
#pragma once

#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

// An object for each process that had steps; null where no process had any.
Json steps_json(const show::Subject& subject);

// null where there were none.
Json actions_json(const show::Subject& subject);

}  // namespace prof::formats
