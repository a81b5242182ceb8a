// What counts frees: of a log that was copied twice it is taken from the earlier copy, and all else from the later one.
// The writer counts an allocation first and its free last, so no context is seen to have freed more than it allocated.
#pragma once

#include "agent/contract/format.hpp"
#include "report/read/raw_log.hpp"

namespace prof::read {

// Sets what counts frees in `later` as it was in `earlier`, the same object in the earlier copy; all zeros where that
// copy does not have it yet.
void take_frees(log::Header& later, const log::Header& earlier);
void take_frees(log::ThreadRecord& later, const log::ThreadRecord& earlier);
void take_frees(log::HeapWords& later, const log::HeapWords& earlier);
void take_frees(OnceRecord& later, const log::HeapOnceWords& earlier);

}  // namespace prof::read
