// What the system says of a thread: in /proc/self/task, and by getrusage. Each notes in `known` of the record what it
// found.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"

namespace prof::wait {

// Of any thread of the process, each by reading a file. Ordinary code, which may last.
bool read_run_queue(std::uint32_t tid, log::ThreadUseRecord& r);
void read_switches(std::uint32_t tid, log::ThreadUseRecord& r);
// `faults`: page faults and CPU time in the system too, and not only what it waited for storage.
void read_stat(std::uint32_t tid, bool faults, log::ThreadUseRecord& r);
void read_storage(std::uint32_t tid, log::ThreadUseRecord& r);

// Of the calling thread: page faults, switches and CPU time in the system, by a call.
void read_own_faults(log::ThreadUseRecord& r);

}  // namespace prof::wait
