// How processes ended that could not note it themselves.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "report/model/process.hpp"

namespace prof::model {

// The machine on which the report is made.
struct Host {
  std::filesystem::path proc = "/proc";
  std::uint64_t now_monotonic_ns = 0;
  static Host now();
};

// True if the very process that wrote the log is alive.
bool is_alive(const Process& process, const Host& host);

// Settles ending, exit_code and end_monotonic_ns of all images. After link_processes().
//  * An image with a successor ended by exec.
//  * What a parent learned from the wait family counts before what a process noted of itself: it may have crashed in
//    between.
//  * Neither noted nor waited for: running if it is alive (its highest RSS is the kernel's then), killed if this
//  machine
//    has not been restarted since.
void settle_endings(std::vector<Process>& processes, const Host& host);

}  // namespace prof::model
