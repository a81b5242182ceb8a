// What JSON says of files, locks and data loading: "files", "file_systems", "storage", "locks", "data_loading".
#pragma once

#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::formats {

// Adds those sections to the document; null where no blocking calls were recorded. See docs/json.md.
void add_files_json(Json& out, const show::Subject& subject);

}  // namespace prof::formats
