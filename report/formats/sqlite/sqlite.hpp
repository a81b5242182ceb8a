// A run as a database of SQLite: docs/sqlite.md describes its tables.
#pragma once

#include <string>

#include "report/show/view.hpp"

namespace prof::formats {

// Writes to a file of that name that is empty or not there. Throws DatabaseError.
void sqlite(const show::Subject& subject, const std::string& path);

}  // namespace prof::formats
