// The fake NCCL, with one rank.
#include <cstring>

#include "tests/fakes/libs/library.hpp"

using namespace fakegpu;
using library::Call;

namespace {

constexpr int kInvalidArgument = 4, kSystemError = 2;
constexpr char kIdentity[] = "all 128 bytes of it";

struct Communicator {
  int rank;
};

thread_local int groups = 0;
thread_local std::vector<void*> waiting;  // streams of what is noted until the group's end

int collective(Call& call, std::size_t count, int type, void* communicator, void* stream) {
  if (communicator == nullptr) return call.done(kInvalidArgument);
  call.bytes = count * (type == ncclInt8 ? 1 : type == ncclFloat16 ? 2 : 4);
  if (groups > 0)
    waiting.push_back(stream);
  else
    fakegpu_library_kernel("nccl_50us", stream);
  return call.done(0);
}

}  // namespace

FAKE_API int ncclGetUniqueId(ncclUniqueId* id) {
  Call call("NCCL", "ncclGetUniqueId");
  std::memset(id, 7, sizeof *id);
  std::memcpy(id->bytes + sizeof *id - sizeof kIdentity, kIdentity, sizeof kIdentity);
  return call.done(0);
}

FAKE_API int ncclCommInitRank(void** communicator, int ranks, ncclUniqueId id, int rank) {
  Call call("NCCL", "ncclCommInitRank");
  if (!library::start_driver()) return call.done(kSystemError);
  ncclUniqueId expected;
  std::memset(&expected, 7, sizeof expected);
  std::memcpy(expected.bytes + sizeof expected - sizeof kIdentity, kIdentity, sizeof kIdentity);
  if (std::memcmp(&id, &expected, sizeof id) != 0 || rank < 0 || rank >= ranks) return call.done(kInvalidArgument);
  *communicator = new Communicator{rank};
  return call.done(0);
}

FAKE_API int ncclCommDestroy(void* communicator) {
  Call call("NCCL", "ncclCommDestroy");
  delete static_cast<Communicator*>(communicator);
  return call.done(0);
}

FAKE_API int ncclAllReduce(const void*, void*, size_t count, int type, int, void* communicator, void* stream) {
  Call call("NCCL", "ncclAllReduce");
  return collective(call, count, type, communicator, stream);
}
FAKE_API int ncclAllGather(const void*, void*, size_t count, int type, void* communicator, void* stream) {
  Call call("NCCL", "ncclAllGather");
  return collective(call, count, type, communicator, stream);
}
FAKE_API int ncclSend(const void*, size_t count, int type, int, void* communicator, void* stream) {
  Call call("NCCL", "ncclSend");
  return collective(call, count, type, communicator, stream);
}
FAKE_API int ncclRecv(void*, size_t count, int type, int, void* communicator, void* stream) {
  Call call("NCCL", "ncclRecv");
  return collective(call, count, type, communicator, stream);
}

FAKE_API int ncclGroupStart() {
  Call call("NCCL", "ncclGroupStart");
  ++groups;
  return call.done(0);
}
FAKE_API int ncclGroupEnd() {
  Call call("NCCL", "ncclGroupEnd");
  if (--groups == 0) {
    for (void* stream : waiting) fakegpu_library_kernel("nccl_50us", stream);
    waiting.clear();
  }
  return call.done(0);
}
