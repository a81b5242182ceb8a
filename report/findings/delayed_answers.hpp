// Waits for a peer that last as long as it delays its acknowledgements.
#pragma once

#include "report/findings/thread_time.hpp"

namespace prof::findings {

// Whether most of the time that the thread waited for peers was in waits of about 40 ms: so long a receiver of Linux
// delays its acknowledgement (TCP_DELACK_MIN of the kernel's net/tcp.h), and a sender without TCP_NODELAY keeps a small
// part back until it has that of the part before (Nagle's algorithm, RFC 896).
bool waits_for_acknowledgements(const model::Process& process, const ThreadOf& thread);

}  // namespace prof::findings
