// What the JSON document says of the run and of itself: "run", "selection", "loss", "overhead", "symbols".
#pragma once

#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

Json run_json(const model::Run& run);
// What was selected of it, as typed.
Json selection_json(const show::Subject& subject, const show::ViewOptions& options);
Json loss_json(const model::Run& run);
Json overhead_json(const model::Run& run);
// An array with an object for each module of which an address has been looked up so far.
Json symbols_json(const symbols::Symbols& symbols);

}  // namespace prof::formats
