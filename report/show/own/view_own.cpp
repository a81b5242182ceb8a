// Time, waiting and memory by the innermost line, or function, of the user's own code.
#include <fmt/format.h>

#include <algorithm>

#include "report/fold/line_tree.hpp"
#include "report/show/captions.hpp"
#include "report/show/names.hpp"
#include "report/show/numbers.hpp"
#include "report/show/own/own_text.hpp"
#include "report/show/processes.hpp"
#include "report/show/trees.hpp"

namespace prof::show {
namespace {

using fold::OwnLine;

constexpr std::size_t kUsualRows = 25;

std::int64_t value_of(const OwnLine& row, SortKey key) {
  switch (key) {
    case SortKey::Peak:
      return row.memory.peak_bytes;
    case SortKey::Live:
      return row.memory.live_bytes();
    case SortKey::Allocated:
      return row.memory.bytes;
    case SortKey::Allocations:
      return row.memory.allocations();
    case SortKey::Blocked:
      return row.blocked_ns;
    case SortKey::Gpu:
      return row.gpu_ns;
    case SortKey::Wall:
      return row.ns();
    default:
      return row.cpu.ns;
  }
}

}  // namespace

static Sheet own_view(const Subject& subject, const ViewOptions& options) {
  const fold::CallTree& tree = mixed_line_tree(subject);
  fold::OwnLines lines = fold::own_lines(tree, options.by_function ? fold::OwnGroup::Function : fold::OwnGroup::Line);
  std::vector<OwnLine>& rows = lines.rows;
  if (options.sort) {
    std::stable_sort(rows.begin(), rows.end(), [&](const OwnLine& a, const OwnLine& b) {
      return value_of(a, *options.sort) > value_of(b, *options.sort);
    });
  }
  Sheet sheet;
  sheet.title = options.by_function ? "Your functions" : "Your lines";
  sheet.captions = {
      "Each figure stands on the innermost line of your own code that led to it; the rows add up to the whole. in: the "
      "packages and activities below that line.",
      fmt::format("{}. blocked: in calls that wait, without the CPU time in them; % is of both, of all rows and "
                  "threads; idle: waiting for work, in no %.",
                  cpu_sampling(subject))};
  if (heap_recorded(subject)) {
    sheet.captions.push_back(
        fmt::format("allocated, peak, live: by malloc and its family ({}), and for small objects of Python. peak: live "
                    "when the process held the most; live: now or at the end{}.",
                    heap_sampling(subject), any_python(subject) ? ", when Python has freed its objects" : ""));
  }
  for (std::string& caption : filters(subject, options)) sheet.captions.push_back(std::move(caption));
  for (std::string& caption : loss_captions(subject.run)) sheet.captions.push_back(std::move(caption));
  symbols::SourceFiles files(subject.run, options.source_allowed);
  const std::size_t shown = options.rows_of(rows.size(), kUsualRows);
  Figures<OwnLine> figures = own_figures(subject, lines, tree, options);
  figures.push_back({{"source", "source", Kind::Text, "", Where::TableOnly, !options.wide},
                     [&files](auto& row) { return own_source(files, row); }});
  fill(sheet, figures, rows, shown);
  for (std::size_t i = 0; i < shown; ++i) {
    if (const std::string spent = spent_text(rows[i]); !spent.empty()) sheet.rows[i].below = "in: " + spent;
  }
  sheet.notes = left_out(shown, rows.size(), options.by_function ? "functions" : "lines");
  if (!lines.any_own()) {
    sheet.notes.emplace_back(
        "No code of your own was seen: --own PATH says what is yours, --all takes all code that has lines.");
  }
  return sheet;
}

extern const View kOwnView{.name = "own",
                           .help = "your own lines, with all that they led to: time, waiting, memory",
                           .topic = Topic::Time,
                           .sheets = one_sheet<own_view>,
                           .sorts = SortKeys{SortKey::Tottime, SortKey::Blocked, SortKey::Wall, SortKey::Gpu,
                                             SortKey::Peak, SortKey::Live, SortKey::Allocated, SortKey::Allocations},
                           .options = "--by-function"};

}  // namespace prof::show
