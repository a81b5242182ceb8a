// The fake CUDA runtime: what object files register, and launches.
#include "tests/fakes/libcudart/cudart.hpp"

using namespace fakegpu;
using cudart::Dim3;
using cudart::Error;

#define API extern "C" __attribute__((visibility("default")))

namespace fakegpu::cudart {
namespace {

struct Registered {
  std::mutex mutex;
  std::map<const void*, const char*> kernels;
  std::map<const void*, std::pair<std::size_t, void*>> variables;  // size; memory, once it is used
};
Registered& registered() {
  static auto& made = *new Registered;  // outlives what unregisters itself at exit
  return made;
}

struct Configuration {
  Dim3 grid, block;
  std::size_t shared;
  void* stream;
};
thread_local Configuration pushed{};

}  // namespace

const char* kernel_name(const void* stub) {
  const std::lock_guard lock(registered().mutex);
  const auto found = registered().kernels.find(stub);
  return found != registered().kernels.end() ? found->second : nullptr;
}

void* variable(const void* stub) {
  const std::lock_guard lock(registered().mutex);
  const auto found = registered().variables.find(stub);
  if (found == registered().variables.end()) return nullptr;
  auto& [bytes, at] = found->second;
  if (at == nullptr) at = allocate(bytes, Place::Device);
  return at;
}

Error launch_kernel(Scope& scope, const void* stub, const Dim3& grid, const Dim3& block, std::size_t shared,
                    Stream* stream) {
  const char* const name = kernel_name(stub);
  if (name == nullptr) return end(scope, kInvalidFunction);
  CUDART_NESTED(cuLaunchKernel);
  launch(stream, name,
         Shape{{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, static_cast<std::uint32_t>(shared)});
  return end(scope, 0);
}

}  // namespace fakegpu::cudart

API void** __cudaRegisterFatBinary(void* binary) { return new void*(binary); }
API void __cudaRegisterFatBinaryEnd(void**) {}
API void __cudaUnregisterFatBinary(void** handle) { delete handle; }
API char __cudaInitModule(void**) { return 1; }

API void __cudaRegisterFunction(void**, const char* stub, char*, const char* name, int, void*, void*, void*, void*,
                                int*) {
  const std::lock_guard lock(cudart::registered().mutex);
  cudart::registered().kernels[stub] = intern(name);
}

API void __cudaRegisterVar(void**, char* stub, char*, const char*, int, std::size_t bytes, int, int) {
  const std::lock_guard lock(cudart::registered().mutex);
  cudart::registered().variables[stub] = {bytes, nullptr};
}

API unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, std::size_t shared, void* stream) {
  cudart::pushed = {grid, block, shared, stream};
  return 0;
}

API Error __cudaPopCallConfiguration(Dim3* grid, Dim3* block, std::size_t* shared, void* stream) {
  *grid = cudart::pushed.grid;
  *block = cudart::pushed.block;
  *shared = cudart::pushed.shared;
  *static_cast<void**>(stream) = cudart::pushed.stream;
  return 0;
}

API Error cudaLaunchKernel(const void* stub, Dim3 grid, Dim3 block, void**, std::size_t shared, void* stream) {
  CUDART_CALL(cudaLaunchKernel);
  return cudart::launch_kernel(scope, stub, grid, block, shared, stream_of(stream));
}

API Error cudaLaunchKernel_ptsz(const void* stub, Dim3 grid, Dim3 block, void**, std::size_t shared, void* stream) {
  CUDART_CALL(cudaLaunchKernel_ptsz);
  return cudart::launch_kernel(scope, stub, grid, block, shared, stream_of(stream, true));
}

API Error cudaLaunchCooperativeKernel(const void* stub, Dim3 grid, Dim3 block, void**, std::size_t shared,
                                      void* stream) {
  CUDART_CALL(cudaLaunchCooperativeKernel);
  return cudart::launch_kernel(scope, stub, grid, block, shared, stream_of(stream));
}

#if FAKE_CUDART_VERSION >= 12000
namespace {
struct LaunchConfiguration {  // cudaLaunchConfig_t
  Dim3 grid, block;
  std::size_t shared;
  void* stream;
  void* attributes;
  unsigned attribute_count;
};
}  // namespace

API Error cudaLaunchKernelExC(const LaunchConfiguration* all, const void* stub, void**) {
  CUDART_CALL(cudaLaunchKernelExC);
  return cudart::launch_kernel(scope, stub, all->grid, all->block, all->shared, stream_of(all->stream));
}

API Error cudaLaunchKernelExC_ptsz(const LaunchConfiguration* all, const void* stub, void**) {
  CUDART_CALL(cudaLaunchKernelExC_ptsz);
  return cudart::launch_kernel(scope, stub, all->grid, all->block, all->shared, stream_of(all->stream, true));
}
#endif

#if FAKE_CUDART_VERSION >= 13000
// The kernel's handle is its stand-in on the host.
API Error __cudaGetKernel(const void** kernel, const void* stub) {
  *kernel = stub;
  return cudart::kernel_name(stub) != nullptr ? 0 : cudart::kInvalidFunction;
}

API Error __cudaLaunchKernel(const void* kernel, Dim3 grid, Dim3 block, void**, std::size_t shared, void* stream) {
  CUDART_CALL(__cudaLaunchKernel);
  return cudart::launch_kernel(scope, kernel, grid, block, shared, stream_of(stream));
}

API Error __cudaLaunchKernel_ptsz(const void* kernel, Dim3 grid, Dim3 block, void**, std::size_t shared, void* stream) {
  CUDART_CALL(__cudaLaunchKernel_ptsz);
  return cudart::launch_kernel(scope, kernel, grid, block, shared, stream_of(stream, true));
}
#endif

API Error cudaLaunchHostFunc(void* stream, void (*function)(void*), void* argument) {
  CUDART_CALL(cudaLaunchHostFunc);
  Work work;
  work.kind = WorkKind::Host;
  work.body = [=] { function(argument); };
  submit(stream_of(stream), std::move(work));
  return cudart::end(scope, 0);
}

API Error cudaFuncGetAttributes(void*, const void* stub) {
  CUDART_CALL(cudaFuncGetAttributes);
  return cudart::end(scope, cudart::kernel_name(stub) != nullptr ? 0 : cudart::kInvalidFunction);
}

API Error cudaFuncSetAttribute(const void* stub, int, int) {
  CUDART_CALL(cudaFuncSetAttribute);
  return cudart::end(scope, cudart::kernel_name(stub) != nullptr ? 0 : cudart::kInvalidFunction);
}
