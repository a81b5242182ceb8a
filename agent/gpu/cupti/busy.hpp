// When a device was at work and when it had nothing to do, from the times of its work: these come in no order, but
// within a while. Of the consumer alone.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/gpu/cupti/host_time.hpp"
#include "agent/gpu/cupti/launches.hpp"
#include "agent/gpu/cupti/work.hpp"
#include "agent/thread/guard.hpp"

namespace prof::gpu::cupti {

class Busy {
 public:
  // `launch` (may be null) is the call that asked for the work.
  void add(const Work& work, std::uint32_t node, const Launch* launch);
  // Brings the record up to date. What ended before `horizon` is final: the idle times before it are charged to those
  // who ended them.
  void settle(const Guard& guard, log::DeviceRecord& record, HostTime& host, std::uint64_t horizon);

 private:
  struct Span {
    std::uint64_t start, end;
    std::uint64_t launched;  // 0: not known
    std::uint32_t node;
    std::uint32_t thread;
  };
  bool make_room();
  void merge();
  static void charge(const Guard& guard, HostTime& host, const Span& span, std::uint64_t from);

  Span* spans_;
  std::uint32_t count_, room_;
  std::uint64_t final_until_;  // end of the last final span; 0: there is none
  std::uint64_t final_ns_;     // at work until then
};

}  // namespace prof::gpu::cupti
