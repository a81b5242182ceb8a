// What is known of the run's Python interpreters, in sentences.
#pragma once

#include <string>
#include <vector>

#include "report/show/view.hpp"

namespace prof::show {

// One sentence for each different interpreter of the selected processes: its version, whether Python frames are in the
// stacks and why not, what else was recorded, what the agent wants the user to know. Nothing without an interpreter.
std::vector<std::string> python_sentences(const Subject& subject);
// The same where there is something to say of them: frames that are missing, exact calls.
std::vector<std::string> python_remarks(const Subject& subject);

}  // namespace prof::show
