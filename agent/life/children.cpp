#include "agent/life/children.hpp"

#include <sys/wait.h>

#include <atomic>

#include "agent/core/clock.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/log/append.hpp"
#include "agent/log/conditions.hpp"

namespace prof {
namespace {

constexpr std::uint32_t kMostRows = 16384;  // a build server's make: the log stays bounded
static_assert(sizeof(log::ChildRecord) % 8 == 0);

struct Children {
  std::atomic<std::uint32_t> rows;
  log::AppendChunk chunk;
};
PROF_WIPED_AT_START constinit pages::Wiped<Children> g_children{};

}  // namespace

void note_child(int pid, int status) {
  if (pid <= 0 || (!WIFEXITED(status) && !WIFSIGNALED(status))) return;
  Children& c = g_children.value;
  auto* row = c.rows.fetch_add(1, std::memory_order_relaxed) < kMostRows
                  ? reinterpret_cast<log::ChildRecord*>(
                        log::append_row(c.chunk, log::ChunkType::Children, sizeof(log::ChildRecord), log::kGranule))
                  : nullptr;
  if (row == nullptr) {
    c.rows.fetch_sub(1, std::memory_order_relaxed);
    return count_loss(log::Loss::ChildTableFull);
  }
  row->pid = static_cast<std::uint32_t>(pid);
  row->status = status;
  __atomic_store_n(&row->monotonic_ns, clock::monotonic(), __ATOMIC_RELEASE);
}

void prepare_children() { pages::wipe_in_child(g_children); }

}  // namespace prof
