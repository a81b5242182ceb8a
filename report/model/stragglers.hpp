// Processes that outlive the program that made them by a moment: servers of pools, trackers of resources.
#pragma once

#include <chrono>

#include "report/model/endings.hpp"
#include "report/model/profile.hpp"

namespace prof::model {

// Where the run's first process ended just now while others of its run still live, waits until these have ended too, or
// for so long. True: one of them has ended, so that the run is to be read anew. What was left behind to go on living
// delays the first report by that much and no later one.
bool wait_for_stragglers(const Run& run, const Host& host, std::chrono::milliseconds longest);

}  // namespace prof::model
