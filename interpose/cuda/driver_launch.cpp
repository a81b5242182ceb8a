// What gives a device work through the CUDA driver, other than copies; and code: modules and libraries.
#include "interpose/cuda/driver.hpp"

using namespace prof::gpu;

PROF_CUDA_PER_THREAD(_ptsz, cuLaunchKernel, Launch,
                     (void* kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned shared, void* stream, void** args, void** extra),
                     (kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, args, extra), )
PROF_CUDA_PER_THREAD(_ptsz, cuLaunchKernelEx, Launch, (const void* config, void* kernel, void** args, void** extra),
                     (config, kernel, args, extra), )
PROF_CUDA_PER_THREAD(_ptsz, cuLaunchCooperativeKernel, Launch,
                     (void* kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                      unsigned block_y, unsigned block_z, unsigned shared, void* stream, void** args),
                     (kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, args), )
PROF_CUDA_ANY(cuLaunchCooperativeKernelMultiDevice, Launch, (void* launches, unsigned count, unsigned flags),
              (launches, count, flags), )
PROF_CUDA_ANY(cuLaunch, Launch, (void* kernel), (kernel), )
PROF_CUDA_ANY(cuLaunchGrid, Launch, (void* kernel, int width, int height), (kernel, width, height), )
PROF_CUDA_ANY(cuLaunchGridAsync, Launch, (void* kernel, int width, int height, void* stream),
              (kernel, width, height, stream), )
PROF_CUDA_PER_THREAD(_ptsz, cuGraphLaunch, Launch, (void* graph, void* stream), (graph, stream), )
PROF_CUDA_PER_THREAD(_ptsz, cuGraphUpload, Launch, (void* graph, void* stream), (graph, stream), )
PROF_CUDA_PER_THREAD(_ptsz, cuLaunchHostFunc, Launch, (void* stream, void (*function)(void*), void* data),
                     (stream, function, data), )
PROF_CUDA_PER_THREAD(_ptsz, cuStreamAddCallback, Launch,
                     (void* stream, void (*callback)(void*, int, void*), void* data, unsigned flags),
                     (stream, callback, data, flags), )

PROF_CUDA(cuGraphInstantiateWithFlags, Setup, (void** executable, void* graph, unsigned long long flags),
          (executable, graph, flags), )
PROF_CUDA_ANY(cuGraphInstantiate_v2, Setup, (void** executable, void* graph, void* node, char* messages, size_t room),
              (executable, graph, node, messages, room), )
PROF_CUDA_PER_THREAD(_ptsz, cuGraphInstantiateWithParams, Setup, (void** executable, void* graph, void* params),
                     (executable, graph, params), )
PROF_CUDA_ANY(cuGraphExecUpdate_v2, Setup, (void* executable, void* graph, void* info), (executable, graph, info), )
PROF_CUDA(cuGraphExecDestroy, Setup, (void* executable), (executable), )
PROF_CUDA(cuGraphCreate, Setup, (void** graph, unsigned flags), (graph, flags), )
PROF_CUDA(cuGraphDestroy, Setup, (void* graph), (graph), )
PROF_CUDA_PER_THREAD(_ptsz, cuStreamBeginCapture_v2, Setup, (void* stream, int mode), (stream, mode), )
PROF_CUDA_PER_THREAD(_ptsz, cuStreamEndCapture, Setup, (void* stream, void** graph), (stream, graph), )
PROF_CUDA_PER_THREAD(_ptsz, cuStreamIsCapturing, Plain, (void* stream, int* status), (stream, status), )

PROF_CUDA(cuModuleLoad, Setup, (void** module, const char* path), (module, path), )
PROF_CUDA(cuModuleLoadData, Setup, (void** module, const void* image), (module, image), )
PROF_CUDA(cuModuleLoadDataEx, Setup, (void** module, const void* image, unsigned count, int* options, void** values),
          (module, image, count, options, values), )
PROF_CUDA(cuModuleLoadFatBinary, Setup, (void** module, const void* image), (module, image), )
PROF_CUDA(cuModuleUnload, Setup, (void* module), (module), )
PROF_CUDA(cuModuleGetFunction, Setup, (void** kernel, void* module, const char* name), (kernel, module, name), )
PROF_CUDA(cuModuleGetGlobal_v2, Setup, (DevicePtr * block, size_t* bytes, void* module, const char* name),
          (block, bytes, module, name), )
PROF_CUDA(cuLinkCreate_v2, Setup, (unsigned count, int* options, void** values, void** state),
          (count, options, values, state), )
PROF_CUDA(cuLinkAddData_v2, Setup,
          (void* state, int type, void* data, size_t bytes, const char* name, unsigned count, int* options,
           void** values),
          (state, type, data, bytes, name, count, options, values), )
PROF_CUDA(cuLinkComplete, Setup, (void* state, void** code, size_t* bytes), (state, code, bytes), )
PROF_CUDA(cuLinkDestroy, Setup, (void* state), (state), )
PROF_CUDA_ANY(cuLibraryLoadData, Setup,
              (void** library, const void* code, void* jit, void* jit_values, unsigned jit_count, void* options,
               void* values, unsigned count),
              (library, code, jit, jit_values, jit_count, options, values, count), )
PROF_CUDA_ANY(cuLibraryLoadFromFile, Setup,
              (void** library, const char* path, void* jit, void* jit_values, unsigned jit_count, void* options,
               void* values, unsigned count),
              (library, path, jit, jit_values, jit_count, options, values, count), )
PROF_CUDA_ANY(cuLibraryUnload, Setup, (void* library), (library), )
PROF_CUDA_ANY(cuLibraryGetKernel, Setup, (void** kernel, void* library, const char* name), (kernel, library, name), )
PROF_CUDA_ANY(cuLibraryGetModule, Setup, (void** module, void* library), (module, library), )

PROF_CUDA(cuFuncGetAttribute, Plain, (int* value, int attribute, void* kernel), (value, attribute, kernel), )
PROF_CUDA(cuFuncSetAttribute, Plain, (void* kernel, int attribute, int value), (kernel, attribute, value), )
PROF_CUDA(cuFuncSetCacheConfig, Plain, (void* kernel, int config), (kernel, config), )
PROF_CUDA(cuOccupancyMaxActiveBlocksPerMultiprocessor, Plain,
          (int* blocks, void* kernel, int block_size, size_t shared), (blocks, kernel, block_size, shared), )
