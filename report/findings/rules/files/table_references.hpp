// What the statements of SQL in a file of Python say of tables, their keys and indexes, and of who refers to whom.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/findings/source_words.hpp"

namespace prof::findings {

// Statements are in capitals (in_capitals()), files as they are.

// "TENANTS" of "DELETE FROM TENANTS WHERE ..."; empty: it deletes nothing.
std::string_view deleted_from(std::string_view statement);
// The part of a list that the place is in: "T INTEGER" of "(ID INTEGER PRIMARY KEY, T INTEGER)".
std::string_view part_at(std::string_view text, std::size_t at);
// The column whose definition the line is, "TENANT" of "TENANT INTEGER REFERENCES TENANTS(ID)" and of
// "FOREIGN KEY (TENANT) REFERENCES TENANTS(ID)".
std::string_view column_of(std::string_view line);
// Whether a line of the file makes an index that begins with the column, or its own definition says that it is one.
bool has_index(const Lines& lines, std::string_view own, std::string_view column);
// SQLite looks after what refers to other rows where it is told to.
bool heeds_references(const Lines& lines);
// Columns without an index that are searched for each row that is deleted from a table, and from those whose rows go
// with it: "message.ticket_id".
std::vector<std::string> searched_by_deletes(const Lines& lines, std::string_view table);

}  // namespace prof::findings
