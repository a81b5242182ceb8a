// Live bytes by context, now and at the peak, without ever scanning anything.
//
// When the total of live bytes passes its old peak, `epoch` is raised. The next write to a record first keeps the
// record's live bytes as of then, once per epoch; a record that is not written again still holds them. So every record
// knows at every instant what it held at the last peak, also when the process is killed.
#pragma once

#include <cstdint>

#include "agent/core/guard.hpp"
#include "agent/heap/gap.hpp"
#include "agent/log/format.hpp"

namespace prof::heap {

// Books an allocation on `record` and raises the peak if need be. The guard shows that the record's region is ours.
void book_allocation(const Guard&, log::HeapWords& record, log::PeakClock& clock, const Weight& w);
void book_free(const Guard&, log::HeapWords& record, log::PeakClock& clock, const Weight& w);

}  // namespace prof::heap
