#include <fmt/format.h>

#include "report/fold/time/outline.hpp"
#include "report/show/captions.hpp"
#include "report/show/figures.hpp"
#include "report/show/measure.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

using fold::Outline;
using fold::OutlineRow;

// True where row i+1 is all there is to row i: the two are then drawn as steps of one path, without a new indent.
bool leads_on(const Outline& outline, std::size_t i) {
  const OutlineRow& row = outline.rows[i];
  if (i + 1 >= outline.rows.size() || row.pruned > 0 || row.self != 0) return false;
  const OutlineRow& next = outline.rows[i + 1];
  return next.depth == row.depth + 1 && next.total == row.total;
}

// The columns to indent each row: only where a path branches, or deep stacks would run off every screen.
std::vector<std::size_t> indents(const Outline& outline) {
  std::vector<std::size_t> out;
  std::vector<std::size_t> by_depth;  // of the children of the current path's rows
  for (std::size_t i = 0; i < outline.rows.size(); ++i) {
    const OutlineRow& row = outline.rows[i];
    by_depth.resize(row.depth);
    const std::size_t indent = row.depth == 0 ? 0 : by_depth.back();
    out.push_back(indent);
    by_depth.push_back(indent + (leads_on(outline, i) ? 0 : 2));
  }
  return out;
}

struct TreeLine {
  const OutlineRow* row;
  const symbols::Function* function;
  std::size_t indent;
  bool leads_on;  // to the next line, whose figures are the same
};

Figures<TreeLine> outline_figures(const ViewOptions& options, double total) {
  const MeasureNames& words = names_of(options.measure);
  const bool wide = options.wide, cut = !options.wide;
  const auto unless_leads_on = [](const TreeLine& line, Cell cell) {
    return line.leads_on ? Cell(std::string()) : cell;
  };
  return {{data("depth", "depth", Kind::Plain), [](auto& line) { return std::int64_t{line.row->depth}; }},
          {{words.key, "total", words.kind}, [=](auto& line) { return unless_leads_on(line, line.row->total); }},
          {{"share", "%", Kind::Share, "of all", Where::TableOnly},
           [=](auto& line) { return unless_leads_on(line, share(static_cast<double>(line.row->total), total)); }},
          {{words.self_key, "self", words.kind}, [=](auto& line) { return unless_leads_on(line, line.row->self); }},
          {{"name", "function", Kind::Text, "", Where::TableOnly, cut},
           [wide](auto& line) { return std::string(line.indent, ' ') + label(*line.function, wide); }},
          {{"place", "where", Kind::Text, "", Where::TableOnly, cut},
           [wide](auto& line) { return place(*line.function, wide); }},
          {data("function", "function", Kind::Text), [](auto& line) { return line.function->name; }},
          {data("file", "file", Kind::Text), [](auto& line) { return line.function->file; }},
          {data("line", "line", Kind::Plain),
           [](auto& line) { return known_if(line.function->line != 0, std::int64_t{line.function->line}); }},
          {data("module", "module", Kind::Text), [](auto& line) { return line.function->module; }}};
}

}  // namespace

static Sheet tree_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = function_tree(subject);
  const MeasureNames& words = names_of(options.measure);
  const double min_percent = options.everything ? 0 : options.min_percent;
  fold::OutlineOptions how;
  how.measure = options.measure;
  how.bottom_up = options.bottom_up;
  how.min_fraction = min_percent / 100;
  const auto unknown = not_known(options.measure, tree);
  const Outline outline = unknown ? Outline{} : fold::outline(tree, how);

  Sheet sheet;
  sheet.title = options.bottom_up ? "Call tree, bottom-up" : "Call tree, top-down";
  sheet.one_time_unit = true;
  const auto total = static_cast<double>(outline.total);
  const std::string amount = words.kind == Kind::Time    ? duration(total)
                             : words.kind == Kind::Bytes ? bytes(total)
                                                         : grouped(outline.total);
  sheet.captions.push_back(fmt::format("{}; % is of {}. {}", measuring(subject, options.measure), amount,
                                       options.bottom_up
                                           ? "Below each function stand its callers; self: stacks that begin there."
                                           : "Below each function stand its callees; self: the function alone."));
  sheet.captions.push_back("Lines without figures lead to the line below them and to nothing else.");
  for (std::string& caption : filters(subject, options)) sheet.captions.push_back(std::move(caption));
  for (std::string& caption : loss_captions(subject.run)) sheet.captions.push_back(std::move(caption));

  const std::vector<std::size_t> columns = indents(outline);
  const std::size_t shown = options.rows_of(outline.rows.size(), 100);
  std::vector<TreeLine> lines;
  for (std::size_t i = 0; i < shown; ++i) {
    const OutlineRow& row = outline.rows[i];
    lines.push_back({&row, &subject.symbols.function(row.function), columns[i],
                     !options.everything && i + 1 < shown && leads_on(outline, i)});
  }
  fill<TreeLine>(sheet, outline_figures(options, total), lines, shown,
                 [](auto& line) { return line.leads_on || line.function->special ? Emphasis::Faint : Emphasis::None; });

  std::uint64_t pruned = outline.pruned_roots;
  for (const OutlineRow& row : outline.rows) pruned += row.pruned;
  if (unknown) sheet.notes.emplace_back(*unknown);
  if (pruned > 0) {
    sheet.notes.push_back(fmt::format("{} below {} % of all left out; --min-percent 0 shows them.",
                                      counted(static_cast<std::int64_t>(pruned), "branch", "branches"), min_percent));
  }
  for (std::string& note : left_out(shown, outline.rows.size(), "lines")) sheet.notes.push_back(std::move(note));
  return sheet;
}

extern const View kTreeView{.name = "tree",
                            .help = "the call tree, by any metric",
                            .topic = Topic::Time,
                            .sheets = one_sheet<tree_view>,
                            .options = "--metric --bottom-up --min-percent"};

}  // namespace prof::show
