// Figures of what GPUs did and what CUDA was asked for. Functions that take the rows of a list take all of them: some
// columns are in tables only where any row has something for them.
#pragma once

#include <vector>

#include "report/fold/gpu/flops.hpp"
#include "report/fold/gpu/gpu.hpp"
#include "report/show/figures.hpp"
#include "report/show/view.hpp"

namespace prof::show {

Figures<fold::ApiRow> api_figures(const Subject& subject, const std::vector<fold::ApiRow>& rows,
                                  const ViewOptions& options);

Figures<fold::WorkRow> kernel_figures(const Subject& subject, const std::vector<fold::WorkRow>& rows,
                                      const ViewOptions& options);
Figures<fold::WorkRow> copy_figures(const Subject& subject, const std::vector<fold::WorkRow>& rows,
                                    const ViewOptions& options);
Figures<fold::StreamRow> stream_figures(const std::vector<fold::StreamRow>& rows);

Figures<fold::DeviceRow> device_memory_figures(const std::vector<fold::DeviceRow>& rows, const ViewOptions& options);

// `tree` as fold::ranges() and fold::flops() take it; the shares of flops are of all flops in it.
Figures<fold::RangeRow> range_figures(const Subject& subject, const fold::CallTree& tree, const ViewOptions& options);
Figures<fold::FlopRow> flop_figures(const Subject& subject, const fold::CallTree& tree,
                                    const std::vector<fold::FlopRow>& rows, const ViewOptions& options);

Figures<model::IdleMetric> idle_figures();

}  // namespace prof::show
