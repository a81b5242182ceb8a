// What a training step may ask of a device, well or badly. Used by gpu_faults.py through ctypes.
#include <vector>

#include "cuda_api.h"

KERNEL(tensorop_s1688gemm_4000us)
KERNEL(ampere_sgemm_4000us)
KERNEL(add_1us)

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

constexpr size_t kBatch = 16 << 20;
void* device_batch = nullptr;

void put(const void* batch) {
  if (device_batch == nullptr) CUDA(cudaMalloc(&device_batch, kBatch));
  CUDA(cudaMemcpyAsync(device_batch, batch, kBatch, cudaMemcpyHostToDevice, NULL));
}

}  // namespace

EXPORTED void faults_matrices() { CUDA(LAUNCH(tensorop_s1688gemm_4000us, NULL)); }
EXPORTED void faults_plain_matrices() { CUDA(LAUNCH(ampere_sgemm_4000us, NULL)); }
EXPORTED void faults_add() { CUDA(LAUNCH(add_1us, NULL)); }
EXPORTED void faults_wait() { CUDA(cudaStreamSynchronize(NULL)); }
EXPORTED void faults_put_pageable() {
  static const std::vector<char> batch(kBatch);
  put(batch.data());
}
EXPORTED void faults_put_pinned() {
  static void* batch = nullptr;
  if (batch == nullptr) CUDA(cudaMallocHost(&batch, kBatch));
  put(batch);
}
