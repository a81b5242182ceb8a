// The structures of interpose/cuda/layouts.hpp are laid out as the real ones.
#include <cuda.h>
#include <cuda_runtime_api.h>

#include "interpose/cuda/layouts.hpp"

using namespace prof::gpu;

#define SAME_SIZE(Ours, Theirs) static_assert(sizeof(Ours) == sizeof(Theirs) && alignof(Ours) == alignof(Theirs))
#define SAME_PLACE(Ours, field, Theirs, theirs)                      \
  static_assert(offsetof(Ours, field) == offsetof(Theirs, theirs) && \
                sizeof(decltype(Ours::field)) == sizeof(decltype(Theirs::theirs)))

SAME_SIZE(Dim3, dim3);
SAME_SIZE(Extent, cudaExtent);
SAME_PLACE(Extent, width, cudaExtent, width);
SAME_PLACE(Extent, height, cudaExtent, height);
SAME_PLACE(Extent, depth, cudaExtent, depth);
SAME_SIZE(PitchedPtr, cudaPitchedPtr);
SAME_PLACE(PitchedPtr, ptr, cudaPitchedPtr, ptr);
SAME_PLACE(PitchedPtr, pitch, cudaPitchedPtr, pitch);
SAME_SIZE(ChannelFormat, cudaChannelFormatDesc);
SAME_PLACE(ChannelFormat, w, cudaChannelFormatDesc, w);
static_assert(sizeof(IpcHandle) == sizeof(cudaIpcMemHandle_t) && sizeof(IpcHandle) == sizeof(cudaIpcEventHandle_t) &&
              sizeof(IpcHandle) == sizeof(CUipcMemHandle));

SAME_SIZE(Copy3D, cudaMemcpy3DParms);
SAME_PLACE(Copy3D, from, cudaMemcpy3DParms, srcPtr);
SAME_PLACE(Copy3D, to, cudaMemcpy3DParms, dstPtr);
SAME_PLACE(Copy3D, extent, cudaMemcpy3DParms, extent);
SAME_PLACE(Copy3D, kind, cudaMemcpy3DParms, kind);
SAME_SIZE(PeerCopy3D, cudaMemcpy3DPeerParms);
SAME_PLACE(PeerCopy3D, to, cudaMemcpy3DPeerParms, dstPtr);
SAME_PLACE(PeerCopy3D, extent, cudaMemcpy3DPeerParms, extent);
SAME_SIZE(Copy3DOfBatch, cudaMemcpy3DBatchOp);
SAME_PLACE(Copy3DOfBatch, from, cudaMemcpy3DBatchOp, src);
SAME_PLACE(Copy3DOfBatch, to, cudaMemcpy3DBatchOp, dst);
SAME_PLACE(Copy3DOfBatch, extent, cudaMemcpy3DBatchOp, extent);

SAME_SIZE(DriverCopy2D, CUDA_MEMCPY2D);
SAME_PLACE(DriverCopy2D, width_bytes, CUDA_MEMCPY2D, WidthInBytes);
SAME_PLACE(DriverCopy2D, height, CUDA_MEMCPY2D, Height);
SAME_SIZE(DriverCopy3D, CUDA_MEMCPY3D);
SAME_PLACE(DriverCopy3D, width_bytes, CUDA_MEMCPY3D, WidthInBytes);
SAME_PLACE(DriverCopy3D, depth, CUDA_MEMCPY3D, Depth);
SAME_SIZE(DriverCopy3D, CUDA_MEMCPY3D_PEER);
SAME_PLACE(DriverCopy3D, width_bytes, CUDA_MEMCPY3D_PEER, WidthInBytes);
SAME_PLACE(DriverCopy3D, depth, CUDA_MEMCPY3D_PEER, Depth);
SAME_SIZE(DriverArray, CUDA_ARRAY_DESCRIPTOR);
SAME_PLACE(DriverArray, height, CUDA_ARRAY_DESCRIPTOR, Height);
SAME_PLACE(DriverArray, channels, CUDA_ARRAY_DESCRIPTOR, NumChannels);
SAME_SIZE(DriverArray3D, CUDA_ARRAY3D_DESCRIPTOR);
SAME_PLACE(DriverArray3D, depth, CUDA_ARRAY3D_DESCRIPTOR, Depth);
SAME_PLACE(DriverArray3D, channels, CUDA_ARRAY3D_DESCRIPTOR, NumChannels);

static_assert(bytes_of(CU_AD_FORMAT_UNSIGNED_INT8, 4) == 4 && bytes_of(CU_AD_FORMAT_SIGNED_INT16, 1) == 2);
static_assert(bytes_of(CU_AD_FORMAT_FLOAT, 2) == 8 && bytes_of(CU_AD_FORMAT_HALF, 4) == 8);
