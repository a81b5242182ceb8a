// How loaders are found: the parts of loaders() in loading_data.hpp.
#pragma once

#include <vector>

#include "report/fold/training/loading_data.hpp"

namespace prof::fold {

// Loaders of PyTorch's DataLoader; and those by pipes among the processes that `taken` does not mark. Without what
// complete() adds.
std::vector<Loader> torch_loaders(const model::Run& run, const symbols::Symbols& symbols, const Selection& selection);
std::vector<Loader> pipe_loaders(const model::Run& run, const Selection& selection, const std::vector<bool>& taken);

// What is told of a worker without its stacks: its life, its files, what the kernel says of it.
LoadingTime process_time(const model::Process& process);

// Workers in their order, sums, processors, cause.
void complete(const model::Run& run, Loader& loader);

}  // namespace prof::fold
