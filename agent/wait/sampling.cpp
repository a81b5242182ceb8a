#include "agent/wait/sampling.hpp"

#include "agent/core/clock.hpp"
#include "agent/wait/local.hpp"

namespace prof::wait {
namespace {

constexpr std::uint32_t kLook = 64;       // contexts between two looks
constexpr std::uint32_t kUnlooked = 512;  // a thread's first ones are worth their cost
constexpr std::uint8_t kMostStretched = 6;
constexpr std::uint64_t kCpuShare = 200, kWallShare = 1000;

}  // namespace

std::uint8_t next_stretch(std::uint8_t now, std::uint64_t stacks_ns, std::uint64_t cpu_ns, std::uint64_t wall_ns) {
  const std::uint64_t of_cpu = cpu_ns / kCpuShare, of_wall = wall_ns / kWallShare;
  const std::uint64_t allowed = of_cpu > of_wall ? of_cpu : of_wall;
  if (stacks_ns > allowed) return now < kMostStretched ? now + 1 : now;
  return stacks_ns < allowed / 4 && now > 0 ? now - 1 : now;
}

void note_stack(ThreadState& t, std::uint64_t ns, std::uint64_t now) {
  StackCost& c = local(t).stacks;
  c.ns += ns;
  if (++c.contexts < kUnlooked || c.contexts % kLook != 0) [[likely]]
    return;
  const std::uint64_t cpu = clock::thread_cpu();
  // The first look has nothing to compare with.
  const std::uint8_t next =
      c.seen_ns == 0 ? local(t).stretched : next_stretch(local(t).stretched, c.ns, cpu - c.seen_cpu, now - c.seen_ns);
  c.ns = 0;
  c.seen_cpu = cpu;
  c.seen_ns = now;
  if (next == local(t).stretched) return;
  local(t).stretched = next;
  begin_sampling(t);
}

}  // namespace prof::wait
