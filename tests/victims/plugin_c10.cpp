// PyTorch's allocator and what it reports to, as two versions of libc10 have it: the calls between them can be
// interposed, the totals are signed in one version and not in the other.
#include <cstddef>
#include <cstdint>

struct Device {
  std::int8_t type, index;
};
#define EXPORTED extern "C" __attribute__((visibility("default")))

static long long reported, reported_bytes, refused;

EXPORTED void _ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE(void*, std::int64_t bytes, std::int64_t,
                                                                    std::int64_t, Device) {
  ++reported;
  reported_bytes += bytes;
}
EXPORTED void _ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE(void*, std::int64_t bytes, std::size_t, std::size_t,
                                                                    Device) {
  ++reported;
  reported_bytes += bytes;
}
EXPORTED void _ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE(std::int64_t, std::size_t, std::size_t, Device) {
  ++refused;
}

EXPORTED void report_signed(char* block, long long bytes, long long allocated, long long reserved, int type,
                            int index) {
  _ZN3c1027reportMemoryUsageToProfilerEPvlllNS_6DeviceE(
      block, bytes, allocated, reserved, {static_cast<std::int8_t>(type), static_cast<std::int8_t>(index)});
}
EXPORTED void report_unsigned(char* block, long long bytes, long long allocated, long long reserved, int type,
                              int index) {
  _ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE(
      block, bytes, static_cast<std::size_t>(allocated), static_cast<std::size_t>(reserved),
      {static_cast<std::int8_t>(type), static_cast<std::int8_t>(index)});
}
EXPORTED void report_refusal(long long bytes) {
  _ZN3c1027reportOutOfMemoryToProfilerElmmNS_6DeviceE(bytes, 100, 200, {1, 0});
}
EXPORTED long long reports() { return reported; }
EXPORTED long long report_bytes() { return reported_bytes; }
EXPORTED long long refusals() { return refused; }
