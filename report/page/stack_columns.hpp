// The stacks in the bundle.
#pragma once

#include "report/page/bundle.hpp"
#include "report/page/stacks.hpp"

namespace prof::page {

// What the header says of them: its columns by name, its measures and its parts.
Json stacks_json(const show::Subject& subject, const StackTree& tree, Bundle& bundle);

}  // namespace prof::page
