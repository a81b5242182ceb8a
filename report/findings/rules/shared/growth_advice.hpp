// What to look for where the memory of a process grows.
#pragma once

#include <string>

#include "report/model/profile.hpp"

namespace prof::findings {

// In the words of the program: where it is written in Python or JavaScript, and where it trains.
std::string growth_advice(const model::Process& process, bool stepping);

}  // namespace prof::findings
