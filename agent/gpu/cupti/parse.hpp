// Records of device work as one kind of thing.
#pragma once

#include "agent/gpu/cupti/records.hpp"
#include "agent/gpu/cupti/times.hpp"
#include "agent/gpu/cupti/work.hpp"
#include "agent/thread/guard.hpp"

namespace prof::gpu::cupti {

// What the record tells of a kernel, copy, set or graph; false: it is none of these. Times that cannot be are 0, both.
bool read_work(const Guard& guard, const Record& record, const Times& times, Work& work);

}  // namespace prof::gpu::cupti
