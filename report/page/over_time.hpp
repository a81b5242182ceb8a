// What of a run has times: processes, memory, steps, imports, devices.
#pragma once

#include "report/page/bundle.hpp"
#include "report/show/view.hpp"

namespace prof::page {

// All times are nanoseconds from the start of the run.
Json time_json(const show::Subject& subject, Bundle& bundle);

}  // namespace prof::page
