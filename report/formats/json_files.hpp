// What JSON says of files, locks and data loading: sections of those names, with "_json" behind them; each null where
// no blocking calls were recorded. See docs/json.md.
#pragma once

#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

Json files_json(const show::Subject& subject);
Json file_systems_json(const show::Subject& subject);
Json storage_json(const show::Subject& subject);
Json locks_json(const show::Subject& subject);
Json data_loading_json(const show::Subject& subject);

}  // namespace prof::formats
