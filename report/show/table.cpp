#include "report/show/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "report/show/numbers.hpp"
#include "report/show/text.hpp"

namespace prof::show {
namespace {

constexpr std::size_t kGap = 2;
constexpr std::size_t kNarrowestText = 16;

// One column, ready to be printed.
struct Printed {
  std::string title;
  std::string unit;
  bool right = false;
  bool may_cut = false;
  std::size_t width = 0;
  std::vector<std::string> cells;
};

double magnitude(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return std::abs(static_cast<double>(*whole));
  if (const auto* real = std::get_if<double>(&cell)) return std::abs(*real);
  return 0;
}

double number(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*whole);
  return std::get<double>(cell);
}

std::string cell_text(const Cell& cell, Kind kind, const Unit& unit) {
  if (std::holds_alternative<std::monostate>(cell)) return "-";
  if (const auto* text = std::get_if<std::string>(&cell)) return printable(*text);
  switch (kind) {
    case Kind::Time:
    case Kind::Bytes:
    case Kind::Flops:
    case Kind::FlopRate:
    case Kind::ByteRate:
      return in_unit(number(cell), unit);
    case Kind::EachTime:
      return duration(number(cell));
    case Kind::Share:
      return percent(number(cell), 1.0);
    case Kind::Plain:
      return std::to_string(std::llround(number(cell)));
    case Kind::Text:
    case Kind::Count:
    case Kind::Flag:
      break;
  }
  return grouped(std::llround(number(cell)));
}

double largest_of(const Sheet& sheet, std::size_t index) {
  double largest = 0;
  for (const Row& row : sheet.rows) largest = std::max(largest, magnitude(row.cells.at(index)));
  return largest;
}

double largest_time(const Sheet& sheet) {
  double largest = 0;
  for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
    const Column& column = sheet.columns[i];
    if (column.kind == Kind::Time && column.where != Where::DataOnly) largest = std::max(largest, largest_of(sheet, i));
  }
  return largest;
}

Printed printed(const Sheet& sheet, std::size_t index) {
  const Column& column = sheet.columns[index];
  const bool shared = sheet.one_time_unit && column.kind == Kind::Time;
  const double largest = shared ? largest_time(sheet) : largest_of(sheet, index);
  Unit unit{"", 1, 0};
  if (column.kind == Kind::Time) unit = time_unit(largest);
  if (column.kind == Kind::Bytes) unit = byte_unit(largest);
  if (column.kind == Kind::Flops) unit = flop_unit(largest);
  if (column.kind == Kind::FlopRate) unit = flop_rate_unit(largest);
  if (column.kind == Kind::ByteRate) unit = byte_rate_unit(largest);
  Printed out;
  out.title = column.title;
  out.unit = column.unit.empty() ? unit.name : column.unit;
  out.right = column.kind != Kind::Text;
  out.may_cut = column.may_cut;
  out.width = std::max(display_width(out.title), display_width(out.unit));
  for (const Row& row : sheet.rows) {
    out.cells.push_back(cell_text(row.cells[index], column.kind, unit));
    out.width = std::max(out.width, display_width(out.cells.back()));
  }
  return out;
}

// Takes columns away from the widest text that may be cut until the table fits or all of them are at their narrowest.
void fit(std::vector<Printed>& columns, std::size_t width) {
  if (width == 0) return;
  std::size_t total = columns.empty() ? 0 : kGap * (columns.size() - 1);
  for (const Printed& column : columns) total += column.width;
  while (total > width) {
    const auto widest = std::max_element(columns.begin(), columns.end(), [](const Printed& a, const Printed& b) {
      return (a.may_cut ? a.width : 0) < (b.may_cut ? b.width : 0);
    });
    if (!widest->may_cut || widest->width <= kNarrowestText) return;
    widest->width -= 1;
    total -= 1;
  }
}

std::string line(const std::vector<Printed>& columns, const std::vector<std::string>& texts, std::size_t indent) {
  std::string out(indent, ' ');
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) out.append(kGap, ' ');
    const std::string text = columns[i].may_cut ? cut_middle(texts[i], columns[i].width) : texts[i];
    const std::size_t used = display_width(text);
    const std::size_t pad = columns[i].width > used ? columns[i].width - used : 0;
    if (columns[i].right) out.append(pad, ' ');
    out += text;
    if (!columns[i].right) out.append(pad, ' ');
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

}  // namespace

std::string table_body(const Sheet& sheet, const Terminal& terminal, std::size_t indent) {
  std::vector<Printed> columns;
  for (std::size_t i = 0; i < sheet.columns.size(); ++i) {
    if (sheet.columns[i].where != Where::DataOnly) columns.push_back(printed(sheet, i));
  }
  fit(columns, terminal.width > indent ? terminal.width - indent : terminal.width);

  std::vector<std::string> texts(columns.size());
  const auto line_of = [&](auto pick) {
    for (std::size_t i = 0; i < columns.size(); ++i) texts[i] = pick(columns[i]);
    return line(columns, texts, indent);
  };
  std::size_t first_text = indent;
  for (const Printed& column : columns) {
    if (!column.right) break;
    first_text += column.width + kGap;
  }
  const auto below = [&](const std::string& text) {
    const std::size_t room = terminal.width > first_text ? terminal.width - first_text : 0;
    return std::string(first_text, ' ') + (room > 0 ? cut_list(text, room) : text);
  };
  std::string out = styled(terminal, Style::Bold, line_of([](const Printed& c) { return c.title; })) + '\n';
  const std::string units = line_of([](const Printed& c) { return c.unit; });
  if (!units.empty()) out += styled(terminal, Style::Dim, units) + '\n';
  for (std::size_t r = 0; r < sheet.rows.size(); ++r) {
    const std::string text = line_of([r](const Printed& c) { return c.cells[r]; });
    if (sheet.rows[r].gap_before) out += '\n';
    switch (sheet.rows[r].emphasis) {
      case Emphasis::None:
        out += text;
        break;
      case Emphasis::Strong:
        out += styled(terminal, Style::Bold, text);
        break;
      case Emphasis::Faint:
        out += styled(terminal, Style::Dim, text);
        break;
    }
    const std::string list = printable(sheet.rows[r].below);
    const bool beside = !list.empty() && display_width(text) + kGap + display_width(list) <= terminal.width;
    if (beside) out += std::string(kGap, ' ') + styled(terminal, Style::Dim, list);
    out += '\n';
    if (!list.empty() && !beside) out += styled(terminal, Style::Dim, below(list)) + '\n';
  }
  return out;
}

std::string table(const Sheet& sheet, const Terminal& terminal) {
  std::string out;
  if (!sheet.title.empty()) out += styled(terminal, Style::Heading, printable(sheet.title)) + '\n';
  for (const std::string& caption : sheet.captions) out += wrapped(printable(caption), terminal.width) + '\n';
  if (!out.empty() && !sheet.rows.empty()) out += '\n';
  if (!sheet.rows.empty()) out += table_body(sheet, terminal);
  if (!sheet.notes.empty()) out += '\n';
  for (const std::string& note : sheet.notes) out += wrapped(printable(note), terminal.width) + '\n';
  return out;
}

std::string tables(const std::vector<Sheet>& sheets, const Terminal& terminal) {
  std::string out;
  for (const Sheet& sheet : sheets) {
    if (!out.empty()) out += '\n';
    out += table(sheet, terminal);
  }
  return out;
}

}  // namespace prof::show
