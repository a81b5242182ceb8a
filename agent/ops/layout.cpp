#include "agent/ops/layout.hpp"

#include <cstring>

namespace prof::ops {

Layout Layout::of(IsAsync* is_async) {
  // movzbl OFFSET(%rdi), %eax; ret. With control-flow protection an endbr64 stands before it.
  constexpr std::uint8_t kEntry[] = {0xf3, 0x0f, 0x1e, 0xfa}, kLoad[] = {0x0f, 0xb6, 0x87};
  constexpr std::uint8_t kReturn = 0xc3;
  constexpr std::uint32_t kLargest = 4096;
  const auto* code = reinterpret_cast<const std::uint8_t*>(is_async);
  if (code == nullptr) return {};
  if (std::memcmp(code, kEntry, sizeof(kEntry)) == 0) code += sizeof(kEntry);
  if (std::memcmp(code, kLoad, sizeof(kLoad)) != 0) return {};
  std::uint32_t offset = 0;
  std::memcpy(&offset, code + sizeof(kLoad), sizeof(offset));
  if (code[sizeof(kLoad) + sizeof(offset)] != kReturn || offset > kLargest || offset % 8 != 0) return {};
  return Layout(offset);
}

const Value* Layout::inputs(const RecordFunction* function, std::size_t count) const {
  for (const std::uint32_t distance : kDistances) {
    const std::uint64_t values = word(function, distance - 8), length = word(function, distance - 16);
    if (length == count && values != 0 && values % 8 == 0) return reinterpret_cast<const Value*>(values);
  }
  return nullptr;
}

}  // namespace prof::ops
