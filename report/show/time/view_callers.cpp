#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "report/fold/pattern.hpp"
#include "report/fold/time/functions.hpp"
#include "report/show/captions.hpp"
#include "report/show/figures.hpp"
#include "report/show/measure.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/trees.hpp"
#include "report/show/view.hpp"

namespace prof::show {
namespace {

// Neighbours of one function that are worth a line of a table.
constexpr std::size_t kUsualEdges = 8;
constexpr std::size_t kUsualFunctions = 5;

struct NeighbourLine {
  const symbols::Function* group;  // whose neighbours these are
  const char* relation;
  const char* mark;
  const symbols::Function* function;
  const model::Metrics& self;
  const model::Metrics& cumulative;
  double whole;  // of the group
};

Figures<NeighbourLine> neighbour_figures(const fold::CallTree& tree, const ViewOptions& options) {
  const MeasureNames& words = names_of(options.measure);
  const model::Measure measure = options.measure;
  const bool wide = options.wide, cut = !options.wide;
  Figures<NeighbourLine> figures = {
      {data("function", "of function", Kind::Text), [](auto& line) { return line.group->name; }},
      {data("relation", "relation", Kind::Text), [](auto& line) { return std::string(line.relation); }},
      {data("other", "other", Kind::Text), [](auto& line) { return line.function->name; }},
      {{words.key, "total", words.kind},
       [&tree, measure](auto& line) { return measured(line.cumulative, measure, tree); }},
      {{"share", "%", Kind::Share, "of fn", Where::TableOnly},
       [measure](auto& line) {
         return share(static_cast<double>(model::value_of(line.cumulative, measure)), line.whole);
       }},
      {{words.self_key, "self", words.kind},
       [&tree, measure](auto& line) { return measured(line.self, measure, tree); }}};
  // Beside CPU time.
  if (measure == model::Measure::CpuTime) {
    const bool any = tree.total().wait.blocked_ns() > 0;
    figures.push_back({{"cumblocked_ns", "cum blocked", Kind::Time, "", shown_if(any)},
                       [&tree](auto& line) { return measured(line.cumulative, model::Measure::Blocked, tree); }});
  }
  append(figures, {{{"name", "function", Kind::Text, "", Where::TableOnly, cut},
                    [wide](auto& line) { return line.mark + label(*line.function, wide); }},
                   {{"place", "where", Kind::Text, "", Where::TableOnly, cut},
                    [wide](auto& line) { return place(*line.function, wide); }},
                   {data("module", "module", Kind::Text), [](auto& line) { return line.function->module; }}});
  return figures;
}

std::vector<fold::FunctionRow> chosen_functions(const Subject& subject, const ViewOptions& options) {
  std::vector<fold::FunctionRow> rows = function_rows(subject);
  const symbols::Symbols& symbols = subject.symbols;
  const auto not_asked_for = [&](const fold::FunctionRow& row) { return symbols.function(row.function).special; };
  if (options.function.empty()) {
    rows.erase(std::remove_if(rows.begin(), rows.end(), not_asked_for), rows.end());
  } else {
    const fold::Pattern pattern(options.function);
    const auto no_match = [&](const fold::FunctionRow& row) {
      return !pattern.matches(symbols.function(row.function).name);
    };
    rows.erase(std::remove_if(rows.begin(), rows.end(), no_match), rows.end());
  }
  const auto weight = [&](const fold::FunctionRow& row) {
    return model::value_of(options.function.empty() ? row.self : row.cumulative, options.measure);
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return weight(a) > weight(b); });
  return rows;
}

class CallersSheet {
 public:
  CallersSheet(const fold::CallTree& tree, const ViewOptions& options)
      : tree_(tree), options_(options), figures_(neighbour_figures(tree, options)) {}

  std::vector<Column> columns() const { return columns_of(figures_); }

  void add(const fold::FunctionRow& row, Sheet& sheet) {
    fold::Neighbours near = fold::neighbours(tree_, row.function);
    sort(near.callers);
    sort(near.callees);
    group_ = &tree_.symbols().function(row.function);
    whole_ = static_cast<double>(model::value_of(near.row.cumulative, options_.measure));
    const std::size_t first = sheet.rows.size();
    add_edges(near.callers, "caller", "<- ", sheet);
    add_line(near.row.self, near.row.cumulative, *group_, "self", "", sheet, Emphasis::Strong);
    add_edges(near.callees, "callee", "-> ", sheet);
    sheet.rows[first].gap_before = first > 0;
  }

 private:
  void sort(std::vector<fold::Edge>& edges) const {
    std::stable_sort(edges.begin(), edges.end(), [&](const fold::Edge& a, const fold::Edge& b) {
      return model::value_of(a.cumulative, options_.measure) > model::value_of(b.cumulative, options_.measure);
    });
  }

  void add_edges(const std::vector<fold::Edge>& edges, const char* relation, const char* mark, Sheet& sheet) const {
    static const symbols::Function kOutside = [] {
      symbols::Function function;
      function.name = "(the stack begins here)";
      function.special = true;
      return function;
    }();
    const std::size_t shown =
        options_.everything || options_.limit ? edges.size() : std::min(edges.size(), kUsualEdges);
    for (std::size_t i = 0; i < shown; ++i) {
      const bool outside = edges[i].function == fold::kNoCaller;
      const symbols::Function& other = outside ? kOutside : tree_.symbols().function(edges[i].function);
      add_line(edges[i].self, edges[i].cumulative, other, relation, mark, sheet, Emphasis::None);
    }
    if (shown == edges.size()) return;
    model::Metrics self;
    model::Metrics rest;
    for (std::size_t i = shown; i < edges.size(); ++i) {
      self += edges[i].self;
      rest += edges[i].cumulative;
    }
    symbols::Function others;
    others.name = fmt::format("({} more)", edges.size() - shown);
    add_line(self, rest, others, relation, mark, sheet, Emphasis::Faint);
  }

  void add_line(const model::Metrics& self, const model::Metrics& cumulative, const symbols::Function& function,
                const char* relation, const char* mark, Sheet& sheet, Emphasis emphasis) const {
    const NeighbourLine line{group_, relation, mark, &function, self, cumulative, whole_};
    sheet.add(cells_of(figures_, line), emphasis);
  }

  const fold::CallTree& tree_;
  const ViewOptions& options_;
  const Figures<NeighbourLine> figures_;
  const symbols::Function* group_ = nullptr;
  double whole_ = 0;
};

}  // namespace

static Sheet callers_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = function_tree(subject);
  const std::vector<fold::FunctionRow> chosen = chosen_functions(subject, options);

  Sheet sheet;
  sheet.title = "Callers and callees";
  sheet.captions.push_back(
      fmt::format("{}. Each function between its callers (<-) and its callees (->); total: stacks with that call; % "
                  "is of the function's own total; self: without callees.",
                  measuring(subject, options.measure)));
  for (std::string& caption : filters(subject, options)) sheet.captions.push_back(std::move(caption));
  for (std::string& caption : loss_captions(subject.run)) sheet.captions.push_back(std::move(caption));

  const std::size_t shown = options.rows_of(chosen.size(), kUsualFunctions);
  CallersSheet lines(tree, options);
  sheet.columns = lines.columns();
  for (std::size_t i = 0; i < shown; ++i) lines.add(chosen[i], sheet);
  if (chosen.empty() && !options.function.empty()) {
    sheet.notes.push_back(fmt::format("No function that was seen matches '{}'.", options.function));
  }
  for (std::string& note : left_out(shown, chosen.size(), "functions")) sheet.notes.push_back(std::move(note));
  if (const auto why = not_known(options.measure, tree)) sheet.notes.emplace_back(*why);
  if (options.function.empty()) {
    sheet.notes.push_back("These have the most of their own; --function REGEX chooses others.");
  }
  return sheet;
}

extern const View kCallersView{.name = "callers",
                               .help = "callers and callees of functions",
                               .topic = Topic::Time,
                               .sheets = one_sheet<callers_view>,
                               .with = "--function NAME",
                               .options = "--metric --function"};

}  // namespace prof::show
