// Lists in the JSON document, made of the figures that tables and CSV are made of (report/show/figures.hpp).
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "report/formats/json_value.hpp"
#include "report/show/figures.hpp"

namespace prof::formats {

// An object with these members, separated by spaces, each null. Figures are put into it by their names: it is there for
// the order, which is that in which earlier versions had them. A figure that it does not name comes last.
Json members(std::string_view names);

// Times in seconds; null for what was not measured and for empty texts.
Json cell_json(const show::Cell& cell, show::Kind kind);

// "read_s" for "read_ns"; empty where JSON does not have it.
std::string json_name(const show::Column& column, std::string_view json);

template <class Row>
void add_figures(Json& out, const show::Figures<Row>& figures, const Row& row) {
  for (const show::Figure<Row>& figure : figures) {
    const std::string name = json_name(figure.column, figure.json);
    if (!name.empty()) out[name] = cell_json(figure.value(row), figure.column.kind);
  }
}

struct NothingNested {
  template <class Row>
  void operator()(Json&, const Row&) const {}
};

// A list with an object for each of `rows`, a vector or a span. `order`: see members(); `nested` puts in what is no
// figure: frames, lists.
template <class Rows, class Row, class Nested = NothingNested>
Json rows_json(const Rows& rows, const show::Figures<Row>& figures, std::string_view order, Nested nested = {}) {
  const Json blank = members(order);
  Json out = Json::array();
  for (const Row& row : rows) {
    Json item = blank;
    add_figures(item, figures, row);
    nested(item, row);
    out.push_back(std::move(item));
  }
  return out;
}

}  // namespace prof::formats
