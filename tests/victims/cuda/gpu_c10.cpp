// Where PyTorch's allocators report: does nothing unless a profiler of PyTorch's own runs.
namespace c10 {
struct Device {
  signed char type;
  signed char index;
};
__attribute__((visibility("default"))) long reports = 0;
__attribute__((visibility("default"))) void reportMemoryUsageToProfiler(void*, long, unsigned long, unsigned long,
                                                                        Device device) {
  if (device.type == 1) ++reports;
}
}  // namespace c10

extern "C" __attribute__((visibility("default"))) long c10_reports() { return c10::reports; }
