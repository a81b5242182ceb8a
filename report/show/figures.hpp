// What is known of each row of a list, figure by figure: tables, CSV and the rows of JSON are all made of these.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "report/show/sheet.hpp"

namespace prof::show {

// For Figure::json: JSON says it in another way, or in no way.
inline constexpr std::string_view kNotInJson = "-";

template <class Row>
struct Figure {
  Column column;
  std::function<Cell(const Row&)> value;  // a member of the row is such a function, too
  // Its name in JSON, with its unit, where that is not the column's key; there times are seconds, "read_s" for
  // "read_ns". What is in tables only is not in JSON either.
  std::string_view json{};
};

template <class Row>
using Figures = std::vector<Figure<Row>>;

template <class Row>
void append(Figures<Row>& to, const Figures<Row>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// The figures of a part of each row as figures of the row.
template <class Row, class Part>
Figures<Row> figures_of(Part Row::*part, const Figures<Part>& figures) {
  Figures<Row> out;
  for (const Figure<Part>& figure : figures) {
    out.push_back(
        {figure.column, [part, value = figure.value](const Row& row) { return value(row.*part); }, figure.json});
  }
  return out;
}

struct Pick {
  std::string_view key;         // of the column
  std::optional<bool> shown{};  // whether in tables, too; nothing: as the figure has it
};

// Those alone, in this order: for a list that has few of many figures. All must be there.
template <class Row>
Figures<Row> pick(const Figures<Row>& figures, std::initializer_list<Pick> picks) {
  Figures<Row> out;
  for (const Pick& wanted : picks) {
    const auto found = std::find_if(figures.begin(), figures.end(),
                                    [&](const Figure<Row>& figure) { return figure.column.key == wanted.key; });
    out.push_back(*found);
    if (wanted.shown) out.back().column.where = shown_if(*wanted.shown);
  }
  return out;
}

// As tables and CSV tell it: no fractions of a nanosecond or of a byte.
inline Cell whole(Cell cell, Kind kind) {
  const auto* real = std::get_if<double>(&cell);
  if (real == nullptr || (kind != Kind::Time && kind != Kind::EachTime && kind != Kind::Bytes)) return cell;
  return static_cast<std::int64_t>(std::llround(*real));
}

template <class Row>
std::vector<Column> columns_of(const Figures<Row>& figures) {
  std::vector<Column> out;
  for (const Figure<Row>& figure : figures) out.push_back(figure.column);
  return out;
}

template <class Row>
std::vector<Cell> cells_of(const Figures<Row>& figures, const Row& row) {
  std::vector<Cell> out;
  for (const Figure<Row>& figure : figures) out.push_back(whole(figure.value(row), figure.column.kind));
  return out;
}

// The first `shown` rows as those of a sheet.
template <class Row>
void fill(Sheet& sheet, const Figures<Row>& figures, const std::vector<Row>& rows, std::size_t shown) {
  sheet.columns = columns_of(figures);
  for (std::size_t i = 0; i < shown; ++i) sheet.add(cells_of(figures, rows[i]));
}
template <class Row>
void fill(Sheet& sheet, const Figures<Row>& figures, const std::vector<Row>& rows, std::size_t shown,
          const std::function<Emphasis(const Row&)>& emphasis) {
  sheet.columns = columns_of(figures);
  for (std::size_t i = 0; i < shown; ++i) sheet.add(cells_of(figures, rows[i]), emphasis(rows[i]));
}

}  // namespace prof::show
