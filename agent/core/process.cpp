#include "agent/core/process.hpp"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstring>

#include "agent/core/hot_data.hpp"
#include "agent/core/raw.hpp"

namespace prof {

alignas(64) PROF_HOT_DATA(2) constinit Process the_process{};

namespace {
// Of <linux/stat.h>, newer than some headers: STATX_MNT_ID, and where stx_mnt_id stands.
constexpr unsigned kMountId = 0x1000;
constexpr std::size_t kMountIdAt = 0x90;
static_assert(sizeof(struct statx) == 0x100);
}  // namespace

bool own_process() { return raw::pid() == process().pid; }

DirectoryId directory_id(const char* path) {
  DirectoryId id;
  struct statx x {};
  if (raw::call(SYS_statx, AT_FDCWD, raw::word(path), 0, STATX_INO | kMountId, raw::word(&x)) == 0) {
    id.device = static_cast<std::uint64_t>(x.stx_dev_major) << 32 | x.stx_dev_minor;
    id.inode = x.stx_ino;
    if ((x.stx_mask & kMountId) != 0) std::memcpy(&id.mount, reinterpret_cast<const char*>(&x) + kMountIdAt, 8);
    return id;
  }
  struct stat st {};
  if (raw::call(SYS_stat, raw::word(path), raw::word(&st)) == 0) {
    id.device = std::uint64_t{major(st.st_dev)} << 32 | minor(st.st_dev);
    id.inode = st.st_ino;
  }
  return id;
}

}  // namespace prof
