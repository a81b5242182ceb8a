// What the user asked for: the values of the PROF_... environment variables, with their defaults. option_table.hpp says
// how each is written.
#pragma once

#include <cstdint>

#include "agent/contract/format.hpp"
#include "agent/contract/schedule.hpp"

namespace prof {

enum class TicksChoice : std::uint32_t { Auto, Timer, Perf };

// What is recorded of Python programs.
enum class PythonMode : std::uint32_t {
  Off,
  Frames,  // Python frames in sampled stacks
  Calls,   // and every call, exactly
  Lines,   // and every line of chosen functions, exactly
};

// What is recorded of CUDA.
enum class CudaMode : std::uint32_t {
  Off,
  Host,    // calls on the host alone: CUPTI and NVML are left alone
  Device,  // and what the devices do, through CUPTI
};

enum class Choice : std::uint32_t { Auto, On, Off };

inline constexpr std::uint64_t kWaitThreshold = 1000;

struct Options {
  std::uint32_t cpu_hz = 100;        // 0: no CPU samples
  std::uint32_t cpu_hz_first = 200;  // of a thread's first seconds; equal to cpu_hz when the user fixed it
  TicksChoice ticks = TicksChoice::Auto;
  log::HeapMode heap = log::HeapMode::Sampled;
  std::uint64_t heap_interval = 512 << 10;       // bytes
  std::uint64_t heap_interval_first = 16 << 10;  // bytes; equal to heap_interval when the user fixed it
  std::uint32_t depth = 128;                     // frames
  bool children = true;
  bool command_lines = true;
  bool quiet = false;
  bool wait = true;           // blocking calls, files and locks are recorded
  std::uint64_t log_max = 0;  // bytes; 0: as described in docs/options.md
  std::uint64_t log_limit() const {
    return log_max != 0 ? log_max : (heap == log::HeapMode::Exact ? 256ULL << 20 : 64ULL << 20) + trace_bytes;
  }
  std::uint64_t seed = 0;  // of the sampling gaps, for repeatable runs; 0: another one each time
  bool out_given = false;  // PROF_OUT was set
  bool libunwind = false;  // PROF_UNWINDER=libunwind
  PythonMode python = PythonMode::Frames;
  bool python_alloc = false;                      // Python's own allocators are recorded too
  bool java = true;                               // methods that a Java VM compiles have names
  bool js = false;                                // Node is asked to list what it compiles
  bool dotnet = false;                            // the same of .NET
  bool lua = false;                               // the same of LuaJIT
  bool pypy = false;                              // the same of PyPy
  bool copies = true;                             // memcpy and its family are recorded
  std::uint64_t wait_threshold = kWaitThreshold;  // ns; shorter blocking calls are not in the trace
  CudaMode cuda = CudaMode::Device;
  bool cuda_given = false;               // PROF_CUDA was set
  bool cuda_graph_nodes = false;         // each kernel of a CUDA graph by itself, not the graph as one
  Choice cuda_callbacks = Choice::Auto;  // CUPTI's callbacks, for launches that no interposed function sees
  bool ranges = true;                    // NVTX and ITT
  bool operators = true;                 // of PyTorch
  bool operator_shapes = false;          // with the shapes of their inputs
  bool operator_memory = false;          // and the memory of their tensors on the host
  bool operator_flops = false;           // and their floating point operations
  bool operator_stacks = false;          // below the Python frames that called them
  std::uint64_t trace_bytes = 0;         // of the ring; 0: no trace
  std::uint64_t delay_ms = 0;            // from the start of the program until recording begins
  std::uint64_t duration_ms = 0;         // of recording; 0: to the end
  std::uint64_t window_from = 0;         // CLOCK_MONOTONIC ns that both count from; 0: this program's start
  bool stop_on_exit = false;             // the program is ended when recording ends
  bool steps = true;                     // of a training loop, or of any other
  steps::Schedule schedule;              // of details; active == 0: always
  char step[256] = {};                   // PROF_STEP=NAME or nvtx:TEXT; empty: they are found
  char capture_range[256] = {};          // PROF_CAPTURE_RANGE=cudaProfilerApi or nvtx:TEXT; empty: all is recorded
  char cupti[1024] = {};                 // PROF_CUPTI=path of libcupti; empty: it is looked for
  char python_lines[512] = {};           // PROF_PYTHON=lines:PATTERN[,PATTERN...]; empty: the program's own files
  char watch[512] = {};                  // PROF_WATCH=PATTERN[,PATTERN...]; empty: nothing
  char out[4000] = {};                   // PROF_OUT as given
  char run[4040] = {};                   // PROF_RUN as inherited
};

}  // namespace prof
