#include "agent/gpu/memory.hpp"

#include <atomic>

#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/text.hpp"
#include "agent/gpu/calls.hpp"
#include "agent/gpu/device.hpp"
#include "agent/gpu/info.hpp"
#include "agent/gpu/local.hpp"
#include "agent/heap/book.hpp"
#include "agent/heap/live_table.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/ops/operators.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/threads.hpp"
#include "agent/tree/context.hpp"

namespace prof::gpu {
namespace {

using heap::classes_of;
using heap::Kind;

using heap::LiveBlock;
using heap::LiveTable;

// A framework's first block has the address of its segment: they are two tables. A block's tag is its device.
struct Tables {
  LiveTable segments;
  LiveTable tensors;
  std::atomic<std::uint32_t> refusals;
};
PROF_WIPED constinit pages::Wiped<Tables> g_tables{};

constexpr std::uint32_t kSaidRefusals = 4;

constexpr std::uint32_t kNoDevice = 255;
std::uint8_t tag_of(std::uint32_t device) { return static_cast<std::uint8_t>(device < kNoDevice ? device : kNoDevice); }

LiveTable& blocks_of(Kind kind) { return kind == Kind::Segment ? g_tables.value.segments : g_tables.value.tensors; }

heap::Weight weight_of(std::uint64_t bytes) { return {log::kCountUnit, bytes}; }

bool recording(const Guard& guard) {
  if (!guard || process().options.cuda == CudaMode::Off || !log::ensure_created()) return false;
  threads::settle(guard.thread());
  return true;
}

void raise(std::int64_t& peak, std::int64_t live) {
  std::int64_t seen = __atomic_load_n(&peak, __ATOMIC_RELAXED);
  while (live > seen && !__atomic_compare_exchange_n(&peak, &seen, live, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

void account_segment(std::uint32_t device, std::int64_t bytes) {
  log::DeviceRecord* r = used_device(device);
  if (r == nullptr) return;
  raise(r->segments_peak, __atomic_add_fetch(&r->segments_live, bytes, __ATOMIC_RELAXED));
}

void account_tensors(std::uint32_t device, std::uint64_t allocated, std::uint64_t reserved) {
  log::DeviceRecord* r = used_device(device);
  if (r == nullptr) return;
  const auto live = static_cast<std::int64_t>(allocated), held = static_cast<std::int64_t>(reserved);
  __atomic_store_n(&r->tensors_live, live, __ATOMIC_RELAXED);
  __atomic_store_n(&r->reserved_live, held, __ATOMIC_RELAXED);
  raise(r->tensors_peak, live);
  raise(r->reserved_peak, held);
}

// Below the call that hands the block out; of a block that comes without one, on its caller's stack.
log::HeapWords* record_here(const Guard& guard, Kind kind) {
  const log::RecordClass words = classes_of(kind).words;
  const std::uint32_t call = current_call();
  std::uint64_t* record = call != 0 ? tree::record_of(guard, call, words, log::kHeapWordCount)
                                    : tree::current_context(guard, words, log::kHeapWordCount).record;
  return reinterpret_cast<log::HeapWords*>(record);
}

void book_freed(const Guard& guard, Kind kind, const LiveBlock& block) {
  const std::uint32_t node = log::record_node(heap::record_at(block.place)[-1]);
  std::uint64_t* record = tree::record_of(guard, node, classes_of(kind).words, log::kHeapWordCount);
  if (record != nullptr)
    heap::book_free(guard, *reinterpret_cast<log::HeapWords*>(record), kind, weight_of(block.bytes));
}

// False: nothing was booked, and its free will be of an unknown block.
bool book_allocated(const Guard& guard, Kind kind, const void* address, std::uint64_t bytes, std::uint32_t device) {
  log::HeapWords* record = record_here(guard, kind);
  if (record == nullptr) return false;
  const LiveBlock block{heap::place_of_record(&record->count), Kind::Malloc, tag_of(device), bytes};
  LiveTable& blocks = blocks_of(kind);
  if (LiveBlock older{}; blocks.take(address, older)) {
    count_loss(log::Loss::FreeNotSeen);
    book_freed(guard, kind, older);
    if (kind == Kind::Segment) account_segment(older.tag, -static_cast<std::int64_t>(older.bytes));
  }
  // What cannot be freed again would be live for ever: it is not booked.
  if (blocks.remember(address, block) == heap::Remembered::No) {
    count_loss(log::Loss::DeviceTableFull);
    return false;
  }
  heap::note_size(*record, bytes);
  heap::book_allocation(guard, *record, kind, weight_of(bytes));
  return true;
}

}  // namespace

[[gnu::noinline]] void segment_allocated(const void* block, std::size_t bytes, Place place, std::uint32_t device) {
  if (block == nullptr || place == Place::PinnedHost) return;
  const HookGuard guard;
  if (!recording(guard)) return;
  if (device == kUnknownDevice) device = local(guard.thread()).device;
  if (book_allocated(guard, Kind::Segment, block, bytes, device))
    account_segment(device, static_cast<std::int64_t>(bytes));
}

void segment_freed(const void* address, Place place) {
  if (address == nullptr || place == Place::PinnedHost) return;
  const HookGuard guard;
  if (!recording(guard)) return;
  LiveBlock block{};
  if (!g_tables.value.segments.take(address, block)) return count_loss(log::Loss::DeviceForeignFree);
  book_freed(guard, Kind::Segment, block);
  account_segment(block.tag, -static_cast<std::int64_t>(block.bytes));
}

[[gnu::noinline]] void tensor_event(const void* address, std::int64_t bytes, std::uint64_t allocated,
                                    std::uint64_t reserved, std::uint32_t device) {
  if (address == nullptr || bytes == 0) return;
  const HookGuard guard;
  if (!recording(guard)) return;
  account_tensors(device, allocated, reserved);
  ops::allocated(guard, ops::Memory::Device, bytes);
  if (bytes > 0) {
    book_allocated(guard, Kind::Tensor, address, static_cast<std::uint64_t>(bytes), device);
    return;
  }
  LiveBlock block{};
  if (!g_tables.value.tensors.take(address, block)) return count_loss(log::Loss::DeviceForeignFree);
  book_freed(guard, Kind::Tensor, block);
}

void out_of_memory(std::uint64_t bytes, std::uint64_t allocated, std::uint64_t reserved, std::uint32_t device) {
  const HookGuard guard;
  if (!recording(guard) || g_tables.value.refusals.fetch_add(1, std::memory_order_relaxed) >= kSaidRefusals) return;
  prof::Text<256> text;
  text << "the framework's allocator found no memory for " << bytes << " bytes on device " << device << ", with "
       << allocated << " bytes in use of " << reserved << " that it held";
  tell_note(text.view());
}

void device_chosen(std::uint32_t device) {
  if (tls.phase == ThreadPhase::Known) local(*tls.state).device = device;
}

std::uint32_t chosen_device() { return local(*tls.state).device; }

void prepare_memory() { pages::wipe_in_child(g_tables); }

}  // namespace prof::gpu
