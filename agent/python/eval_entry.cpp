#include "agent/python/eval_entry.hpp"

#include <atomic>
#include <cstring>
#include <initializer_list>

namespace prof::python {
namespace {

// The beginning that is looked at. Code behind the store, which also runs when a Python function calls another one
// without leaving the loop, stands in it as well: without knowing the store its samples would lose a frame.
constexpr std::uintptr_t kEntryBytes = 256;
constexpr std::uintptr_t kUnknown = ~std::uintptr_t{0};
std::atomic<std::uintptr_t> g_store{0};  // 0: not looked for yet; kUnknown: not found

// x86-64 (Intel 64 manual, volume 2): bytes that the instruction at `at` stores to [base + displacement]; 0: it is not
// one of the stores that compilers use here. `base`: 4 for rsp, which takes a SIB byte, 5 for rbp.
unsigned stores(const std::uint8_t* at, std::uint8_t base, std::int64_t& displacement) {
  unsigned bytes = 8;
  if ((at[0] == 0x48 || at[0] == 0x4c) && at[1] == 0x89) {  // mov %r64, m64
    at += 2;
  } else {
    bytes = 16;
    if (at[0] == 0x66) ++at;  // movapd, movupd
    if (at[0] == 0x44) ++at;
    if (at[0] != 0x0f || (at[1] != 0x29 && at[1] != 0x11)) return 0;  // movaps, movups
    at += 2;
  }
  const std::uint8_t mod = at[0] >> 6, rm = at[0] & 7;
  if (rm != base || (mod != 1 && mod != 2)) return 0;
  ++at;
  if (base == 4 && *at++ != 0x24) return 0;
  if (mod == 1) {
    displacement = static_cast<std::int8_t>(*at);  // NOLINT(bugprone-signed-char-misuse)
  } else {
    std::int32_t wide = 0;
    std::memcpy(&wide, at, 4);
    displacement = wide;
  }
  return bytes;
}

std::uintptr_t find_store(std::uintptr_t entry, const EntryFrame& f) {
  std::uintptr_t last = kUnknown;
  for (std::uintptr_t at = entry; at < entry + kEntryBytes; ++at) {
    for (const std::uint8_t base : {std::uint8_t{4}, std::uint8_t{5}}) {
      std::int64_t displacement = 0;
      const unsigned bytes = stores(reinterpret_cast<const std::uint8_t*>(at), base, displacement);
      const std::uintptr_t target = (base == 4 ? f.sp : f.bp) + static_cast<std::uintptr_t>(displacement);
      if (bytes != 0 && f.field >= target && f.field + 8 <= target + bytes) last = at;
    }
  }
  return last;
}

}  // namespace

bool before_store(std::uintptr_t entry, const EntryFrame& f) {
  if (f.pc < entry || f.pc >= entry + kEntryBytes) return false;
  std::uintptr_t store = g_store.load(std::memory_order_relaxed);
  if (store == 0) g_store.store(store = find_store(entry, f), std::memory_order_relaxed);
  return store == kUnknown || f.pc <= store;
}

}  // namespace prof::python
