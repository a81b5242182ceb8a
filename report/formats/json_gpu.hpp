// What JSON says of CUDA: sections of those names, with "_json" behind them; each null where nothing of the kind was
// recorded. See docs/json.md.
#pragma once

#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

Json api_json(const show::Subject& subject);
Json kernels_json(const show::Subject& subject);
Json copies_json(const show::Subject& subject);
Json streams_json(const show::Subject& subject);
Json devices_json(const show::Subject& subject);
// `options.limit` bounds the sites.
Json device_memory_json(const show::Subject& subject, const show::ViewOptions& options);
Json ranges_json(const show::Subject& subject);
Json flops_json(const show::Subject& subject);
Json idle_json(const show::Subject& subject);

}  // namespace prof::formats
