#include "agent/python/awaiting.hpp"

#include <atomic>
#include <string_view>

#include "agent/core/process.hpp"
#include "agent/core/text.hpp"
#include "agent/log/info.hpp"
#include "agent/python/frame_reader.hpp"
#include "agent/python/gathered.hpp"
#include "agent/python/loop_code.hpp"

namespace prof::python {
namespace {

using Address = std::uintptr_t;

// The most tasks that one gather() was seen to wait for: so many may be awaited at once. And in which process: a forked
// child has a log of its own.
std::atomic<std::uint32_t> g_gathered{0}, g_gathered_in{0};

// From a task to its coroutine, as it was found last; 0: never.
std::atomic<std::uint32_t> g_coroutine_of_task{0};

constexpr std::uint32_t kMostAwaited = 64;  // frames
constexpr std::uint32_t kMostTasks = 8;     // each of which awaits the next
constexpr Address kTaskBytes = 256;         // in which a task keeps its coroutine
// These stand further on where an object's head is longer (Offsets::head_more).
constexpr Address kBasicSize = 32;           // of a type: how large its objects are (PyTypeObject, all versions)
constexpr Address kFirstField = 16;          // behind an object's head
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

// Where suspended frames keep what they are made of: the headers that offsets.hpp names.
struct Layout {
  Address locals;     // of a frame: its local variables, the arguments first
  Address coroutine;  // of a coroutine: its frame; Objects: a pointer to it
  Address top;        // of a frame: how far its stack reaches
  enum class Top : std::uint8_t { Pointer, Count, CountOfStack } kind;
  Address stack = 0;  // CountOfStack: of a frame, a pointer to its stack
};

bool layout_of_version(const Interpreter& of, Layout& layout) {
  using Top = Layout::Top;
  switch (of.version.minor) {
    case 8:
    case 9:
      layout = {360, 16, 72, Top::Pointer};
      return true;
    case 10:
      layout = {352, 16, 80, Top::CountOfStack, 64};
      return true;
    case 11:
      layout = {72, 80, 64, Top::Count};
      return true;
    case 12:
    case 13:
      layout = {72, 72, 64, Top::Count};
      return true;
    case 14:
    case 15:
      layout = {80, 72, 64, Top::Pointer};
      return true;
    default:
      return false;
  }
}

bool layout_of(const Interpreter& of, Layout& layout) {
  if (!layout_of_version(of, layout)) return false;
  layout.coroutine += of.offsets.head_more();
  return true;
}

// The address of the frame that is so far out, and places of frames that nobody links.
class OneFrame {
 public:
  explicit OneFrame(std::uint32_t wanted) : wanted_(wanted) {}
  bool frame(Address at, Address code, std::uint32_t place) {
    found_ = at;
    code_ = code;
    place_ = place;
    ++seen_;
    return true;
  }
  void close(Address) { open_ = false; }
  bool open() const { return open_; }
  bool rest_known(Address, Address) const { return false; }
  bool full() const { return seen_ > wanted_; }

  Address found() const { return full() ? found_ : 0; }
  Address code() const { return code_; }
  std::uint32_t place() const { return place_; }

 private:
  std::uint32_t wanted_, seen_ = 0;
  Address found_ = 0, code_ = 0;
  std::uint32_t place_ = 0;
  bool open_ = false;
};

class Awaited {
 public:
  Awaited(const Interpreter& of, const Layout& layout, Memory& memory, CodeCache& codes)
      : of_(of), layout_(layout), memory_(memory), codes_(codes) {}

  // The frame that is `index` frames out from the innermost one; 0: it was not found again.
  Address frame_at(const Start& start, std::uint32_t index) {
    OneFrame sink(index);
    FrameReader<OneFrame> reader(of_.offsets, memory_, sink);
    if (of_.offsets.chain != Chain::Objects) {
      bool complete = false;
      return reader.run(start.thread_state, start.cframe, complete) ? sink.found() : 0;
    }
    Address frame = 0;
    if (!memory_.load(start.thread_state + of_.offsets.current, frame)) return 0;
    for (; frame != 0 && !sink.full(); frame = reader.previous()) {
      if (!reader.take(frame)) return 0;
    }
    return sink.found();
  }

  // Of the task that is the second argument of the frame, and of those that it waits for.
  void of_argument(Address frame) {
    Address task = 0;
    if (!memory_.load(frame + layout_.locals + sizeof(Address), task)) return;
    task &= ~Address{3};  // 3.14 keeps a tag there
    for (std::uint32_t tasks = 0; task != 0 && tasks < kMostTasks; ++tasks) {
      const Address at = coroutine_field(task);
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

  bool is_coroutine_at(Address at) {
    Address object = 0;
    return memory_.load(at, object) && (object & 7) == 0 && object > 4096 && is(type_of(object), api().PyCoro_Type);
  }

  // Where the task keeps its coroutine; 0: it is no task, or one that is written in Python.
  Address coroutine_field(Address task) {
    // A task written in Python is no larger than any object, and what lies behind it is another one.
    const Address type = type_of(task);
    Address size = 0;
    if (type == 0 || !memory_.load(type + kBasicSize + head_more(), size)) return 0;
    const Address end = task + (size < kTaskBytes ? size : kTaskBytes);
    const std::uint32_t known = g_coroutine_of_task.load(std::memory_order_relaxed);
    if (known != 0 && task + known < end && is_coroutine_at(task + known)) return task + known;
    for (Address at = task + kFirstField + head_more() + sizeof(Address); at < end; at += sizeof(Address)) {
      if (!is_coroutine_at(at)) continue;
      g_coroutine_of_task.store(static_cast<std::uint32_t>(at - task), std::memory_order_relaxed);
      return at;
    }
    return 0;
  }

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
      const Address at = coroutine_field(task);
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
    OneFrame sink(0);
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
      case Layout::Top::Pointer:
        if (!memory_.load(frame + layout_.top, top)) return false;
        break;
      case Layout::Top::Count:
        top = frame + layout_.locals;
        break;
      case Layout::Top::CountOfStack:
        if (!memory_.load(frame + layout_.stack, top)) return false;
        break;
    }
    if (layout_.kind != Layout::Top::Pointer) {
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
  const Layout& layout_;
  Memory& memory_;
  CodeCache& codes_;
  std::uint64_t entries_[kMostAwaited];
  std::uint32_t count_ = 0;
  Address innermost_ = 0;  // the frame of the last entry
};

}  // namespace

void add_awaited(const Interpreter& of, const Start& start, Memory& memory, Scratch& scratch) {
  FrameList& list = scratch.list;
  Layout layout{};
  const std::uint32_t runs = loop_frame(list);
  if (runs == 0 || !layout_of(of, layout)) return;
  Awaited awaited(of, layout, memory, scratch.codes);
  const Address frame = awaited.frame_at(start, runs);
  if (frame == 0) return;
  awaited.of_argument(frame);
  const std::uint32_t more = awaited.count();
  if (more == 0 || list.frames + more > list.room || list.group_count == 0) return;
  for (std::uint32_t i = list.frames; i-- > 0;) list.entries[i + more] = list.entries[i];
  for (std::uint32_t i = 0; i < more; ++i) list.entries[more - 1 - i] = awaited.entry(i);
  list.frames += more;
  list.groups[0].count += more;
  for (std::uint32_t g = 1; g < list.group_count; ++g) list.groups[g].first += more;
}

}  // namespace prof::python
