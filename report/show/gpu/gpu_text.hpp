// What the views of CUDA share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/fold/line_tree.hpp"
#include "report/show/sheet.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// Why there is nothing to show, and what to do about it; nothing where CUDA was seen.
std::optional<std::string> why_no_cuda(const Subject& subject);
// Why it is not known what GPUs did, one sentence for each reason; empty where it is known of all selected processes.
std::vector<std::string> why_no_devices(const Subject& subject);

// Whether it looks as if GPUs were there to be used. PyTorch asks for them on machines that have none, and is told at
// once.
bool may_use_gpus(const Subject& subject, const fold::CallTree& line_tree);

// What the agent wants the user to know of CUDA, the selection, losses.
std::vector<std::string> gpu_captions(const Subject& subject, const ViewOptions& options);

// "GPU 0 (NVIDIA A100-SXM4-80GB)".
std::string device_name(const model::Device& device);

// What is said of CUDA in the summary, in sentences.
std::vector<std::string> gpu_sentences(const Subject& subject, const fold::CallTree& line_tree);

}  // namespace prof::show
