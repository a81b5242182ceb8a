// Waits for a peer that last as long as it delays its acknowledgements.
#pragma once

#include <cstdint>
#include <vector>

#include "report/findings/thread_time.hpp"

namespace prof::findings {

// How many waits for peers took about 40 ms, where they are most of the time that the thread waited for peers; else 0.
// So long a receiver of Linux delays its acknowledgement (TCP_DELACK_MIN of the kernel's net/tcp.h), and a sender
// without TCP_NODELAY keeps a small part back until it has that of the part before (Nagle's algorithm, RFC 896).
// A peer of this run waits as long for the second part: then what the thread waits for is that and the answer.
std::int64_t waits_for_acknowledgements(const Evidence& evidence, const ThreadOf& thread);

// Own lines of the thread that send about as often as that, in the order of the file, two at most: the parts that
// should be one.
std::vector<Place> sending_places(const Evidence& evidence, const ThreadOf& thread, std::int64_t delays);

}  // namespace prof::findings
