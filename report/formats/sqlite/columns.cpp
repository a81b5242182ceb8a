#include <set>

#include "report/formats/sqlite/tables.hpp"

namespace prof::formats {

std::string sql_type(show::Kind kind) {
  switch (kind) {
    case show::Kind::Text:
      return "TEXT";
    case show::Kind::Share:
    case show::Kind::FlopRate:
    case show::Kind::ByteRate:
      return "REAL";
    default:
      return "INTEGER";
  }
}

std::vector<std::size_t> data_columns(const std::vector<show::Column>& columns) {
  std::vector<std::size_t> out;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].where != show::Where::TableOnly && seen.insert(columns[i].key).second) out.push_back(i);
  }
  return out;
}

std::string column_list(const std::vector<show::Column>& columns, const std::vector<std::size_t>& which, bool typed) {
  std::string out;
  for (const std::size_t i : which) {
    // In quotes: some keys are words of SQL.
    out += (out.empty() ? "\"" : ", \"") + columns[i].key + '"';
    if (typed) out += ' ' + sql_type(columns[i].kind);
  }
  return out;
}

}  // namespace prof::formats
