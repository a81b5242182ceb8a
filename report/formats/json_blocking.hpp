// Blocking calls, and where wall time went, in the JSON document.
#pragma once

#include "report/fold/call_tree.hpp"
#include "report/fold/waiting/accounting.hpp"
#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

// Calls by function, and blocked time by place. null where no selected process recorded blocking calls.
Json blocking_json(const show::Subject& subject);
Json blocking_sites_json(const show::Subject& subject);
// Turns of event loops that lasted long, by place; null likewise.
Json loops_json(const show::Subject& subject);

Json split_json(const fold::WallSplit& split);

// What the system says of a thread; each null where it does not.
Json use_json(const model::ThreadUse& use);

}  // namespace prof::formats
