// cuDNN's backend API: graphs of operations, and the plans that execute them.
#include "agent/gpu/cudnn_graph.hpp"
#include "interpose/cuda/cudnn.hpp"

using namespace prof::gpu;

PROF_CUDNN(cudnnBackendCreateDescriptor, Plain, (int type, Some* descriptor), (type, descriptor), (void)0,
           if (call && result == 0) cudnn::created(*descriptor, type))
PROF_CUDNN(cudnnBackendDestroyDescriptor, Plain, (Some descriptor), (descriptor), cudnn::destroyed(descriptor), )
PROF_CUDNN(cudnnBackendSetAttribute, Plain, (Some descriptor, int name, int type, std::int64_t n, Any values),
           (descriptor, name, type, n, values), (void)0,
           if (call && result == 0) cudnn::attribute_set(descriptor, name, type, n, values))
PROF_CUDNN(cudnnBackendGetAttribute, Setup,
           (Some descriptor, int name, int type, std::int64_t room, std::int64_t* n, Some values),
           (descriptor, name, type, room, n, values), (void)0,
           if (call && result == 0 && n != nullptr)
               cudnn::attribute_got(descriptor, type, *n < room ? *n : room, values))
PROF_CUDNN(cudnnBackendFinalize, Setup, (Some descriptor), (descriptor), (void)0,
           if (call && result == 0) cudnn::finalized(descriptor))
PROF_CUDNN(cudnnBackendExecute, Library, (Some handle, Some plan, Some pack), (handle, plan, pack),
           ask(call, cudnn::work_of(plan)), )
// The work is done when the graph is launched, as often as it is.
PROF_CUDNN_NAMED(cudnnBackendPopulateCudaGraph, Setup, 4, 0)
PROF_CUDNN_NAMED(cudnnBackendUpdateCudaGraph, Setup, 4, 0)
