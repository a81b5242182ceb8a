// NCCL. Its collectives by bytes: what the count of the call says, of one rank's buffer.
#include "interpose/cuda/library.hpp"

using namespace prof::gpu;

namespace {

using Any = const void*;
using Some = void*;

constexpr int kNcclMissing = 3;  // ncclInternalError

// Passed by value, on the stack.
struct UniqueId {
  char bytes[128];
};

}  // namespace

#define PROF_NCCL(name, role, params, args, before) \
  PROF_GPU_CALL(Nccl, kNcclMissing, 0, int, name, role, params, args, before, (void)0)
#define NAMED(name, role, words) PROF_GPU_NAMED(Nccl, kNcclMissing, name, role, words, 0)
#define SENT(n) call.bytes = bytes_of(n, nccl_element(type))

PROF_NCCL(ncclAllReduce, Library,
          (Any from, Some to, std::size_t n, int type, int operation, Some communicator, Some stream),
          (from, to, n, type, operation, communicator, stream), SENT(n))
PROF_NCCL(ncclReduceScatter, Library,
          (Any from, Some to, std::size_t n, int type, int operation, Some communicator, Some stream),
          (from, to, n, type, operation, communicator, stream), SENT(n))
PROF_NCCL(ncclReduce, Library,
          (Any from, Some to, std::size_t n, int type, int operation, int root, Some communicator, Some stream),
          (from, to, n, type, operation, root, communicator, stream), SENT(n))
PROF_NCCL(ncclBroadcast, Library,
          (Any from, Some to, std::size_t n, int type, int root, Some communicator, Some stream),
          (from, to, n, type, root, communicator, stream), SENT(n))
PROF_NCCL(ncclBcast, Library, (Some buffer, std::size_t n, int type, int root, Some communicator, Some stream),
          (buffer, n, type, root, communicator, stream), SENT(n))
PROF_NCCL(ncclAllGather, Library, (Any from, Some to, std::size_t n, int type, Some communicator, Some stream),
          (from, to, n, type, communicator, stream), SENT(n))
PROF_NCCL(ncclAlltoAll, Library, (Any from, Some to, std::size_t n, int type, Some communicator, Some stream),
          (from, to, n, type, communicator, stream), SENT(n))
PROF_NCCL(ncclGather, Library, (Any from, Some to, std::size_t n, int type, int root, Some communicator, Some stream),
          (from, to, n, type, root, communicator, stream), SENT(n))
PROF_NCCL(ncclScatter, Library, (Any from, Some to, std::size_t n, int type, int root, Some communicator, Some stream),
          (from, to, n, type, root, communicator, stream), SENT(n))
PROF_NCCL(ncclSend, Library, (Any from, std::size_t n, int type, int peer, Some communicator, Some stream),
          (from, n, type, peer, communicator, stream), SENT(n))
PROF_NCCL(ncclRecv, Library, (Some to, std::size_t n, int type, int peer, Some communicator, Some stream),
          (to, n, type, peer, communicator, stream), SENT(n))

// Inside a group the calls above only note what is to be done: the end of the outermost group does it.
NAMED(ncclGroupStart, Plain, 0)
NAMED(ncclGroupEnd, Library, 0)

PROF_NCCL(ncclCommInitRank, Setup, (Some communicator, int ranks, UniqueId id, int rank),
          (communicator, ranks, id, rank), (void)0)
PROF_NCCL(ncclCommInitRankConfig, Setup, (Some communicator, int ranks, UniqueId id, int rank, Some config),
          (communicator, ranks, id, rank, config), (void)0)
NAMED(ncclCommInitRankScalable, Setup, 6)
NAMED(ncclCommInitAll, Setup, 3)
NAMED(ncclGetUniqueId, Setup, 1)
NAMED(ncclCommSplit, Setup, 5)
NAMED(ncclCommShrink, Setup, 6)
NAMED(ncclCommFinalize, Setup, 1)
NAMED(ncclCommDestroy, Setup, 1)
NAMED(ncclCommAbort, Setup, 1)
NAMED(ncclCommRegister, Setup, 4)
NAMED(ncclCommDeregister, Setup, 2)
NAMED(ncclCommWindowRegister, Setup, 5)
NAMED(ncclCommWindowDeregister, Setup, 2)
NAMED(ncclRedOpCreatePreMulSum, Setup, 5)
NAMED(ncclRedOpDestroy, Setup, 2)
NAMED(ncclCommGetAsyncError, Plain, 2)
