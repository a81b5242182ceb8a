// Who a process talks to over the network.
#pragma once

#include <cstddef>

#include "report/findings/evidence.hpp"

namespace prof::findings {

// Whether the process takes connections of others, whose requests it waits for.
bool accepts_connections(const Evidence& evidence, std::size_t process);

// Whether the process asks others: it connects to them, or sends without having been connected to. Who does neither
// receives what comes, and nothing comes sooner.
bool asks_peers(const Evidence& evidence, std::size_t process);

}  // namespace prof::findings
