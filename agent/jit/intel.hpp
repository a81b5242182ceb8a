// Intel's JIT profiling interface: oneDNN, OpenVINO, LLVM, PyPy and others announce each function that they make to the
// library that INTEL_JIT_PROFILER64 names. That is libprof_jit.so, beside libprof.so: the functions that it must have
// are called Initialize and NotifyEvent, and no library whose names precede all others may have such.
#pragma once

namespace prof::jit {

// An event, with its data. Others than the beginning and the end of a function are ignored. Ordinary code.
// Source: jitprofiling.h of Intel's ITT API: iJIT_JVM_EVENT, iJIT_Method_Load and its later versions, which begin
// alike.
void announced(int event, const void* data);

}  // namespace prof::jit
