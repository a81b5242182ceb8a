// What is said of steps in sentences.
#pragma once

#include <string>
#include <vector>

#include "report/fold/training/steps.hpp"
#include "report/show/view.hpp"

namespace prof::show {

// "data 40.0 %, backward 31.0 %, ...", largest first; what is under a percent is left out.
std::string step_parts(const fold::StepTable& table);

// "50, the first 2 of them to warm up, then a median of 30.1 ms (29.4 ms to 231 ms)".
std::string step_times(const fold::StepTable& table);

// What stands out: slow steps and whether they come regularly, and a time that changes. No sentence: nothing does.
std::vector<std::string> step_oddities(const fold::StepTable& table);

// What they were found by: "Optimizer.step#SGD.step, from the end of one to that of the next".
std::string step_source(const model::Steps& steps);

// One short sentence for the selected process with the most steps, for the summary; nothing where no steps were seen.
std::vector<std::string> step_sentences(const Subject& subject);

// "data", or with what was waited for: "data (sleep)".
std::string outlier_cause(const fold::Outlier& outlier);

}  // namespace prof::show
