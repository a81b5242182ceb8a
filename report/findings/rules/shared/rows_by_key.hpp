// Rows that a program's own code asks SQLite for by their keys, one query each.
#pragma once

#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"

namespace prof::findings {

// Lines that select one row by its key (`WHERE id = ?`, fetchone()), called from a loop, in a program that selects rows
// elsewhere as well: the loop goes through these, as a rule, and the first query could have had both.
std::vector<Finding> rows_by_key(const Evidence& evidence, const char* rule);

}  // namespace prof::findings
