// libnvidia-ml.so.1, found at run time: its functions and structures in declarations of our own, which a
// test compares with the real header where that is installed.
#pragma once

#include <cstdint>

namespace prof::gpu::nvml {

struct Handle;  // a device's

constexpr int kSuccess = 0;
constexpr unsigned kSmClock = 1, kMemoryClock = 2, kGpuSensor = 0;

struct Memory {
  unsigned long long total, free, used;
};
struct Utilization {
  unsigned gpu, memory;  // percent
};
struct ProcessInfo {
  unsigned pid;
  unsigned long long used;  // bytes; all ones: not to be had
  unsigned instance, compute_instance;
};

// Null: this version of the library does not have it.
struct Functions {
  int (*init)();
  const char* (*error_string)(int);
  int (*count)(unsigned*);
  int (*by_index)(unsigned, Handle**);
  int (*by_uuid)(const char*, Handle**);
  int (*name)(Handle*, char*, unsigned);
  int (*memory)(Handle*, Memory*);
  int (*utilization)(Handle*, Utilization*);
  int (*power)(Handle*, unsigned*);             // mW
  int (*energy)(Handle*, unsigned long long*);  // mJ
  int (*temperature)(Handle*, unsigned sensor, unsigned*);
  int (*clock)(Handle*, unsigned which, unsigned*);  // MHz
  int (*max_clock)(Handle*, unsigned which, unsigned*);
  int (*bus_width)(Handle*, unsigned*);
  int (*processes)(Handle*, unsigned* count, ProcessInfo*);
};

// Loads the library and initialises it. Null, or why that was not possible. Ordinary code; allocates.
const char* load(Functions& functions);

}  // namespace prof::gpu::nvml
