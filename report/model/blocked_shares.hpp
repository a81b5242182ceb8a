// Blocked time that adds up.
#pragma once

#include "report/model/process.hpp"

namespace prof::model {

// Of a context, blocked time is an estimate or a count of the time in its calls less the CPU time that samples found
// there. By chance one is too large here and the other there: where nothing blocks in thousands of contexts, half of
// them would have some blocked time, and none of the others less than nothing to make up for it. So what is below zero
// in a class of a thread is taken from its other contexts, in proportion to what they have. Then each has no less than
// 0, and they add up to what the thread has, whatever they are added up by.
//
// To be called once, when the CPU time inside of calls is told.
void share_blocked_time(Process& process);

}  // namespace prof::model
