// Figures of exact calls and lines of Python, of imports and of tasks. What they are given must outlive them.
#pragma once

#include <cstdint>
#include <vector>

#include "report/fold/python/exact_calls.hpp"
#include "report/fold/python/imports.hpp"
#include "report/fold/python/line_hits.hpp"
#include "report/fold/python/tasks.hpp"
#include "report/show/figures.hpp"
#include "report/show/view.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::show {

// A function, or what one of its callers had of it.
struct CallRow {
  const fold::CalledFunction* function = nullptr;  // none: called before calls were counted
  const fold::CalledFunction* called = nullptr;    // whose caller it is; none: it stands for itself
  std::int64_t calls = 0, primitive = 0, self_ns = 0, cumulative_ns = 0, raised = 0;
};
CallRow call_row(const fold::CalledFunction& function);
CallRow call_row(const fold::ExactCalls& calls, const fold::CallEdge& edge);

Figures<CallRow> call_figures(const fold::ExactCalls& calls, bool any_raised, const ViewOptions& options);

// A line of a function; `metric` is none where a table shows it without.
struct HitRow {
  const fold::FunctionHits* function = nullptr;
  std::uint32_t line = 0;
  const model::LineMetric* metric = nullptr;
};
Figures<HitRow> hit_figures(symbols::SourceFiles& files, const ViewOptions& options);

// For a table of `rows`.
Figures<fold::ImportRow> import_figures(const Subject& subject, const std::vector<fold::ImportRow>& rows,
                                        const ViewOptions& options);

Figures<fold::TaskRow> task_figures(const Subject& subject, const fold::CallTree& tree, const ViewOptions& options);

}  // namespace prof::show
