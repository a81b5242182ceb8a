#include "report/read/frees.hpp"

namespace prof::read {

void take_frees(log::Header& later, const log::Header& earlier) { later.late_frees = earlier.late_frees; }

void take_frees(log::ThreadRecord& later, const log::ThreadRecord& earlier) {
  later.frees = earlier.frees;
  later.foreign_frees = earlier.foreign_frees;
  later.python_frees = earlier.python_frees;
  later.unmaps = earlier.unmaps;
  later.unmapped_bytes = earlier.unmapped_bytes;
}

void take_frees(log::HeapWords& later, const log::HeapWords& earlier) {
  later.freed_count = earlier.freed_count;
  later.freed_bytes = earlier.freed_bytes;
  later.temporary = earlier.temporary;
  later.short_lived = earlier.short_lived;
}

// A free that only the later copy has does not count as one, but it does tell that the block was there at the peak:
// both are kept, see OnceRecord.
void take_frees(OnceRecord& later, const log::HeapOnceWords& earlier) {
  constexpr std::uint64_t kOfFree = log::kOnceTemporary | log::kOnceShortLived;
  later.words.bytes_flags = (later.words.bytes_flags & ~kOfFree) | (earlier.bytes_flags & kOfFree);
  later.freed = earlier.epochs >> 32 != 0;
}

}  // namespace prof::read
