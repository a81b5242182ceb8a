#include "agent/process/children.hpp"

#include <sys/wait.h>

#include "agent/core/clock.hpp"
#include "agent/core/lock.hpp"
#include "agent/core/pages.hpp"
#include "agent/log/file.hpp"
#include "agent/process/process.hpp"

namespace prof {
namespace {

constexpr std::uint32_t kMostRows = 16384;  // a build server's make: the log stays bounded
constexpr std::size_t kRowsPerChunk = (log::kGranule - sizeof(log::ChunkHeader)) / sizeof(log::ChildRecord);

struct Children {
  SpinLock lock;
  log::ChunkHeader* chunk;
  std::size_t used;
  std::uint32_t rows;
};
PROF_WIPED_AT_START constinit pages::Wiped<Children> g_children{};

}  // namespace

void note_child(int pid, int status) {
  if (pid <= 0 || (!WIFEXITED(status) && !WIFSIGNALED(status))) return;
  Children& c = g_children.value;
  Locked locked(c.lock);
  if (c.chunk == nullptr || c.used == kRowsPerChunk) {
    c.chunk = c.rows < kMostRows ? log::take_chunk(log::ChunkType::Children, 0, 0, log::kGranule) : nullptr;
    c.used = 0;
  }
  if (c.chunk == nullptr) return count_loss(log::Loss::ChildTableFull);
  log::ChildRecord& row = log::content<log::ChildRecord>(c.chunk)[c.used++];
  ++c.rows;
  row.pid = static_cast<std::uint32_t>(pid);
  row.status = status;
  __atomic_store_n(&row.monotonic_ns, clock::monotonic(), __ATOMIC_RELEASE);
}

void prepare_children() { pages::wipe_in_child(g_children); }

}  // namespace prof
