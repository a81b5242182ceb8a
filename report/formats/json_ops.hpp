// The JSON report's operators.
#pragma once

#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

// By name, kind and shapes, by self time; null where none were recorded.
Json ops_json(const show::Subject& subject);

// By name, kind and the innermost Python lines that called them, by self time; null where no such lines were recorded.
Json ops_by_stack_json(const show::Subject& subject);

// By step of the loop, name and kind, as far as the trace has them; null where there is no trace with a step.
Json ops_by_step_json(const show::Subject& subject);

}  // namespace prof::formats
