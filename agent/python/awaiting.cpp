#include "agent/python/awaiting.hpp"

#include <atomic>
#include <string_view>

#include "agent/core/process.hpp"
#include "agent/core/text.hpp"
#include "agent/log/info.hpp"
#include "agent/python/frame_reader.hpp"
#include "agent/python/gathered.hpp"
#include "agent/python/loop_code.hpp"
#include "agent/python/suspended.hpp"
#include "agent/python/task_object.hpp"
#include "agent/python/type_name.hpp"

namespace prof::python {
namespace {

using Address = std::uintptr_t;

// The most tasks that one gather() was seen to wait for: so many may be awaited at once. And in which process: a forked
// child has a log of its own.
std::atomic<std::uint32_t> g_gathered{0}, g_gathered_in{0};

constexpr std::uint32_t kMostAwaited = 64;  // frames
constexpr std::uint32_t kMostTasks = 8;     // each of which awaits the next
// These stand further on where an object's head is longer (Offsets::head_more).
constexpr Address kGeneratorOfSend = 16;     // of what awaits an asynchronous generator
constexpr Address kCoroutineOfWrapper = 16;  // of what coroutine.__await__() gives

// The log has numbers that are larger than those before, by an eighth at least: a program may gather one more each
// time.
void note_gathered(std::uint32_t count) {
  const auto pid = static_cast<std::uint32_t>(process().pid);
  if (g_gathered_in.exchange(pid, std::memory_order_relaxed) != pid) g_gathered.store(0, std::memory_order_relaxed);
  std::uint32_t most = g_gathered.load(std::memory_order_relaxed);
  if (count <= most + most / 8 || !g_gathered.compare_exchange_strong(most, count, std::memory_order_relaxed)) return;
  Text<32> text;
  text << "gathered=" << count;
  log::append_info(log::InfoKey::Python, text.view());
}

// What one frame tells of itself.
class OneFrame {
 public:
  bool frame(Address, Address code, std::uint32_t place) {
    code_ = code;
    place_ = place;
    return true;
  }
  void close(Address) {}
  bool open() const { return false; }
  bool rest_known(Address, Address) const { return false; }
  bool full() const { return true; }

  Address code() const { return code_; }
  std::uint32_t place() const { return place_; }

 private:
  Address code_ = 0;
  std::uint32_t place_ = 0;
};

class Awaited {
 public:
  Awaited(const Interpreter& of, const SuspendedLayout& layout, Memory& memory, CodeCache& codes)
      : of_(of), layout_(layout), memory_(memory), codes_(codes) {}

  // Of the task that is the second argument of the frame, and of those that it waits for.
  void of_argument(Address frame) {
    Address task = 0;
    if (!memory_.load(frame + layout_.locals + sizeof(Address), task)) return;
    task &= ~Address{3};  // 3.14 keeps a tag there
    for (std::uint32_t tasks = 0; task != 0 && tasks < kMostTasks; ++tasks) {
      const Address at = coroutine_field(of_, memory_, task);
      Address coroutine = 0, waiter = 0;
      if (at == 0 || !memory_.load(at, coroutine) || !of_coroutine(coroutine)) return;
      // The field before it, in all versions: what the task waits for.
      if (!memory_.load(at - sizeof(Address), waiter)) return;
      task = type_of(waiter) == type_of(task) ? waiter : sole_gathered(waiter);
    }
  }

  std::uint32_t count() const { return count_; }
  std::uint64_t entry(std::uint32_t i) const { return entries_[i]; }  // outermost first

 private:
  Address type_of(Address object) {
    Address type = 0;
    return object != 0 && memory_.load(object + of_.offsets.type, type) ? type : 0;
  }
  Address head_more() const { return of_.offsets.head_more(); }
  static Address address(const void* of) { return reinterpret_cast<Address>(of); }
  bool is(Address type, const void* known) const { return known != nullptr && type == address(known); }

  // Of the tasks that gather() waits for, the one that keeps it: the others are done, or wait for a lock, as a rule for
  // one that this task holds. 0: there are several.
  Address sole_gathered(Address future) {
    Gathered children;
    if (!gathered_by(of_, memory_, future, children)) return 0;
    note_gathered(children.count);
    Address sole = 0;
    for (std::uint32_t i = 0; i < children.count; ++i) {
      Address task = 0, coroutine = 0, waiter = 0;
      if (!memory_.load(children.items + i * sizeof(Address), task)) return 0;
      const Address at = coroutine_field(of_, memory_, task);
      if (at == 0 || !memory_.load(at, coroutine) || !memory_.load(at - sizeof(Address), waiter)) return 0;
      if (waiter == 0 || waits_for_lock(coroutine)) continue;  // a task that is done waits for nothing
      if (sole != 0) return 0;
      sole = task;
    }
    return sole;
  }

  bool waits_for_lock(Address coroutine) {
    const std::uint32_t before = count_;
    bool waits = of_coroutine(coroutine) && count_ > before && is_acquire(entries_[count_ - 1]);
    count_ = before;
    Address lock = 0;
    waits = waits && memory_.load(innermost_ + layout_.locals, lock);
    return waits && has_type(of_, memory_, lock & ~Address{3}, "Lock");
  }

  // False: something did not hold together, or there is no room for more.
  bool of_coroutine(Address object) {
    for (std::uint32_t steps = 0; steps < 2 * kMostAwaited; ++steps) {
      const Address type = type_of(object);
      const bool known = is(type, api().PyCoro_Type) || is(type, api().PyGen_Type) || is(type, api().PyAsyncGen_Type);
      if (!known) {
        if (is(type, api()._PyAsyncGenASend_Type) && memory_.load(object + kGeneratorOfSend + head_more(), object))
          continue;
        if (is(type, api()._PyCoroWrapper_Type) && memory_.load(object + kCoroutineOfWrapper + head_more(), object))
          continue;
        return true;  // a future, or what else is awaited: the end of the chain
      }
      Address frame = object + layout_.coroutine;
      if (of_.offsets.chain == Chain::Objects && (!memory_.load(frame, frame) || frame == 0)) return false;
      if (!put(frame) || !awaited_by(frame, object)) return false;
    }
    return false;
  }

  bool put(Address frame) {
    if (count_ == kMostAwaited) return false;
    OneFrame sink;
    FrameReader<OneFrame> reader(of_.offsets, memory_, sink);
    if (!reader.take(frame)) return false;
    const std::uint32_t id = code_id(of_, codes_, memory_, sink.code());
    if (id == kNotACode) return false;
    entries_[count_++] = python_entry(id, sink.place());
    innermost_ = frame;
    return true;
  }

  // What a suspended frame awaits is on top of its stack.
  bool awaited_by(Address frame, Address& object) {
    Address top = 0;
    std::int32_t count = 0;
    switch (layout_.kind) {
      case SuspendedLayout::Top::Pointer:
        if (!memory_.load(frame + layout_.top, top)) return false;
        break;
      case SuspendedLayout::Top::Count:
        top = frame + layout_.locals;
        break;
      case SuspendedLayout::Top::CountOfStack:
        if (!memory_.load(frame + layout_.stack, top)) return false;
        break;
    }
    if (layout_.kind != SuspendedLayout::Top::Pointer) {
      if (!memory_.load(frame + layout_.top, count) || count <= 0 || count > 1 << 16) return false;
      top += static_cast<Address>(count) * sizeof(Address);
    }
    if (top == 0 || !memory_.load(top - sizeof(Address), object)) return false;
    object &= ~Address{3};
    // From 3.15 on there is an index above what is iterated: none where that is awaited.
    if (object == 0 && of_.version.at_least(15)) {
      if (!memory_.load(top - 2 * sizeof(Address), object)) return false;
      object &= ~Address{3};
    }
    return true;
  }

  const Interpreter& of_;
  const SuspendedLayout& layout_;
  Memory& memory_;
  CodeCache& codes_;
  std::uint64_t entries_[kMostAwaited];
  std::uint32_t count_ = 0;
  Address innermost_ = 0;  // the frame of the last entry
};

}  // namespace

void add_awaited(const Interpreter& of, Memory& memory, Scratch& scratch) {
  FrameList& list = scratch.list;
  SuspendedLayout layout{};
  const std::uint32_t runs = loop_frame(list);
  if (runs == 0 || !list.has_addresses || !suspended_layout(of, layout)) return;
  Awaited awaited(of, layout, memory, scratch.codes);
  awaited.of_argument(list.addresses[runs]);
  const std::uint32_t more = awaited.count();
  if (more == 0 || list.frames + more > list.room || list.group_count == 0) return;
  for (std::uint32_t i = list.frames; i-- > 0;) list.entries[i + more] = list.entries[i];
  for (std::uint32_t i = 0; i < more; ++i) list.entries[more - 1 - i] = awaited.entry(i);
  list.frames += more;
  list.groups[0].count += more;
  for (std::uint32_t g = 1; g < list.group_count; ++g) list.groups[g].first += more;
}

}  // namespace prof::python
