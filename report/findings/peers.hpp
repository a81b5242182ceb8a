// Who a process talks to over the network.
#pragma once

#include <cstddef>

#include "report/findings/evidence.hpp"

namespace prof::findings {

// Whether the process takes connections of others, whose requests it waits for.
bool accepts_connections(const Evidence& evidence, std::size_t process);

// Whether the process asks others: it connects to them, or sends by a socket that somebody else connected for it. Who
// accepts connections, or sends datagrams to whoever wrote to it, answers; who does nothing of this receives what
// comes, and nothing comes sooner.
bool asks_peers(const Evidence& evidence, std::size_t process);

}  // namespace prof::findings
