#include "agent/log/header.hpp"

#include "agent/core/clock.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/raw.hpp"
#include "agent/log/system.hpp"

namespace prof::log {
namespace {

std::uint64_t random_id() {
  std::uint64_t v = 0;
  if (raw::call(SYS_getrandom, raw::word(&v), sizeof(v), 1 /* GRND_NONBLOCK */) != sizeof(v) || v == 0) {
    v = clock::monotonic() * 0x9e3779b97f4a7c15ULL ^ process().pid;
  }
  return v;
}

}  // namespace

void fill_header(Header& h, std::uint64_t committed) {
  const Process& p = process();
  h.byte_order = kByteOrder;
  h.major = kMajor;
  h.minor = kMinor;
  h.header_bytes = kHeaderBytes;
  h.granule = kGranule;
  h.run_id = p.run_id;
  h.log_id = process().log_id = random_id();
  h.parent_log_id = p.parent_log_id;
  h.pid = p.pid;
  h.ppid = p.ppid;
  h.start_ticks = own_start_ticks();
  h.origin = p.origin;
  h.rank = p.rank;
  h.world_size = p.world_size;
  h.start_realtime_ns = p.start_realtime_ns;
  h.start_monotonic_ns = p.start_monotonic_ns;
  h.start_cpu_ns = p.start_cpu_ns;
  h.sample_period_ns = p.options.cpu_hz == 0 ? 0 : 1'000'000'000 / p.options.cpu_hz;
  h.ticks = p.ticks;
  h.heap_mode = p.options.heap;
  if (p.options.heap == HeapMode::Exact) {
    h.heap_interval = h.heap_interval_first = 1;
  } else if (p.options.heap != HeapMode::Off) {
    h.heap_interval = p.options.heap_interval;
    h.heap_interval_first = p.options.heap_interval_first;
  }
  h.max_depth = p.options.depth;
  h.page_bytes = pages::kPage;
  read_boot_id(h.boot_id);
  h.tail = kHeaderBytes;
  h.committed = committed;
  h.nodes = h.frames = h.modules = h.strands = 1;
  h.threads = 1;  // slot 0 is the main thread's
  h.last_monotonic_ns = clock::monotonic();
  h.cpu_ns = clock::process_cpu();
  h.conditions = p.conditions;
  h.heap.epoch = h.maps.epoch = h.segments.epoch = h.tensors.epoch = 1;
}

}  // namespace prof::log
