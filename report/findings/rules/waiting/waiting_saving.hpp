// What of the waiting could be saved: all but what had to be waited for in any case.
#pragma once

#include <cstdint>
#include <optional>

#include "report/findings/rules/waiting/waiting_sum.hpp"

namespace prof::findings::waiting {

// How many tasks of an event loop did it at once, as far as is known.
struct AtOnce {
  std::int64_t served = 0;    // connections of a server
  std::int64_t gathered = 0;  // tasks that asyncio.gather() waits for
  std::int64_t together = 0;  // of these, in one turn of the loop
  std::int64_t tasks = 0;     // so many: 0 where it is one, or nothing is known
  bool one_task = false;      // its waits come one after the other
  bool several = false;
};

struct Saving {
  AtOnce at_once;
  std::int64_t ns = 0;
  std::int64_t left_ns = 0;       // is left when it is done at once
  std::int64_t others_ns = 0;     // of the thread's life, without the waiting
  std::int64_t work_ns = 0;       // others computed meanwhile, which has to be waited for
  std::int64_t recording_ns = 0;  // was what recording children took
  bool of_work() const { return work_ns > left_ns; }
};

// `most_ns`: no more than that can be saved, where that is known without what others computed meanwhile.
Saving saving_of(const Evidence& evidence, const Kind& kind, const ThreadOf& thread, const Sum& sum,
                 symbols::SourceFiles& files, std::optional<std::int64_t> most_ns);

}  // namespace prof::findings::waiting
