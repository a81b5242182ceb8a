// The numbers that CUPTI gives to the functions that the fakes have.
#pragma once

#include <cstdint>

namespace fakegpu::cbid {

namespace runtime {
inline constexpr std::uint32_t cudaDriverGetVersion = 1;
inline constexpr std::uint32_t cudaRuntimeGetVersion = 2;
inline constexpr std::uint32_t cudaGetDeviceCount = 3;
inline constexpr std::uint32_t cudaGetDeviceProperties = 4;
inline constexpr std::uint32_t cudaGetLastError = 10;
inline constexpr std::uint32_t cudaPeekAtLastError = 11;
inline constexpr std::uint32_t cudaFuncGetAttributes = 15;
inline constexpr std::uint32_t cudaSetDevice = 16;
inline constexpr std::uint32_t cudaGetDevice = 17;
inline constexpr std::uint32_t cudaMalloc = 20;
inline constexpr std::uint32_t cudaMallocPitch = 21;
inline constexpr std::uint32_t cudaFree = 22;
inline constexpr std::uint32_t cudaMallocHost = 25;
inline constexpr std::uint32_t cudaFreeHost = 26;
inline constexpr std::uint32_t cudaHostAlloc = 27;
inline constexpr std::uint32_t cudaMemGetInfo = 30;
inline constexpr std::uint32_t cudaMemcpy = 31;
inline constexpr std::uint32_t cudaMemcpy2D = 32;
inline constexpr std::uint32_t cudaMemcpyToSymbol = 39;
inline constexpr std::uint32_t cudaMemcpyFromSymbol = 40;
inline constexpr std::uint32_t cudaMemcpyAsync = 41;
inline constexpr std::uint32_t cudaMemcpy2DAsync = 44;
inline constexpr std::uint32_t cudaMemset = 49;
inline constexpr std::uint32_t cudaMemset2D = 50;
inline constexpr std::uint32_t cudaMemsetAsync = 51;
inline constexpr std::uint32_t cudaStreamCreate = 129;
inline constexpr std::uint32_t cudaStreamDestroy = 130;
inline constexpr std::uint32_t cudaStreamSynchronize = 131;
inline constexpr std::uint32_t cudaStreamQuery = 132;
inline constexpr std::uint32_t cudaEventCreate = 133;
inline constexpr std::uint32_t cudaEventCreateWithFlags = 134;
inline constexpr std::uint32_t cudaEventRecord = 135;
inline constexpr std::uint32_t cudaEventDestroy = 136;
inline constexpr std::uint32_t cudaEventSynchronize = 137;
inline constexpr std::uint32_t cudaEventQuery = 138;
inline constexpr std::uint32_t cudaEventElapsedTime = 139;
inline constexpr std::uint32_t cudaMemcpy3D = 144;
inline constexpr std::uint32_t cudaMemcpy3DAsync = 145;
inline constexpr std::uint32_t cudaStreamWaitEvent = 147;
inline constexpr std::uint32_t cudaPointerGetAttributes = 151;
inline constexpr std::uint32_t cudaHostRegister = 152;
inline constexpr std::uint32_t cudaHostUnregister = 153;
inline constexpr std::uint32_t cudaDeviceCanAccessPeer = 154;
inline constexpr std::uint32_t cudaDeviceEnablePeerAccess = 155;
inline constexpr std::uint32_t cudaMemcpyPeer = 160;
inline constexpr std::uint32_t cudaMemcpyPeerAsync = 161;
inline constexpr std::uint32_t cudaDeviceReset = 164;
inline constexpr std::uint32_t cudaDeviceSynchronize = 165;
inline constexpr std::uint32_t cudaDeviceSetLimit = 167;
inline constexpr std::uint32_t cudaProfilerStart = 171;
inline constexpr std::uint32_t cudaProfilerStop = 172;
inline constexpr std::uint32_t cudaStreamCreateWithFlags = 198;
inline constexpr std::uint32_t cudaDeviceGetAttribute = 200;
inline constexpr std::uint32_t cudaStreamCreateWithPriority = 202;
inline constexpr std::uint32_t cudaDeviceGetStreamPriorityRange = 205;
inline constexpr std::uint32_t cudaMallocManaged = 206;
inline constexpr std::uint32_t cudaLaunchKernel = 211;
inline constexpr std::uint32_t cudaLaunchKernel_ptsz = 214;
inline constexpr std::uint32_t cudaMemcpy_ptds = 215;
inline constexpr std::uint32_t cudaMemcpyAsync_ptsz = 225;
inline constexpr std::uint32_t cudaMemset_ptds = 233;
inline constexpr std::uint32_t cudaMemsetAsync_ptsz = 235;
inline constexpr std::uint32_t cudaStreamSynchronize_ptsz = 239;
inline constexpr std::uint32_t cudaEventRecord_ptsz = 242;
inline constexpr std::uint32_t cudaLaunchCooperativeKernel = 269;
inline constexpr std::uint32_t cudaFuncSetAttribute = 273;
inline constexpr std::uint32_t cudaLaunchHostFunc = 284;
inline constexpr std::uint32_t cudaGraphCreate = 286;
inline constexpr std::uint32_t cudaGraphAddKernelNode = 289;
inline constexpr std::uint32_t cudaGraphInstantiate = 310;
inline constexpr std::uint32_t cudaGraphLaunch = 311;
inline constexpr std::uint32_t cudaGraphLaunch_ptsz = 312;
inline constexpr std::uint32_t cudaGraphExecDestroy = 313;
inline constexpr std::uint32_t cudaGraphDestroy = 314;
inline constexpr std::uint32_t cudaStreamBeginCapture = 315;
inline constexpr std::uint32_t cudaStreamIsCapturing = 317;
inline constexpr std::uint32_t cudaStreamEndCapture = 319;
inline constexpr std::uint32_t cudaGraphUpload = 348;
inline constexpr std::uint32_t cudaDeviceGetDefaultMemPool = 372;
inline constexpr std::uint32_t cudaMallocAsync = 373;
inline constexpr std::uint32_t cudaMallocAsync_ptsz = 374;
inline constexpr std::uint32_t cudaFreeAsync = 375;
inline constexpr std::uint32_t cudaFreeAsync_ptsz = 376;
inline constexpr std::uint32_t cudaMemPoolTrimTo = 377;
inline constexpr std::uint32_t cudaMallocFromPoolAsync = 391;
inline constexpr std::uint32_t cudaGraphInstantiateWithFlags = 418;
inline constexpr std::uint32_t cudaLaunchKernelExC = 430;
inline constexpr std::uint32_t cudaLaunchKernelExC_ptsz = 431;
inline constexpr std::uint32_t cudaGetDeviceProperties_v2 = 440;
inline constexpr std::uint32_t __cudaLaunchKernel = 505;
inline constexpr std::uint32_t __cudaLaunchKernel_ptsz = 506;
struct Name {
  std::uint32_t id;
  const char* name;
};
inline constexpr Name kNames[] = {
    {1, "cudaDriverGetVersion_v3020"},
    {2, "cudaRuntimeGetVersion_v3020"},
    {3, "cudaGetDeviceCount_v3020"},
    {4, "cudaGetDeviceProperties_v3020"},
    {10, "cudaGetLastError_v3020"},
    {11, "cudaPeekAtLastError_v3020"},
    {15, "cudaFuncGetAttributes_v3020"},
    {16, "cudaSetDevice_v3020"},
    {17, "cudaGetDevice_v3020"},
    {20, "cudaMalloc_v3020"},
    {21, "cudaMallocPitch_v3020"},
    {22, "cudaFree_v3020"},
    {25, "cudaMallocHost_v3020"},
    {26, "cudaFreeHost_v3020"},
    {27, "cudaHostAlloc_v3020"},
    {30, "cudaMemGetInfo_v3020"},
    {31, "cudaMemcpy_v3020"},
    {32, "cudaMemcpy2D_v3020"},
    {39, "cudaMemcpyToSymbol_v3020"},
    {40, "cudaMemcpyFromSymbol_v3020"},
    {41, "cudaMemcpyAsync_v3020"},
    {44, "cudaMemcpy2DAsync_v3020"},
    {49, "cudaMemset_v3020"},
    {50, "cudaMemset2D_v3020"},
    {51, "cudaMemsetAsync_v3020"},
    {129, "cudaStreamCreate_v3020"},
    {130, "cudaStreamDestroy_v3020"},
    {131, "cudaStreamSynchronize_v3020"},
    {132, "cudaStreamQuery_v3020"},
    {133, "cudaEventCreate_v3020"},
    {134, "cudaEventCreateWithFlags_v3020"},
    {135, "cudaEventRecord_v3020"},
    {136, "cudaEventDestroy_v3020"},
    {137, "cudaEventSynchronize_v3020"},
    {138, "cudaEventQuery_v3020"},
    {139, "cudaEventElapsedTime_v3020"},
    {144, "cudaMemcpy3D_v3020"},
    {145, "cudaMemcpy3DAsync_v3020"},
    {147, "cudaStreamWaitEvent_v3020"},
    {151, "cudaPointerGetAttributes_v4000"},
    {152, "cudaHostRegister_v4000"},
    {153, "cudaHostUnregister_v4000"},
    {154, "cudaDeviceCanAccessPeer_v4000"},
    {155, "cudaDeviceEnablePeerAccess_v4000"},
    {160, "cudaMemcpyPeer_v4000"},
    {161, "cudaMemcpyPeerAsync_v4000"},
    {164, "cudaDeviceReset_v3020"},
    {165, "cudaDeviceSynchronize_v3020"},
    {167, "cudaDeviceSetLimit_v3020"},
    {171, "cudaProfilerStart_v4000"},
    {172, "cudaProfilerStop_v4000"},
    {198, "cudaStreamCreateWithFlags_v5000"},
    {200, "cudaDeviceGetAttribute_v5000"},
    {202, "cudaStreamCreateWithPriority_v5050"},
    {205, "cudaDeviceGetStreamPriorityRange_v5050"},
    {206, "cudaMallocManaged_v6000"},
    {211, "cudaLaunchKernel_v7000"},
    {214, "cudaLaunchKernel_ptsz_v7000"},
    {215, "cudaMemcpy_ptds_v7000"},
    {225, "cudaMemcpyAsync_ptsz_v7000"},
    {233, "cudaMemset_ptds_v7000"},
    {235, "cudaMemsetAsync_ptsz_v7000"},
    {239, "cudaStreamSynchronize_ptsz_v7000"},
    {242, "cudaEventRecord_ptsz_v7000"},
    {269, "cudaLaunchCooperativeKernel_v9000"},
    {273, "cudaFuncSetAttribute_v9000"},
    {284, "cudaLaunchHostFunc_v10000"},
    {286, "cudaGraphCreate_v10000"},
    {289, "cudaGraphAddKernelNode_v10000"},
    {310, "cudaGraphInstantiate_v10000"},
    {311, "cudaGraphLaunch_v10000"},
    {312, "cudaGraphLaunch_ptsz_v10000"},
    {313, "cudaGraphExecDestroy_v10000"},
    {314, "cudaGraphDestroy_v10000"},
    {315, "cudaStreamBeginCapture_v10000"},
    {317, "cudaStreamIsCapturing_v10000"},
    {319, "cudaStreamEndCapture_v10000"},
    {348, "cudaGraphUpload_v10000"},
    {372, "cudaDeviceGetDefaultMemPool_v11020"},
    {373, "cudaMallocAsync_v11020"},
    {374, "cudaMallocAsync_ptsz_v11020"},
    {375, "cudaFreeAsync_v11020"},
    {376, "cudaFreeAsync_ptsz_v11020"},
    {377, "cudaMemPoolTrimTo_v11020"},
    {391, "cudaMallocFromPoolAsync_v11020"},
    {418, "cudaGraphInstantiateWithFlags_v11040"},
    {430, "cudaLaunchKernelExC_v11060"},
    {431, "cudaLaunchKernelExC_ptsz_v11060"},
    {440, "cudaGetDeviceProperties_v12000"},
    {505, "__cudaLaunchKernel_v13000"},
    {506, "__cudaLaunchKernel_ptsz_v13000"},
};
}  // namespace runtime

namespace driver {
inline constexpr std::uint32_t cuInit = 1;
inline constexpr std::uint32_t cuDeviceGet = 3;
inline constexpr std::uint32_t cuDeviceGetCount = 4;
inline constexpr std::uint32_t cuDeviceGetName = 5;
inline constexpr std::uint32_t cuDeviceGetAttribute = 9;
inline constexpr std::uint32_t cuCtxGetDevice = 16;
inline constexpr std::uint32_t cuCtxSynchronize = 17;
inline constexpr std::uint32_t cuModuleLoadData = 19;
inline constexpr std::uint32_t cuModuleUnload = 22;
inline constexpr std::uint32_t cuModuleGetFunction = 23;
inline constexpr std::uint32_t cuMemFreeHost = 38;
inline constexpr std::uint32_t cuEventCreate = 118;
inline constexpr std::uint32_t cuEventRecord = 119;
inline constexpr std::uint32_t cuEventQuery = 120;
inline constexpr std::uint32_t cuEventSynchronize = 121;
inline constexpr std::uint32_t cuStreamCreate = 124;
inline constexpr std::uint32_t cuStreamQuery = 125;
inline constexpr std::uint32_t cuStreamSynchronize = 126;
inline constexpr std::uint32_t cuMemsetD8Async = 216;
inline constexpr std::uint32_t cuMemsetD32Async = 220;
inline constexpr std::uint32_t cuCtxCreate_v2 = 235;
inline constexpr std::uint32_t cuMemGetInfo_v2 = 242;
inline constexpr std::uint32_t cuMemAlloc_v2 = 243;
inline constexpr std::uint32_t cuMemFree_v2 = 245;
inline constexpr std::uint32_t cuMemsetD8_v2 = 249;
inline constexpr std::uint32_t cuMemsetD32_v2 = 251;
inline constexpr std::uint32_t cuDeviceTotalMem_v2 = 259;
inline constexpr std::uint32_t cuMemcpyHtoD_v2 = 276;
inline constexpr std::uint32_t cuMemcpyHtoDAsync_v2 = 277;
inline constexpr std::uint32_t cuMemcpyDtoH_v2 = 278;
inline constexpr std::uint32_t cuMemcpyDtoHAsync_v2 = 279;
inline constexpr std::uint32_t cuMemcpyDtoD_v2 = 280;
inline constexpr std::uint32_t cuMemcpyDtoDAsync_v2 = 281;
inline constexpr std::uint32_t cuMemAllocHost_v2 = 294;
inline constexpr std::uint32_t cuStreamWaitEvent = 295;
inline constexpr std::uint32_t cuCtxSetCurrent = 303;
inline constexpr std::uint32_t cuCtxGetCurrent = 304;
inline constexpr std::uint32_t cuMemcpy = 305;
inline constexpr std::uint32_t cuMemcpyAsync = 306;
inline constexpr std::uint32_t cuLaunchKernel = 307;
inline constexpr std::uint32_t cuCtxDestroy_v2 = 322;
inline constexpr std::uint32_t cuCtxPushCurrent_v2 = 323;
inline constexpr std::uint32_t cuCtxPopCurrent_v2 = 324;
inline constexpr std::uint32_t cuEventDestroy_v2 = 325;
inline constexpr std::uint32_t cuStreamDestroy_v2 = 326;
inline constexpr std::uint32_t cuMemAllocManaged = 371;
inline constexpr std::uint32_t cuDevicePrimaryCtxRetain = 386;
inline constexpr std::uint32_t cuDevicePrimaryCtxGetState = 392;
inline constexpr std::uint32_t cuLaunchKernel_ptsz = 442;
inline constexpr std::uint32_t cuLaunchCooperativeKernel = 477;
inline constexpr std::uint32_t cuDeviceGetUuid = 482;
inline constexpr std::uint32_t cuGraphLaunch = 514;
inline constexpr std::uint32_t cuLaunchHostFunc = 527;
inline constexpr std::uint32_t cuDevicePrimaryCtxRelease_v2 = 544;
inline constexpr std::uint32_t cuMemAllocAsync = 598;
inline constexpr std::uint32_t cuMemFreeAsync = 600;
inline constexpr std::uint32_t cuDeviceGetUuid_v2 = 647;
inline constexpr std::uint32_t cuLaunchKernelEx = 652;
struct Name {
  std::uint32_t id;
  const char* name;
};
inline constexpr Name kNames[] = {
    {1, "cuInit"},
    {3, "cuDeviceGet"},
    {4, "cuDeviceGetCount"},
    {5, "cuDeviceGetName"},
    {9, "cuDeviceGetAttribute"},
    {16, "cuCtxGetDevice"},
    {17, "cuCtxSynchronize"},
    {19, "cuModuleLoadData"},
    {22, "cuModuleUnload"},
    {23, "cuModuleGetFunction"},
    {38, "cuMemFreeHost"},
    {118, "cuEventCreate"},
    {119, "cuEventRecord"},
    {120, "cuEventQuery"},
    {121, "cuEventSynchronize"},
    {124, "cuStreamCreate"},
    {125, "cuStreamQuery"},
    {126, "cuStreamSynchronize"},
    {216, "cuMemsetD8Async"},
    {220, "cuMemsetD32Async"},
    {235, "cuCtxCreate_v2"},
    {242, "cuMemGetInfo_v2"},
    {243, "cuMemAlloc_v2"},
    {245, "cuMemFree_v2"},
    {249, "cuMemsetD8_v2"},
    {251, "cuMemsetD32_v2"},
    {259, "cuDeviceTotalMem_v2"},
    {276, "cuMemcpyHtoD_v2"},
    {277, "cuMemcpyHtoDAsync_v2"},
    {278, "cuMemcpyDtoH_v2"},
    {279, "cuMemcpyDtoHAsync_v2"},
    {280, "cuMemcpyDtoD_v2"},
    {281, "cuMemcpyDtoDAsync_v2"},
    {294, "cuMemAllocHost_v2"},
    {295, "cuStreamWaitEvent"},
    {303, "cuCtxSetCurrent"},
    {304, "cuCtxGetCurrent"},
    {305, "cuMemcpy"},
    {306, "cuMemcpyAsync"},
    {307, "cuLaunchKernel"},
    {322, "cuCtxDestroy_v2"},
    {323, "cuCtxPushCurrent_v2"},
    {324, "cuCtxPopCurrent_v2"},
    {325, "cuEventDestroy_v2"},
    {326, "cuStreamDestroy_v2"},
    {371, "cuMemAllocManaged"},
    {386, "cuDevicePrimaryCtxRetain"},
    {392, "cuDevicePrimaryCtxGetState"},
    {442, "cuLaunchKernel_ptsz"},
    {477, "cuLaunchCooperativeKernel"},
    {482, "cuDeviceGetUuid"},
    {514, "cuGraphLaunch"},
    {527, "cuLaunchHostFunc"},
    {544, "cuDevicePrimaryCtxRelease_v2"},
    {598, "cuMemAllocAsync"},
    {600, "cuMemFreeAsync"},
    {647, "cuDeviceGetUuid_v2"},
    {652, "cuLaunchKernelEx"},
};
}  // namespace driver
}  // namespace fakegpu::cbid
