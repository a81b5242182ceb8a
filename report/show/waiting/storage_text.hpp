// What storage did for processes, in sentences.
#pragma once

#include <string>
#include <vector>

#include "report/show/view.hpp"

namespace prof::show {

// By process, those with the most bytes; nothing where the kernel did not tell.
std::vector<std::string> storage_captions(const Subject& subject);

}  // namespace prof::show
