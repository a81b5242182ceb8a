// Every mapping and unmapping is an operation on one table. Whoever finds the table in use leaves the operation in a
// queue, and whoever has it does what stands there: nobody waits, and nothing is lost but what overflows the queue.
//
// Operations may be done later than they happened, and in another order. So ranges and operations are numbered: what is
// unmapped is what was mapped before the call began, whoever has the addresses now.
#include "agent/heap/mappings.hpp"

#include <atomic>

#include "agent/core/counter.hpp"
#include "agent/core/lock.hpp"
#include "agent/core/own_time.hpp"
#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/queue.hpp"
#include "agent/heap/book.hpp"
#include "agent/heap/range_table.hpp"
#include "agent/log/conditions.hpp"
#include "agent/log/file.hpp"
#include "agent/stack/stack.hpp"
#include "agent/thread/threads.hpp"
#include "agent/tree/context.hpp"

namespace prof::heap {
namespace {

enum class What : std::uint32_t {
  Unmap,    // what is not younger than `order`
  Replace,  // all
  Map,      // likewise, and a range of that `order` is put in
};
struct Operation {
  std::uintptr_t start, end;
  std::uint64_t order;
  std::uint32_t node;      // of what is mapped
  std::uint32_t tid : 30;  // whose it is
  What what : 2;
};
static_assert(sizeof(Operation) == 32);
constexpr std::uint32_t kTidBits = (1U << 30) - 1;  // the kernel gives none above 2^22 (PID_MAX_LIMIT)
constexpr std::uint64_t kAll = ~std::uint64_t{0};
constexpr std::uint32_t kNobody = 0;  // the node of addresses that are reserved: in no figure

// What other threads map while one is preempted in the midst of it: for tens of milliseconds on a busy machine. It
// takes memory as far as it was ever in use.
constexpr std::uint32_t kQueued = 1U << 14;
constexpr std::uint32_t kPieces = 64;  // are done in one turn, and as many operations; larger cuts take several
constexpr std::uint32_t kTurnsForOthers = 16;

struct State {
  Lock lock;
  std::atomic<std::uint64_t> order;
  // Under the lock:
  Operation current;  // that is done in part, up to `at`; start == end: none is
  std::uintptr_t at;
  RangeTable table;
  Queue<Operation, kQueued> queue;
};
PROF_WIPED constinit pages::Wiped<State> g_state{};

// What one turn did, to be booked when the lock is no longer held.
struct Turn {
  RangeTable::Piece taken[kPieces];
  std::uint32_t taken_count = 0;
  // After what was taken, which it may have replaced.
  RangeTable::Piece put{};
  bool has_put = false;
  std::uint32_t lost = 0;
  bool more = false;  // there is more to do
  bool mine = false;  // and it is the rest of what the caller brought
};

bool in_progress(const State& s) { return s.current.start != s.current.end; }

void begin(State& s, const Operation& operation) {
  s.current = operation;
  s.at = operation.start;
}

// Goes on with the current operation. False: the turn has no room for the rest of it.
bool go_on(State& s, Turn& turn) {
  const Operation& o = s.current;
  const std::uint64_t order = o.what == What::Unmap ? o.order : kAll;
  const RangeTable::Cut cut =
      s.table.cut(s.at, o.end, order, turn.taken + turn.taken_count, kPieces - turn.taken_count);
  turn.taken_count += cut.pieces;
  turn.lost += cut.lost ? 1 : 0;
  if (!cut.done) return false;
  if (o.what == What::Map) {
    turn.has_put = s.table.insert({o.start, o.end, o.order, o.node});
    turn.put = {o.node, true, o.end - o.start};
    turn.lost += turn.has_put ? 0 : 1;
  }
  s.current = {};
  return true;
}

// False: somebody else has the table. `operation` is done, or put behind those that came before, unless it is null.
bool take_turn(const SignalsHeld& held, std::uint32_t tid, const Operation* operation, Turn& turn, void*& lot) {
  State& s = g_state.value;
  const TryLocked locked(s.lock, held);
  if (!locked) return false;
  if (lot != nullptr && s.table.wants_lot()) {
    s.table.give_lot(lot);
    lot = nullptr;
  }
  if (operation != nullptr) {
    if (!in_progress(s) && s.queue.empty())
      begin(s, *operation);
    else
      turn.lost += s.queue.push(*operation, held) ? 0 : 1;
  }
  Operation next{};
  for (std::uint32_t i = 0; i < kPieces && !turn.has_put; ++i) {
    if (!in_progress(s)) {
      if (!s.queue.pop(next)) break;
      begin(s, next);
    }
    if (!go_on(s, turn)) break;
  }
  turn.more = in_progress(s) || s.queue.ready();
  turn.mine = in_progress(s) && s.current.tid == tid;
  return true;
}

log::HeapWords* words_of(const Guard& guard, std::uint32_t node) {
  return reinterpret_cast<log::HeapWords*>(tree::record_of(guard, node, log::RecordClass::Map, log::kHeapWordCount));
}

void book(const Guard& guard, const Turn& turn) {
  for (std::uint32_t i = 0; i < turn.taken_count; ++i) {
    const RangeTable::Piece& piece = turn.taken[i];
    if (piece.node == kNobody) continue;
    add(guard.thread().record->unmapped_bytes, piece.bytes);
    if (log::HeapWords* w = words_of(guard, piece.node))
      book_free(guard, *w, Kind::Map, {piece.whole ? log::kCountUnit : 0, piece.bytes});
  }
  if (turn.has_put && turn.put.node != kNobody) {
    if (log::HeapWords* w = words_of(guard, turn.put.node)) {
      note_size(*w, turn.put.bytes);
      book_allocation(guard, *w, Kind::Map, {log::kCountUnit, turn.put.bytes});
    }
  }
  for (std::uint32_t i = 0; i < turn.lost; ++i) count_loss(log::Loss::MapTableFull);
}

// Null: no memory is needed, or there is none. It is mapped before it is needed: not under the lock.
void* spare_lot() {
  return g_state.value.table.wants_lot() ? pages::map(RangeTable::kLotBytes, pages::InChild::Gone) : nullptr;
}

// Does the operation, if there is one, and what others left.
void perform(const Guard& guard, const Operation* operation) {
  State& s = g_state.value;
  // The table and what is booked of it change together, whatever handlers of the host do.
  const SignalsHeld held;
  void* lot = spare_lot();
  for (std::uint32_t turns = 0; turns < kTurnsForOthers;) {
    Turn turn;
    if (!take_turn(held, guard.thread().tid, operation, turn, lot)) {
      if (operation == nullptr) break;
      if (!s.queue.push(*operation, held)) {
        count_loss(log::Loss::MapTableFull);
        break;
      }
      operation = nullptr;
      // Whoever had the table may have left before it could see this: then it is there to be had.
      std::atomic_thread_fence(std::memory_order_seq_cst);
      continue;
    }
    operation = nullptr;
    book(guard, turn);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!turn.more && !s.queue.ready()) break;
    if (lot == nullptr) lot = spare_lot();
    if (!turn.mine) ++turns;
  }
  if (lot != nullptr) pages::unmap(lot, RangeTable::kLotBytes);
}

std::uintptr_t page_end(std::uintptr_t start, std::size_t length) {
  return start + (length + pages::kPage - 1) / pages::kPage * pages::kPage;
}

void take_out(const Guard& guard, std::uintptr_t start, std::uintptr_t end, std::uint64_t before) {
  const Operation operation{start, end, before, 0, guard.thread().tid & kTidBits, What::Unmap};
  if (start != end) perform(guard, &operation);
}

// In the place of what was there.
void put_in(const Guard& guard, std::uintptr_t start, std::uintptr_t end, bool reserved = false) {
  State& s = g_state.value;
  add(guard.thread().record->maps, 1);
  const std::uint64_t made = s.order.fetch_add(1, std::memory_order_acq_rel) + 1;
  if (reserved) {
    const Operation operation{start, end, made, kNobody, guard.thread().tid & kTidBits, What::Map};
    return perform(guard, &operation);
  }
  add(guard.thread().record->mapped_bytes, end - start);
  const tree::Context c = tree::current_context(guard, log::RecordClass::Map, log::kHeapWordCount);
  const What what = c.record != nullptr ? What::Map : What::Replace;
  const Operation operation{start, end, made, c.node, guard.thread().tid & kTidBits, what};
  perform(guard, &operation);
}

bool recording(const Guard& guard) {
  if (!guard || process().options.heap == log::HeapMode::Off || !log::ensure_created()) return false;
  threads::settle(guard.thread());
  return true;
}

// What the agent takes for one mapping.
class Timed {
 public:
  explicit Timed(const Guard& guard) : thread_(guard.thread()), own_(thread_.cpu_seen) {}
  ~Timed() { add(thread_.record->agent_ns, own_.until(clock::monotonic())); }
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;

 private:
  ThreadState& thread_;
  const OwnTime own_;
};

}  // namespace

std::uint64_t mappings_so_far() { return g_state.value.order.load(std::memory_order_acquire); }

[[gnu::noinline]] void mapped(void* start, std::size_t length, bool reserved) {
  const HookGuard guard;
  if (!recording(guard)) return;
  const Timed timed(guard);
  const auto at = reinterpret_cast<std::uintptr_t>(start);
  put_in(guard, at, page_end(at, length), reserved);
}

void unmapped(void* start, std::size_t length, std::uint64_t before) {
  const HookGuard guard;
  if (!recording(guard)) return;
  const Timed timed(guard);
  add(guard.thread().record->unmaps, 1);
  const auto at = reinterpret_cast<std::uintptr_t>(start);
  take_out(guard, at, page_end(at, length), before);
}

[[gnu::noinline]] void remapped(void* from, std::size_t old_length, void* to, std::size_t new_length,
                                std::uint64_t before) {
  const HookGuard guard;
  if (!recording(guard)) return;
  const Timed timed(guard);
  const auto at = reinterpret_cast<std::uintptr_t>(from), target = reinterpret_cast<std::uintptr_t>(to);
  if (old_length != 0) take_out(guard, at, page_end(at, old_length), before);  // 0 duplicates a shared mapping
  put_in(guard, target, page_end(target, new_length));
}

bool program_ranges(std::uintptr_t from, AddressRange* to, std::uint32_t room, std::uint32_t& count) {
  State& s = g_state.value;
  const HeldLock locked(s.lock);
  if (!locked) return false;
  const Range* range = nullptr;
  for (count = 0; count < room && (range = s.table.first_after(from)) != nullptr; ++count) {
    to[count] = {range->start, range->end};
    from = range->end;
  }
  return true;
}

void settle_mappings(const Guard& guard) {
  if (log::header() != nullptr && g_state.value.queue.ready()) perform(guard, nullptr);
}

void prepare_mappings() { pages::wipe_in_child(g_state); }

}  // namespace prof::heap
