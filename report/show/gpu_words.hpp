// What the views of CUDA share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/fold/gpu.hpp"
#include "report/show/sheet.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// Why there is nothing to show, and what to do about it; nothing where CUDA was seen.
std::optional<std::string> why_no_cuda(const Subject& subject);
// Why it is not known what GPUs did, one sentence for each reason; empty where it is known of all selected processes.
std::vector<std::string> why_no_devices(const Subject& subject);

// What the agent wants the user to know of CUDA, the selection, losses.
std::vector<std::string> gpu_captions(const Subject& subject, const ViewOptions& options);

// "Model.forward (model.py:42)" or, of native code, "run <- main" without the rest; "(not known)" for fold::kNobody.
std::string place_name(const symbols::Symbols& symbols, std::uint32_t location, bool wide);

// "GPU 0 (NVIDIA A100-SXM4-80GB)".
std::string device_name(const model::Device& device);

// The columns of a list of times, and their cells: share of `whole`, total, count, mean, median, least and most.
// `count_title` heads the count; CSV keys are those of calls. Without `medians` in any row their column is in CSV
// alone.
std::vector<Column> time_columns(const char* count_title, bool medians);
std::vector<Cell> time_cells(std::int64_t total_ns, std::int64_t count, std::int64_t timed, const model::Extremes& each,
                             const std::optional<double>& median_ns, double whole);

// What is said of CUDA in the summary, in sentences.
std::vector<std::string> gpu_sentences(const Subject& subject, const fold::CallTree& line_tree);

}  // namespace prof::show
