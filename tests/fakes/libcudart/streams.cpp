// The fake CUDA runtime: streams, events, graphs.
#include "tests/fakes/libcudart/cudart.hpp"

using namespace fakegpu;
using cudart::Dim3;
using cudart::Error;

#define API extern "C" __attribute__((visibility("default")))

namespace {

Error new_stream(Scope& scope, void** to) {
  *to = make_stream();
  return cudart::end(scope, 0);
}
Error wait_stream(Scope& scope, Stream* stream) {
  CUDART_NESTED(cuStreamSynchronize);
  synchronize(stream);
  return cudart::end(scope, 0);
}

}  // namespace

API Error cudaStreamCreate(void** to) {
  CUDART_CALL(cudaStreamCreate);
  return new_stream(scope, to);
}

API Error cudaStreamCreateWithFlags(void** to, unsigned) {
  CUDART_CALL(cudaStreamCreateWithFlags);
  return new_stream(scope, to);
}

API Error cudaStreamCreateWithPriority(void** to, unsigned, int) {
  CUDART_CALL(cudaStreamCreateWithPriority);
  return new_stream(scope, to);
}

API Error cudaStreamDestroy(void* stream) {
  CUDART_CALL(cudaStreamDestroy);
  drop_stream(stream_of(stream));
  return cudart::end(scope, 0);
}

API Error cudaStreamSynchronize(void* stream) {
  CUDART_CALL(cudaStreamSynchronize);
  return wait_stream(scope, stream_of(stream));
}

API Error cudaStreamSynchronize_ptsz(void* stream) {
  CUDART_CALL(cudaStreamSynchronize_ptsz);
  return wait_stream(scope, stream_of(stream, true));
}

API Error cudaStreamQuery(void* stream) {
  CUDART_CALL(cudaStreamQuery);
  return cudart::end(scope, idle(stream_of(stream)) ? 0 : cudart::kNotReady);
}

API Error cudaStreamWaitEvent(void* stream, Event* event, unsigned) {
  CUDART_CALL(cudaStreamWaitEvent);
  wait_for(stream_of(stream), event);
  return cudart::end(scope, 0);
}

API Error cudaEventCreate(Event** to) {
  CUDART_CALL(cudaEventCreate);
  *to = make_event();
  return cudart::end(scope, 0);
}

API Error cudaEventCreateWithFlags(Event** to, unsigned) {
  CUDART_CALL(cudaEventCreateWithFlags);
  *to = make_event();
  return cudart::end(scope, 0);
}

API Error cudaEventDestroy(Event* event) {
  CUDART_CALL(cudaEventDestroy);
  drop_event(event);
  return cudart::end(scope, 0);
}

API Error cudaEventRecord(Event* event, void* stream) {
  CUDART_CALL(cudaEventRecord);
  record(event, stream_of(stream));
  return cudart::end(scope, 0);
}

API Error cudaEventRecord_ptsz(Event* event, void* stream) {
  CUDART_CALL(cudaEventRecord_ptsz);
  record(event, stream_of(stream, true));
  return cudart::end(scope, 0);
}

API Error cudaEventQuery(Event* event) {
  CUDART_CALL(cudaEventQuery);
  return cudart::end(scope, happened(event) ? 0 : cudart::kNotReady);
}

API Error cudaEventSynchronize(Event* event) {
  CUDART_CALL(cudaEventSynchronize);
  synchronize(event);
  return cudart::end(scope, 0);
}

API Error cudaEventElapsedTime(float* ms, const Event* from, const Event* to) {
  CUDART_CALL(cudaEventElapsedTime);
  if (time_of(from) == 0 || time_of(to) == 0) return cudart::end(scope, cudart::kInvalidHandle);
  if (!happened(from) || !happened(to)) return cudart::end(scope, cudart::kNotReady);
  *ms = static_cast<float>(static_cast<double>(time_of(to)) - static_cast<double>(time_of(from))) * 1e-6F;
  return cudart::end(scope, 0);
}

API Error cudaStreamBeginCapture(void* stream, int) {
  CUDART_CALL(cudaStreamBeginCapture);
  begin_capture(stream_of(stream));
  return cudart::end(scope, 0);
}

API Error cudaStreamEndCapture(void* stream, Graph** to) {
  CUDART_CALL(cudaStreamEndCapture);
  const auto graph = end_capture(stream_of(stream));
  *to = graph ? new Graph(*graph) : nullptr;
  return cudart::end(scope, graph ? 0 : cudart::kInvalidValue);
}

API Error cudaStreamIsCapturing(void* stream, int* status) {
  CUDART_CALL(cudaStreamIsCapturing);
  *status = capturing(stream_of(stream)) ? 1 : 0;
  return cudart::end(scope, 0);
}

API Error cudaGraphCreate(Graph** to, unsigned) {
  CUDART_CALL(cudaGraphCreate);
  *to = new Graph{next_graph_id(), {}};
  return cudart::end(scope, 0);
}

API Error cudaGraphDestroy(Graph* graph) {
  CUDART_CALL(cudaGraphDestroy);
  delete graph;
  return cudart::end(scope, 0);
}

namespace {
struct KernelNode {  // cudaKernelNodeParams
  const void* stub;
  Dim3 grid, block;
  unsigned shared;
  void **arguments, **extra;
};
}  // namespace

API Error cudaGraphAddKernelNode(void** node, Graph* graph, void* const*, std::size_t, const KernelNode* all) {
  CUDART_CALL(cudaGraphAddKernelNode);
  const char* const name = cudart::kernel_name(all->stub);
  if (name == nullptr) return cudart::end(scope, cudart::kInvalidFunction);
  Work work;
  work.name = name;
  work.duration = kernel_ns(name);
  work.graph_node = next_graph_node();
  *node = reinterpret_cast<void*>(work.graph_node);
  graph->nodes.push_back(std::move(work));
  return cudart::end(scope, 0);
}

#if FAKE_CUDART_VERSION >= 12000
API Error cudaGraphInstantiate(Graph** to, const Graph* graph, unsigned long long) {
#else
API Error cudaGraphInstantiate(Graph** to, const Graph* graph, void**, char*, std::size_t) {
#endif
  CUDART_CALL(cudaGraphInstantiate);
  *to = new Graph(*graph);
  return cudart::end(scope, 0);
}

API Error cudaGraphInstantiateWithFlags(Graph** to, const Graph* graph, unsigned long long) {
  CUDART_CALL(cudaGraphInstantiateWithFlags);
  *to = new Graph(*graph);
  return cudart::end(scope, 0);
}

API Error cudaGraphUpload(Graph*, void*) {
  CUDART_CALL(cudaGraphUpload);
  return cudart::end(scope, 0);
}

API Error cudaGraphLaunch(Graph* graph, void* stream) {
  CUDART_CALL(cudaGraphLaunch);
  CUDART_NESTED(cuGraphLaunch);
  submit_graph(stream_of(stream), *graph);
  return cudart::end(scope, 0);
}

API Error cudaGraphLaunch_ptsz(Graph* graph, void* stream) {
  CUDART_CALL(cudaGraphLaunch_ptsz);
  submit_graph(stream_of(stream, true), *graph);
  return cudart::end(scope, 0);
}

API Error cudaGraphExecDestroy(Graph* graph) {
  CUDART_CALL(cudaGraphExecDestroy);
  delete graph;
  return cudart::end(scope, 0);
}
