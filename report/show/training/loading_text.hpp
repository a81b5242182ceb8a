// What is said of data loading in sentences.
#pragma once

#include <string>
#include <vector>

#include "report/fold/training/loading_data.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// What speaks for the cause, a clause without a full stop: "its 4 workers spent 80.1 % of the time at work waiting for
// files"; empty where the loader is fast enough.
std::string loading_reason(const fold::Loader& loader);

// What to try, in sentences; empty where there is nothing to advise.
std::string loading_advice(const fold::Loader& loader);

// The cause and both of these: "slow disk: the loop waited 2.10 s (70.0 %) for its data; its 4 workers ... Try ...".
std::string loading_verdict(const fold::Loader& loader);

// One short sentence for each loader of PyTorch, for the summary.
std::vector<std::string> loading_sentences(const Subject& subject);

// The function that takes the batches, or the process where that is not known.
std::string loop_name(const Subject& subject, const fold::Loader& loader, bool wide);

}  // namespace prof::show
