// The fake CUDA driver: modules, launches, streams, events, graphs. A CUfunction is the kernel's name.
#include "tests/fakes/libcuda/cuda.hpp"

using namespace fakegpu;
using driver::Result;

CUDA_API Result cuModuleLoadData(void** module, const void* image) {
  CUDA_CALL(cuModuleLoadData);
  *module = const_cast<void*>(image);
  return scope.done(0);
}

CUDA_API Result cuModuleUnload(void*) {
  CUDA_CALL(cuModuleUnload);
  return scope.done(0);
}

CUDA_API Result cuModuleGetFunction(const char** function, void*, const char* name) {
  CUDA_CALL(cuModuleGetFunction);
  *function = intern(name);
  return scope.done(0);
}

namespace {

struct LaunchConfiguration {  // CUlaunchConfig
  unsigned grid[3], block[3], shared;
  void* stream;
  void* attributes;
  unsigned attribute_count;
};

Result start(Scope& scope, const char* function, const Shape& shape, Stream* stream) {
  if (function == nullptr) return scope.done(driver::kInvalidValue);
  launch(stream, function, shape);
  return scope.done(0);
}

}  // namespace

CUDA_API Result cuLaunchKernel(const char* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                               unsigned bz, unsigned shared, void* stream, void**, void**) {
  CUDA_CALL(cuLaunchKernel);
  return start(scope, function, Shape{{gx, gy, gz}, {bx, by, bz}, shared}, stream_of(stream));
}

CUDA_API Result cuLaunchKernel_ptsz(const char* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                    unsigned by, unsigned bz, unsigned shared, void* stream, void**, void**) {
  CUDA_CALL(cuLaunchKernel_ptsz);
  return start(scope, function, Shape{{gx, gy, gz}, {bx, by, bz}, shared}, stream_of(stream, true));
}

CUDA_API Result cuLaunchCooperativeKernel(const char* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                          unsigned by, unsigned bz, unsigned shared, void* stream, void**) {
  CUDA_CALL(cuLaunchCooperativeKernel);
  return start(scope, function, Shape{{gx, gy, gz}, {bx, by, bz}, shared}, stream_of(stream));
}

CUDA_API Result cuLaunchKernelEx(const LaunchConfiguration* all, const char* function, void**, void**) {
  CUDA_CALL(cuLaunchKernelEx);
  return start(
      scope, function,
      Shape{{all->grid[0], all->grid[1], all->grid[2]}, {all->block[0], all->block[1], all->block[2]}, all->shared},
      stream_of(all->stream));
}

CUDA_API Result cuLaunchHostFunc(void* stream, void (*function)(void*), void* argument) {
  CUDA_CALL(cuLaunchHostFunc);
  Work work;
  work.kind = WorkKind::Host;
  work.body = [=] { function(argument); };
  submit(stream_of(stream), std::move(work));
  return scope.done(0);
}

CUDA_API Result cuStreamCreate(void** to, unsigned) {
  CUDA_CALL(cuStreamCreate);
  *to = make_stream();
  return scope.done(0);
}

CUDA_API Result cuStreamDestroy_v2(void* stream) {
  CUDA_CALL(cuStreamDestroy_v2);
  drop_stream(stream_of(stream));
  return scope.done(0);
}

CUDA_API Result cuStreamSynchronize(void* stream) {
  CUDA_CALL(cuStreamSynchronize);
  synchronize(stream_of(stream));
  return scope.done(0);
}

CUDA_API Result cuStreamQuery(void* stream) {
  CUDA_CALL(cuStreamQuery);
  return scope.done(idle(stream_of(stream)) ? 0 : driver::kNotReady);
}

CUDA_API Result cuStreamWaitEvent(void* stream, Event* event, unsigned) {
  CUDA_CALL(cuStreamWaitEvent);
  wait_for(stream_of(stream), event);
  return scope.done(0);
}

CUDA_API Result cuEventCreate(Event** to, unsigned) {
  CUDA_CALL(cuEventCreate);
  *to = make_event();
  return scope.done(0);
}

CUDA_API Result cuEventDestroy_v2(Event* event) {
  CUDA_CALL(cuEventDestroy_v2);
  drop_event(event);
  return scope.done(0);
}

CUDA_API Result cuEventRecord(Event* event, void* stream) {
  CUDA_CALL(cuEventRecord);
  record(event, stream_of(stream));
  return scope.done(0);
}

CUDA_API Result cuEventQuery(Event* event) {
  CUDA_CALL(cuEventQuery);
  return scope.done(happened(event) ? 0 : driver::kNotReady);
}

CUDA_API Result cuEventSynchronize(Event* event) {
  CUDA_CALL(cuEventSynchronize);
  synchronize(event);
  return scope.done(0);
}

CUDA_API Result cuGraphLaunch(Graph* graph, void* stream) {
  CUDA_CALL(cuGraphLaunch);
  submit_graph(stream_of(stream), *graph);
  return scope.done(0);
}
