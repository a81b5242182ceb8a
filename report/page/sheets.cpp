#include "report/page/sheets.hpp"

#include <algorithm>
#include <string_view>

#include "report/page/bundle.hpp"
#include "report/summary/views.hpp"

namespace prof::page {
namespace {

using show::Kind;

// The first screen, the flame graph and the source show these.
constexpr std::string_view kShownElsewhere[] = {"summary", "findings", "tree", "callers", "source", "flame"};

const char* kind_of(Kind kind) {
  switch (kind) {
    case Kind::Text:
      return "text";
    case Kind::Time:
    case Kind::EachTime:
      return "time";
    case Kind::Bytes:
      return "bytes";
    case Kind::Count:
      return "count";
    case Kind::Flops:
      return "flops";
    case Kind::FlopRate:
      return "flop_rate";
    case Kind::ByteRate:
      return "byte_rate";
    case Kind::Share:
      return "share";
    case Kind::Plain:
      return "plain";
    case Kind::Flag:
      return "flag";
  }
  return "text";
}

Json cell_of(const show::Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return *whole;
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  if (const auto* words = std::get_if<std::string>(&cell)) return shown_text(*words);
  return {};
}

Json texts(const std::vector<std::string>& from) {
  Json out = Json::array();
  for (const std::string& one : from) out.push_back(shown_text(one));
  return out;
}

}  // namespace

Json sheet_json(const show::Sheet& sheet) {
  Json columns = Json::array(), rows = Json::array();
  for (const show::Column& column : sheet.columns) {
    Json one = {{"key", column.key}, {"title", column.title}, {"kind", kind_of(column.kind)}};
    if (!column.unit.empty()) one["unit"] = column.unit;
    if (column.kind == Kind::EachTime) one["each"] = true;
    if (column.where == show::Where::DataOnly) one["more"] = true;
    if (column.where == show::Where::TableOnly) one["words"] = true;
    columns.push_back(std::move(one));
  }
  for (const show::Row& row : sheet.rows) {
    Json cells = Json::array();
    for (const show::Cell& cell : row.cells) cells.push_back(cell_of(cell));
    Json one = {{"cells", std::move(cells)}};
    if (!row.below.empty()) one["below"] = shown_text(row.below);
    if (row.emphasis == show::Emphasis::Strong) one["strong"] = true;
    if (row.emphasis == show::Emphasis::Faint) one["faint"] = true;
    rows.push_back(std::move(one));
  }
  return {{"title", shown_text(sheet.title)},  {"one_time_unit", sheet.one_time_unit},
          {"captions", texts(sheet.captions)}, {"columns", std::move(columns)},
          {"rows", std::move(rows)},           {"notes", texts(sheet.notes)}};
}

Tables::Tables(const show::Subject& subject, const show::ViewOptions& options) : subject_(subject), options_(options) {
  for (const show::View* view : show::views()) {
    if (std::find(std::begin(kShownElsewhere), std::end(kShownElsewhere), view->name) != std::end(kShownElsewhere))
      continue;
    if (view->with.empty() && (view->available == nullptr || view->available(subject))) views_.push_back(view);
  }
  made_.resize(views_.size());
}

void Tables::make(std::size_t view) {
  Json sheets = Json::array();
  for (const show::Sheet& sheet : views_[view]->sheets(subject_, options_)) {
    if (!sheet.rows.empty()) sheets.push_back(sheet_json(sheet));
  }
  made_[view] = std::move(sheets);
}

Json Tables::take() {
  Json out = Json::array();
  for (std::size_t i = 0; i < views_.size(); ++i) {
    if (made_[i].empty()) continue;
    out.push_back({{"view", views_[i]->name}, {"help", views_[i]->help}, {"sheets", std::move(made_[i])}});
  }
  return out;
}

}  // namespace prof::page
