// What a view has to say, before it is known in which form it will be said: as a table or as CSV.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace prof::show {

enum class Kind {
  Text,
  Time,      // ns
  EachTime,  // ns, each in its own unit: of one call, where some take microseconds and others hours
  Bytes,
  Count,
  Flops,  // floating point operations, and those in a second
  FlopRate,
  ByteRate,  // bytes in a second
  Share,     // of something that the column's unit line names: 0..1
  Plain,     // an integer that is a name and no amount: a pid, a line
  Flag,      // 0 or 1
};

// TableOnly: words for people. DataOnly: for other programs, as CSV and, where there are figures (figures.hpp), as
// JSON.
enum class Where { Everywhere, TableOnly, DataOnly };

inline Where shown_if(bool shown) { return shown ? Where::Everywhere : Where::DataOnly; }

struct Column {
  std::string key;    // CSV column name; stable, with its unit: "tottime_ns"
  std::string title;  // table heading: "tottime"
  Kind kind = Kind::Text;
  std::string unit{};  // second line of the table heading; empty: the unit that suits the column's largest figure
  Where where = Where::Everywhere;
  bool may_cut = false;  // long texts may lose their middle where the terminal is narrow
};

// Of Where::DataOnly.
inline Column data(const char* key, const char* title, Kind kind) { return {key, title, kind, "", Where::DataOnly}; }

// monostate: was not measured.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

template <class T>
Cell maybe(const std::optional<T>& value) {
  if (!value) return {};
  if constexpr (std::is_integral_v<T>) {
    return static_cast<std::int64_t>(*value);
  } else {
    return *value;
  }
}
// Nothing where it was not recorded.
inline Cell known_if(bool known, Cell value) { return known ? std::move(value) : Cell(); }
inline Cell share(double part, double whole) { return whole > 0 ? Cell(part / whole) : Cell(); }

enum class Emphasis { None, Strong, Faint };

struct Row {
  std::vector<Cell> cells;  // as many as the sheet has columns
  Emphasis emphasis = Emphasis::None;
  bool gap_before = false;  // an empty line in a table
  // In a table: a list behind the row, where it fits on the line; else below it, where the first text begins, cut to
  // what fits.
  std::string below{};
};

struct Sheet {
  std::string title;
  std::vector<std::string> captions;  // sentences: units, what a percentage is of, exact or sampled
  std::vector<Column> columns;
  std::vector<Row> rows;
  bool one_time_unit = false;      // columns of times have the same unit, so that they can be compared too
  std::vector<std::string> notes;  // sentences below: what was left out, what to run next

  Row& add(std::vector<Cell> cells, Emphasis emphasis = Emphasis::None) {
    return rows.emplace_back(Row{std::move(cells), emphasis});
  }
};

}  // namespace prof::show
