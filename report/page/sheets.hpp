// Sheets as the page has them: the same that the report prints as tables.
#pragma once

#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::page {

using formats::Json;

// Title, captions, columns, rows and notes. Figures are whole: the page chooses their units.
Json sheet_json(const show::Sheet& sheet);

// Of each view that the run has anything for, its sheets; not of those that the page shows in its own way.
Json tables_json(const show::Subject& subject, const show::ViewOptions& options);

}  // namespace prof::page
