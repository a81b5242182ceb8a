#include "report/read/thread_use.hpp"

namespace prof::read {

void read_thread_use(const Chunk& chunk, Bytes later, RawLog& log) {
  std::uint64_t slot = chunk.header.first;
  for (std::size_t at = chunk.begin; at + sizeof(log::ThreadUseRecord) <= chunk.end;
       at += sizeof(log::ThreadUseRecord), ++slot) {
    const auto record = load<log::ThreadUseRecord>(later, at);
    if (record.open_frame == 0 && record.noted_ns == 0) continue;
    if (slot > kLastSlot) {
      ++log.damage.bad_references;
      return;
    }
    log.thread_uses.push_back({static_cast<std::uint32_t>(slot), record});
  }
}

}  // namespace prof::read
