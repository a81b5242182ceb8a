// Graphs that are made anew, changed before each launch and given up again, as JAX and llama.cpp do: by drivers under
// CUPTI not always survived. Prints what was launched as JSON. usage: updates [ROUNDS]
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void add(float* at, float value) { at[blockIdx.x] += value; }

#define CHECK(call)                                                 \
  do {                                                              \
    const cudaError_t error = (call);                               \
    if (error != cudaSuccess) {                                     \
      fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
      return 1;                                                     \
    }                                                               \
  } while (0)

enum { kLaunches = 150, kNodes = 12 };

static cudaError_t capture(cudaStream_t stream, float* at, float value, cudaGraph_t* graph) {
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  for (int i = 0; i < kNodes; ++i) add<<<4, 1, 0, stream>>>(at, value);
  return cudaStreamEndCapture(stream, graph);
}

int main(int count, char** arguments) {
  const int rounds = count > 1 ? atoi(arguments[1]) : 40;
  cudaStream_t stream;
  float* at[2];
  CHECK(cudaStreamCreate(&stream));
  for (float*& one : at) CHECK(cudaMalloc(&one, 4 * sizeof(float)));
  cudaGraphExec_t before = nullptr;
  for (int round = 0; round < rounds; ++round) {
    cudaGraph_t graph;
    cudaGraphExec_t run;
    CHECK(capture(stream, at[0], 1, &graph));
    CHECK(cudaGraphInstantiate(&run, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    for (int i = 0; i < kLaunches; ++i) {
      CHECK(capture(stream, at[i % 2], i, &graph));
      cudaGraphExecUpdateResultInfo info;
      CHECK(cudaGraphExecUpdate(run, graph, &info));
      CHECK(cudaGraphDestroy(graph));
      CHECK(cudaGraphLaunch(run, stream));
    }
    // The one before goes while this one is at work.
    if (before != nullptr) CHECK(cudaGraphExecDestroy(before));
    before = run;
  }
  CHECK(cudaStreamSynchronize(stream));
  printf("{\"graphs\": %d}\n", rounds * kLaunches);
  return 0;
}
