// What both CUDA programs of gpu_check do, so that their figures are known beforehand.
#pragma once

enum {
  kScales = 2000,       // launches of kernel `scale`
  kSums = 300,          // launches of kernel `sum`
  kBytes = 4 << 20,     // of each copy
  kCopiesIn = 50,       // host to device
  kCopiesOut = 20,      // device to host
  kCopiesWithin = 10,   // device to device
  kSets = 30,           // memory sets
  kGraphLaunches = 25,  // of a graph of kGraphNodes kernels `scale`
  kGraphNodes = 8,
  kTimed = 20000,  // empty launches that are timed
};
