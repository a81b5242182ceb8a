// What JSON says of CUDA: "api", "kernels", "copies", "streams", "devices", "device_memory", "ranges", "flops", "idle".
#pragma once

#include "report/fold/call_tree.hpp"
#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

// Adds those sections to the document; null where nothing of the kind was recorded. `options.limit` bounds the sites of
// memory. See docs/json.md.
void add_gpu_json(Json& out, const show::Subject& subject, const show::ViewOptions& options);

}  // namespace prof::formats
