// pandas, numpy and PyTorch: functions of theirs for which there is a faster way.
#include <string>
#include <string_view>

#include "report/findings/growing_blocks.hpp"
#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/library_family.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace library_data {
namespace {

// Joined once, data is there once.
bool copied_again(const Evidence&, const LibrarySpent& spent) {
  return static_cast<double>(spent.allocated_bytes) >= kCopiedAgain * static_cast<double>(spent.peak_bytes) &&
         spent.allocated_bytes > 0;
}

constexpr fold::FunctionAt kRows[] = {{"/pandas/core/frame.py", "iterrows"},
                                      {"/pandas/core/frame.py", "itertuples"},
                                      {"/pandas/core/apply.py", "series_generator"},
                                      {"/pandas/core/internals/managers.py", "fast_xs"}};
constexpr fold::FunctionAt kOfRows[] = {{"/pandas/core/series.py", ""}, {"/pandas/core/indexing.py", ""}};
constexpr LibraryFamily kRowWise{.rule = "row-by-row",
                                 .functions = kRows,
                                 .title = "A data frame is gone through row by row",
                                 .advice =
                                     "Compute on whole columns (arithmetic, masks, where, map, merge, groupby), or on "
                                     "df.to_numpy(); itertuples() is the fastest of the loops.",
                                 .beside = kOfRows};

// Of apply(axis=1), where what is called computes with the few values of a row: the function's time is meant, too.
constexpr fold::FunctionAt kForRows[] = {{"/pandas/core/apply.py", "apply_series_generator"},
                                         {"/pandas/core/apply.py", "FrameApply.apply_series_generator"}};
constexpr LibraryFamily kRowCalls{.rule = kRowWise.rule,
                                  .functions = kForRows,
                                  .title = kRowWise.title,
                                  .advice = kRowWise.advice,
                                  .calls_back = true,
                                  .interpreted = kOfSmallRows};

// What a sparse matrix has to look for in all of its rows, or in all of its columns where it is stored by these.
constexpr fold::FunctionAt kAcross[] = {
    {"/scipy/sparse/_csr.py", "_get_sliceXint"}, {"/scipy/sparse/_csr.py", "_get_sliceXarray"},
    {"/scipy/sparse/_csr.py", "getcol"},         {"/scipy/sparse/_csr.py", "_getcol"},
    {"/scipy/sparse/csr.py", "_get_sliceXint"},  {"/scipy/sparse/csr.py", "getcol"},
    {"/scipy/sparse/_csc.py", "_get_intXslice"}, {"/scipy/sparse/_csc.py", "getrow"},
    {"/scipy/sparse/_csc.py", "_getrow"},        {"/scipy/sparse/csc.py", "_get_intXslice"},
    {"/scipy/sparse/csc.py", "getrow"}};
constexpr LibraryFamily kSparse{
    .rule = "sparse-slices",
    .functions = kAcross,
    .title = "A sparse matrix is gone through whole for each slice across the way it is stored",
    .advice =
        "Take columns of a CSC matrix and rows of a CSR one: matrix.tocsc() once, outside of the loop; or many at a "
        "time (matrix[:, indices]).",
    .repeated = true};

// Each window becomes a Series, and what is called computes with that.
constexpr fold::FunctionAt kOfWindows[] = {{"/pandas/core/window/rolling.py", "apply"}};
constexpr std::string_view kOfSeries[] = {"Series.", "NDFrame.", "IndexOpsMixin.", "nanops.", "_sanitize"};
bool makes_series(const Evidence& evidence, const LibrarySpent&) {
  const std::vector<bool> in_apply =
      all_below(evidence.lines(), [](const symbols::Function& function) { return fold::is_any(function, kOfWindows); });
  std::int64_t all = 0, of_series = 0;
  const std::vector<bool> series = all_below(evidence.lines(), [](const symbols::Function& function) {
    return function.language == symbols::Language::Python && begins_with_any(function.name, kOfSeries);
  });
  for (std::uint32_t node = 1; node < in_apply.size(); ++node) {
    if (!in_apply[node]) continue;
    const std::int64_t ns = evidence.lines().self().cpu[node].ns;
    all = model::saturated_sum(all, ns);
    if (series[node]) of_series = model::saturated_sum(of_series, ns);
  }
  return real(of_series) >= kMuchOfALine * real(all);
}
constexpr LibraryFamily kWindows{
    .rule = "window-functions",
    .functions = kOfWindows,
    .title = "pandas makes a Series of each window, for a function of Python",
    .advice =
        "rolling(...).apply(function, raw=True) gives arrays in their place, engine=\"numba\" compiles it; mean(), "
        "std(), max() and the like go over all windows at once, as numpy.lib.stride_tricks.sliding_window_view "
        "does.",
    .again = makes_series,
    .calls_back = true};

// Each call looks at its arguments, spreads them over each other and masks what lies outside, whatever there is to do.
constexpr fold::FunctionAt kOfDistributions[] = {
    {"/scipy/stats/_distn_infrastructure.py", "pdf"}, {"/scipy/stats/_distn_infrastructure.py", "logpdf"},
    {"/scipy/stats/_distn_infrastructure.py", "pmf"}, {"/scipy/stats/_distn_infrastructure.py", "logpmf"},
    {"/scipy/stats/_distn_infrastructure.py", "cdf"}, {"/scipy/stats/_distn_infrastructure.py", "logcdf"},
    {"/scipy/stats/_distn_infrastructure.py", "sf"},  {"/scipy/stats/_distn_infrastructure.py", "logsf"},
    {"/scipy/stats/_distn_infrastructure.py", "ppf"}, {"/scipy/stats/_distn_infrastructure.py", "isf"},
    {"/scipy/stats/_distn_infrastructure.py", "rvs"}, {"/scipy/stats/_distn_infrastructure.py", "freeze"}};
// Of a distribution that has no formula, each value is one.
constexpr fold::FunctionAt kIntegrals[] = {{"/scipy/integrate/_quadpack_py.py", ""}, {"/scipy/optimize/", ""}};
constexpr LibraryFamily kDistributions{
    .rule = "distribution-calls",
    .functions = kOfDistributions,
    .title = "scipy.stats is called for a few numbers at a time, and looks at its arguments each time",
    .advice =
        "Give one call all values; or write the formula (scipy.special: ndtr, ndtri, gammaln, xlogy; for a normal "
        "density -0.5 * ((x - m) / s) ** 2 - log(s) - 0.919), and draw from numpy.random.Generator.",
    .interpreted = kOfSmallCalls,
    .rather = kIntegrals,
    .repeated = true};

constexpr fold::FunctionAt kToDatetime[] = {{"/pandas/core/tools/datetimes.py", "to_datetime"}};
// A whole column goes through dateutil as well, where it has no format: date-parsing is about that. With a format it
// goes through code of pandas that asks the interpreter for much of its work.
constexpr fold::FunctionAt kWholeColumns[] = {{"/dateutil/parser/_parser.py", ""},
                                              {"/tslibs/strptime.", "", symbols::Language::Native}};
constexpr LibraryFamily kSingleDates{
    .rule = "dates-one-by-one",
    .functions = kToDatetime,
    .title = "pandas converts one date at a time",
    .advice = "Give to_datetime() the whole column, with its format=: a call takes a hundred times what a value does.",
    .interpreted = kOfSmallRows,
    .rather = kWholeColumns};

constexpr fold::FunctionAt kOfGroups[] = {{"/pandas/core/groupby/generic.py", "_transform_general"},
                                          {"/pandas/core/groupby/generic.py", "_aggregate_named"},
                                          {"/pandas/core/groupby/generic.py", "_python_agg_general"},
                                          {"/pandas/core/groupby/groupby.py", "_python_agg_general"},
                                          {"/pandas/core/groupby/groupby.py", "_python_apply_general"},
                                          {"/pandas/core/groupby/ops.py", "apply_groupwise"},
                                          {"/pandas/core/groupby/ops.py", "agg_series"}};
constexpr LibraryFamily kGroups{
    .rule = "python-for-groups",
    .functions = kOfGroups,
    .title = "pandas calls a Python function for each group",
    .advice =
        "Name the function where pandas has it (transform(\"mean\"), agg(\"sum\"), rank, cumsum, "
        "shift), and compute on whole columns with what it gives; or on numpy arrays with "
        "numpy.add.reduceat, bincount.",
    .calls_back = true,
    .interpreted = kOfSmallGroups};

// Returns at once unless several categoricals are grouped by with observed=False.
constexpr fold::FunctionAt kAllCombinations[] = {{"/pandas/core/groupby/groupby.py", "_reindex_output"}};
constexpr LibraryFamily kUnobserved{
    .rule = "unobserved-groups",
    .functions = kAllCombinations,
    .title = "A groupby of categories makes a row for each combination, those without data too",
    .advice =
        "groupby(..., observed=True): then there are rows for the combinations that occur alone, and the result is as "
        "long as those.",
    .alone = true};

constexpr fold::FunctionAt kJoins[] = {{"/pandas/core/reshape/concat.py", "concat"},
                                       {"/pandas/core/frame.py", "append"},
                                       {"/pandas/core/frame.py", "_append"},
                                       {"/numpy/lib/function_base.py", "append"},
                                       {"/numpy/lib/_function_base_impl.py", "append"},
                                       {"<__array_function__ internals>", "append"}};
constexpr LibraryFamily kGrowing{.rule = "growing-by-copies",
                                 .functions = kJoins,
                                 .title = "Data is copied again and again while it grows",
                                 .advice =
                                     "Collect the parts in a list and join them once at the end (pandas.concat, "
                                     "numpy.concatenate, torch.cat), or write into an array of the full size.",
                                 .again = copied_again};

// Programs join arrays for other reasons, too: those are alike, or of any size.
bool grows(const Evidence&, const LibrarySpent& spent) { return grow_evenly(spent.most); }

// numpy's function by its own symbol, by the name in its table of methods, and by what called it before 1.25.
constexpr symbols::Language kNative = symbols::Language::Native, kOperator = symbols::Language::Operator;
constexpr fold::FunctionAt kArrayJoins[] = {{"_multiarray_umath", "array_concatenate", kNative},
                                            {"_multiarray_umath", "_multiarray_umath.concatenate", kNative},
                                            {"<__array_function__ internals>", "concatenate"},
                                            {"", "aten::cat", kOperator}};
constexpr LibraryFamily kGrowingArrays{.rule = kGrowing.rule,
                                       .functions = kArrayJoins,
                                       .title = kGrowing.title,
                                       .advice = kGrowing.advice,
                                       .again = grows};

// Each merge builds a table of the keys anew, however few rows are merged with it.
bool merged_again(const Evidence&, const LibrarySpent& spent) {
  return static_cast<double>(spent.allocated_bytes) >= kMergedAgain * static_cast<double>(spent.peak_bytes) &&
         spent.allocated_bytes > 0;
}

constexpr fold::FunctionAt kMergeFunctions[] = {{"/pandas/core/reshape/merge.py", "merge"}};
constexpr LibraryFamily kMerges{.rule = "merges-in-a-loop",
                                .functions = kMergeFunctions,
                                .title = "pandas merges small parts again and again",
                                .advice =
                                    "Merge the whole table once, before the loop; or make an index of the other one "
                                    "once (set_index) and look values up in it with map() or loc[].",
                                .again = merged_again};

constexpr fold::FunctionAt kTexts[] = {{"/numpy/lib/npyio.py", "genfromtxt"},
                                       {"/numpy/lib/_npyio_impl.py", "genfromtxt"},
                                       {"/numpy/lib/npyio.py", "savetxt"},
                                       {"/numpy/lib/_npyio_impl.py", "savetxt"}};
constexpr LibraryFamily kTextArrays{
    .rule = "text-arrays",
    .functions = kTexts,
    .title = "Arrays are read or written as text by numpy's Python code",
    .advice =
        "pandas.read_csv and to_csv are many times faster; numpy.save, Parquet or Arrow keep the "
        "numbers as they are."};

constexpr fold::FunctionAt kElementwise[] = {{"/numpy/lib/function_base.py", "_vectorize_call"},
                                             {"/numpy/lib/_function_base_impl.py", "_vectorize_call"},
                                             {"/numpy/lib/shape_base.py", "apply_along_axis"},
                                             {"/numpy/lib/_shape_base_impl.py", "apply_along_axis"}};
constexpr LibraryFamily kVectorize{
    .rule = "vectorize",
    .functions = kElementwise,
    .title = "A Python function is called for each element of an array",
    .advice =
        "numpy.vectorize and apply_along_axis are loops: write the function with whole arrays "
        "(numpy.where, masks, arithmetic), or compile it (numba).",
    .calls_back = true};

constexpr fold::FunctionAt kParametrized[] = {{"/torch/nn/utils/parametrize.py", ""}};

// Whether most of it is asked for by lines in a loop of a forward(), of a layer that stays the same: once in each
// forward() the weights have to be worked out.
bool in_loops_of_models(const Evidence& evidence, const LibrarySpent&) {
  symbols::SourceFiles& files = evidence.sources();
  const auto is_parametrized = [](const symbols::Function& function) { return fold::is_any(function, kParametrized); };
  std::int64_t all_ns = 0, loops_ns = 0;
  for (const std::uint32_t node : evidence.timed()) {
    const std::int64_t ns = evidence.lines().self().cpu[node].ns;
    const std::uint32_t location = evidence.own_location(node);
    if (ns <= 0 || location == 0 || !below(evidence.lines(), node, is_parametrized)) continue;
    all_ns = model::saturated_sum(all_ns, ns);
    const Place place = place_of(evidence.symbols(), location);
    const Lines& lines = files.file(place.file).lines;
    const auto number = static_cast<std::size_t>(place.line);
    if (!last_part(place.function).starts_with("forward") || number == 0 || number > lines.size()) continue;
    std::string_view head;
    heads_above(lines, number, [&](std::string_view code, std::size_t) {
      if (code.starts_with("for ") || code.starts_with("while ")) head = code;
      return head.empty() && !code.starts_with("def ");
    });
    // "for layer in self.layers: x = layer(x)" goes through each once.
    const std::size_t in = head.starts_with("for ") ? head.find(" in ") : std::string_view::npos;
    const std::string_view targets = in == std::string_view::npos ? std::string_view() : head.substr(4, in - 4);
    const std::string_view line = code_of(lines[number - 1], "#");
    bool of_loop = false;
    for (std::size_t at = 0; at < targets.size(); ++at) {
      std::size_t end = at;
      while (end < targets.size() && is_name(targets[end])) ++end;
      if (end > at)
        of_loop |= find_word(line, targets.substr(at, end - at)) != std::string_view::npos &&
                   contains(line, std::string(targets.substr(at, end - at)) + "(");
      at = end;
    }
    if (!head.empty() && !of_loop) loops_ns = model::saturated_sum(loops_ns, ns);
  }
  return real(loops_ns) > kOfWork * real(all_ns);
}

constexpr LibraryFamily kParametrizations{
    .rule = "parametrizations",
    .functions = kParametrized,
    .title = "Parametrized weights are worked out anew at each use",
    .advice =
        "with torch.nn.utils.parametrize.cached(): around the loop keeps them for as long as they stay the same; or "
        "take the weight once before the loop and multiply by that.",
    .again = in_loops_of_models,
    .alone = true};

constexpr fold::FunctionAt kSaves[] = {{"/torch/serialization.py", "save"}};
constexpr LibraryFamily kCheckpoints{
    .rule = "checkpoints",
    .functions = kSaves,
    .title = "Checkpoints take much of the time",
    .advice =
        "Save less often (every N steps or minutes, at the end of an epoch), save only what is "
        "needed (state_dict()), or let another thread write a copy.",
    .in_steps = true,
    .files_beside = true};

// What more time went by in.
template <const LibraryFamily& one, const LibraryFamily& other>
std::vector<Finding> look_for_either(const Evidence& evidence) {
  std::vector<Finding> found = look_for_family(evidence, one), instead = look_for_family(evidence, other);
  const bool more = !instead.empty() && (found.empty() || instead.front().saves >= found.front().saves);
  return more ? instead : found;
}

}  // namespace
}  // namespace library_data

const Rule kRowWiseRule{library_data::kRowWise.rule, "data frames gone through row by row", no_python_frames,
                        library_data::look_for_either<library_data::kRowWise, library_data::kRowCalls>};
const Rule kDistributionsRule{library_data::kDistributions.rule, "distributions asked for a few numbers",
                              no_python_frames, look<library_data::kDistributions>};
const Rule kSparseSlicesRule{library_data::kSparse.rule, "slices across sparse matrices", no_python_frames,
                             look<library_data::kSparse>};
const Rule kWindowFunctionsRule{library_data::kWindows.rule, "functions called for windows", no_python_frames,
                                look<library_data::kWindows>};
const Rule kSingleDatesRule{library_data::kSingleDates.rule, "dates converted one by one", no_python_frames,
                            look<library_data::kSingleDates>};
const Rule kGroupsRule{library_data::kGroups.rule, "Python functions called for groups", no_python_frames,
                       look<library_data::kGroups>};
const Rule kUnobservedRule{library_data::kUnobserved.rule, "combinations of categories without data", no_python_frames,
                           look<library_data::kUnobserved>};
const Rule kGrowingRule{library_data::kGrowing.rule, "data that grows by being copied", no_python_frames,
                        library_data::look_for_either<library_data::kGrowing, library_data::kGrowingArrays>};
const Rule kMergesRule{library_data::kMerges.rule, "merges of small data frames", no_python_frames,
                       look<library_data::kMerges>};
const Rule kTextArraysRule{library_data::kTextArrays.rule, "arrays read as text", no_python_frames,
                           look<library_data::kTextArrays>};
const Rule kVectorizeRule{library_data::kVectorize.rule, "functions called for each element", no_python_frames,
                          look<library_data::kVectorize>};
const Rule kParametrizationsRule{library_data::kParametrizations.rule, "parametrized weights worked out again",
                                 no_python_frames, look<library_data::kParametrizations>};
const Rule kCheckpointsRule{library_data::kCheckpoints.rule, "checkpoints", no_python_frames,
                            look<library_data::kCheckpoints>};

}  // namespace prof::findings
