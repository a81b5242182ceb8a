#include "report/findings/rules/files/table_references.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "report/findings/rules/shared/statements.hpp"
#include "report/model/text.hpp"

namespace prof::findings {
namespace {

// What the statements of a file say of its tables: "TENANT INTEGER REFERENCES TENANTS(ID) ON DELETE CASCADE".
struct Reference {
  std::string in, column, to;
  bool indexed = false, deletes = false;
};

std::string_view word_behind(std::string_view text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return {};
  const auto begin = text.begin() + static_cast<std::ptrdiff_t>(at + before.size());
  return {begin, std::find_if_not(begin, text.end(), is_name)};
}

std::vector<Reference> references(const Lines& lines) {
  std::vector<Reference> out;
  std::string table;
  for (const std::string& line : lines) {
    const std::string text = in_capitals(line);
    for (const std::string_view begins : {"CREATE TABLE IF NOT EXISTS ", "CREATE TABLE "}) {
      if (!contains(text, begins)) continue;
      table = word_behind(text, begins);
      break;
    }
    const std::size_t refers = text.find(" REFERENCES ");
    if (refers == std::string::npos) continue;
    const std::string_view definition = part_at(text, refers);
    const std::string_view to = word_behind(definition, " REFERENCES "), column = column_of(definition);
    if (to.empty() || column.empty() || column == "CREATE") continue;
    const bool indexed = has_index(lines, definition, column);
    out.push_back({table, std::string(column), std::string(to), indexed, contains(text, "ON DELETE CASCADE")});
  }
  return out;
}

}  // namespace

std::string_view deleted_from(std::string_view statement) {
  constexpr std::string_view kDelete = "DELETE FROM ";
  const std::size_t at = statement.find(kDelete);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = statement.substr(at + kDelete.size());
  return rest.substr(0, std::min(rest.find_first_of(" \"';"), rest.size()));
}

std::string_view part_at(std::string_view text, std::size_t at) {
  std::size_t begin = at, end = at;
  for (int depth = 0; begin > 0; --begin) {
    const char c = text[begin - 1];
    if (depth == 0 && (c == ',' || c == '(')) break;
    depth += c == ')' ? 1 : c == '(' ? -1 : 0;
  }
  for (int depth = 0; end < text.size(); ++end) {
    const char c = text[end];
    if (depth == 0 && (c == ',' || c == ')')) break;
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
  }
  return text.substr(begin, end - begin);
}

std::string_view column_of(std::string_view line) {
  const std::size_t key = line.find("FOREIGN KEY");
  const std::size_t from = key == std::string_view::npos ? 0 : std::min(line.find('(', key), line.size());
  const auto begin = std::find_if(line.begin() + static_cast<std::ptrdiff_t>(from), line.end(), is_name);
  return {begin, std::find_if_not(begin, line.end(), is_name)};
}

bool has_index(const Lines& lines, std::string_view own, std::string_view column) {
  if (contains(own, "PRIMARY KEY") || contains(own, "UNIQUE")) return true;
  const std::string name(column);
  const std::string first[] = {"(" + name, "(\"" + name, "('" + name, "([" + name, "(`" + name};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string made = in_capitals(lines[i]);
    if (contains(made, "INDEX ") && made.find('(') == std::string::npos && i + 1 < lines.size())
      made += in_capitals(lines[i + 1]);
    const bool makes = contains(made, "INDEX ") || contains(made, "PRIMARY KEY") || contains(made, "UNIQUE");
    if (makes &&
        std::any_of(std::begin(first), std::end(first), [&](const std::string& part) { return contains(made, part); }))
      return true;
  }
  return false;
}

bool heeds_references(const Lines& lines) {
  return std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
    const std::string text = in_capitals(std::string(code_of(line, "#")));
    return contains(text, "FOREIGN_KEYS") && (contains(text, "ON") || contains(text, "= 1") || contains(text, "=1")) &&
           !contains(text, "OFF");
  });
}

std::vector<std::string> searched_by_deletes(const Lines& lines, std::string_view table) {
  const std::vector<Reference> all = references(lines);
  std::vector<std::string> from{std::string(table)}, out;
  for (std::size_t i = 0; i < from.size(); ++i) {
    for (const Reference& one : all) {
      if (one.to != from[i]) continue;
      if (!one.indexed) out.push_back(one.in + '.' + one.column);
      if (one.deletes && std::find(from.begin(), from.end(), one.in) == from.end()) from.push_back(one.in);
    }
  }
  for (std::string& column : out)
    std::transform(column.begin(), column.end(), column.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

}  // namespace prof::findings
