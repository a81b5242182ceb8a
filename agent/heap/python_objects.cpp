#include "agent/heap/python_objects.hpp"

#include <cstddef>
#include <cstdint>

#include "agent/core/process.hpp"
#include "agent/core/tls.hpp"
#include "agent/heap/heap.hpp"
#include "agent/heap/local.hpp"
#include "agent/python/interpreter.hpp"

namespace prof::python {
namespace {

enum Domain : int { kMem = 1, kObj = 2 };  // PYMEM_DOMAIN_MEM and _OBJ

// What our functions stand in front of, by domain. They are called with the interpreter's own context, which stays in
// its place: an interpreter with a lock of its own (3.12) may allocate while the functions are being exchanged.
constinit Allocator g_behind[3]{};
bool g_done = false;

// How often malloc and its family have been told of something by this thread.
std::uint64_t calls(std::uint64_t log::ThreadRecord::*counter) {
  const log::ThreadRecord* r = tls.state->record;
  return r != nullptr ? r->*counter : 0;
}
std::uint64_t mallocs() { return calls(&log::ThreadRecord::allocations); }
std::uint64_t frees() { return calls(&log::ThreadRecord::frees); }

void allocated(void* block, std::size_t bytes) {
  ThreadState& t = *tls.state;
  const std::int64_t left = heap::local(t).python_budget - static_cast<std::int64_t>(bytes);
  if (left <= 0) [[unlikely]]
    return heap::python_allocated(block, bytes);
  heap::local(t).python_budget = left;
  add(t.record->python_allocations, 1);
}

void freed(const heap::Moving& m) {
  log::ThreadRecord* r = tls.state->record;
  if (m.known || r == nullptr) [[unlikely]]
    return heap::python_moved(m, nullptr, 0);
  add(r->python_frees, 1);
}

// Takes a block that is on its way out of the books. False: it is malloc's, which will be told by the interpreter.
bool taken(void* block, heap::Moving& m) {
  m = heap::moving(block);
  if (!m.known || m.live.kind == heap::Kind::Python) return true;
  heap::not_moved(m);
  return false;
}

template <class Call>
void* counted(std::size_t bytes, Call call) {
  const std::uint64_t before = mallocs();
  void* block = call();
  if (block != nullptr && tls.suppressed == 0 && mallocs() == before) allocated(block, bytes);
  return block;
}

template <Domain kDomain>
void* allocate(void* context, std::size_t bytes) {
  return counted(bytes, [=] { return g_behind[kDomain].malloc(context, bytes); });
}

template <Domain kDomain>
void* allocate_zeroed(void* context, std::size_t n, std::size_t bytes) {
  return counted(n * bytes, [=] { return g_behind[kDomain].calloc(context, n, bytes); });
}

// An object may grow out of the interpreter's own blocks into one of malloc's, never back.
template <Domain kDomain>
void* reallocate(void* context, void* old, std::size_t bytes) {
  const auto real = g_behind[kDomain].realloc;
  if (old == nullptr) return counted(bytes, [=] { return real(context, old, bytes); });
  heap::Moving m;
  if (tls.suppressed != 0 || !taken(old, m)) return real(context, old, bytes);
  const std::uint64_t before = mallocs();
  void* block = real(context, old, bytes);
  if (block == nullptr)
    heap::not_moved(m);
  else if (mallocs() == before)
    heap::python_moved(m, block, bytes);
  else if (m.known)
    freed(m);
  return block;
}

// Told afterwards, unlike malloc's: only then it is known whose block it was, and no other thread can have it before
// this one gives up the interpreter's lock.
template <Domain kDomain>
void release(void* context, void* block) {
  const auto real = g_behind[kDomain].free;
  heap::Moving m;
  if (block == nullptr || tls.suppressed != 0 || !taken(block, m)) return real(context, block);
  const std::uint64_t before = frees();
  real(context, block);
  if (m.known || frees() == before) freed(m);
}

template <Domain kDomain>
void stand_before() {
  Allocator now{};
  api().PyMem_GetAllocator(kDomain, &now);
  g_behind[kDomain] = now;
  Allocator ours{now.context, allocate<kDomain>, allocate_zeroed<kDomain>, reallocate<kDomain>, release<kDomain>};
  api().PyMem_SetAllocator(kDomain, &ours);
}

}  // namespace

void watch_objects() {
  if (g_done || !process().options.python_alloc) return;
  g_done = true;
  if (api().PyMem_GetAllocator == nullptr || api().PyMem_SetAllocator == nullptr) {
    return note_python("objects are not recorded: the interpreter does not export its allocators");
  }
  stand_before<kMem>();
  stand_before<kObj>();
}

}  // namespace prof::python
