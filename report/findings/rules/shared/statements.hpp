// Statements of SQL in sources of Python, for rules about queries.
#pragma once

#include <string>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {

std::string in_capitals(std::string text);

// The statement that is executed at that place, or fetched there, by the text of its lines or of a constant that is
// named there: in capitals; empty: none was found.
std::string statement_at(symbols::SourceFiles& files, const Place& place);

// Whether the place, or the lines of its call below it, takes one row: fetchone().
bool fetches_one(symbols::SourceFiles& files, const Place& place);

// Whether the function is one of SQLite's.
bool of_sqlite(const symbols::Function& function);

}  // namespace prof::findings
