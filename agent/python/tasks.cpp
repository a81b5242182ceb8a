#include "agent/python/tasks.hpp"

#include <atomic>
#include <cstring>
#include <initializer_list>

#include "agent/python/loop_code.hpp"
#include "agent/python/stack_switchers.hpp"
#include "agent/python/stepped.hpp"
#include "agent/python/suspended.hpp"
#include "agent/python/task_object.hpp"
#include "agent/python/type_name.hpp"

namespace prof::python {
namespace {

using Address = std::uintptr_t;

// Types of what calls a task, as they were found first: they live as long as their interpreter.
std::atomic<Address> g_step_type{0}, g_wakeup_type{0}, g_handle_type{0};

constexpr std::size_t kRoom = 800;               // for a text of a task in UTF-8
constexpr std::uint32_t kMostUnits = kRoom / 4;  // units
// Behind a head. Of a Handle, whose slots stand in the order of their names: _callback. Of a method, and of a C
// function: its self; of what steps a task: the task.
constexpr Address kCallback = 8, kSelf = 8, kStepped = 0;

struct Utf8 {
  explicit Utf8(TextObject text) {
    if (text.length > kMostUnits) text.length = kMostUnits;
    end = text.length == 0 ? room : text.write_utf8(room);
  }
  std::string_view view() const { return {room, static_cast<std::size_t>(end - room)}; }
  char room[kRoom];
  char* end;
};

// "Task-123": what a task is called that the program gave no name. From 3.12 on it may be a number instead.
bool is_automatic(std::string_view name) {
  constexpr std::string_view kBegin = "Task-";
  if (name.size() <= kBegin.size() || !name.starts_with(kBegin)) return false;
  for (std::size_t i = kBegin.size(); i < name.size(); ++i) {
    if (name[i] < '0' || name[i] > '9') return false;
  }
  return true;
}

std::uint64_t entry(std::uint32_t name) { return name == 0 ? 0 : named_entry(name); }

Address object_type(const Interpreter& of, Memory& memory, Address object) {
  Address type = 0;
  return object != 0 && (object & 7) == 0 && memory.load(object + of.offsets.type, type) ? type : 0;
}

// Whether the object is asyncio's Handle, or one made of it: a class of Python's with slots, of which the second is the
// callback. Others may have a function _run in a file of that name.
bool is_handle(const Interpreter& of, Memory& memory, Address object) {
  constexpr Address kBasicSize = 32, kBase = 256, kLeast = kCallback + sizeof(Address);
  constexpr unsigned kMostBases = 8;
  Address type = object_type(of, memory, object);
  for (unsigned i = 0; type != 0 && i < kMostBases; ++i) {
    Address size = 0;
    if (type == g_handle_type.load(std::memory_order_relaxed)) return true;
    if (is_type_named(of, memory, type, "Handle") && memory.load(type + kBasicSize + of.offsets.head_more(), size) &&
        size >= of.head_bytes() + kLeast) {
      g_handle_type.store(type, std::memory_order_relaxed);
      return true;
    }
    if (!memory.load(type + kBase + of.offsets.head_more(), type)) return false;
  }
  return false;
}

// The task that a callback of a loop steps; 0: it is none's.
Address task_of(const Interpreter& of, Memory& memory, Address callback) {
  const Address type = object_type(of, memory, callback);
  if (type == 0) return 0;
  const auto is = [type](const void* known) { return known != nullptr && type == reinterpret_cast<Address>(known); };
  const auto steps = [&](std::atomic<Address>& known, std::initializer_list<std::string_view> names) {
    if (type == known.load(std::memory_order_relaxed)) return true;
    for (const std::string_view name : names) {
      if (!is_type_named(of, memory, type, name)) continue;
      known.store(type, std::memory_order_relaxed);
      return true;
    }
    return false;
  };
  Address task = 0;
  if (is(api().PyCFunction_Type) || is(api().PyMethod_Type)) {
    if (!memory.load(callback + of.head_bytes() + kSelf, task)) return 0;
  } else if (steps(g_step_type, {"_asyncio.TaskStepMethWrapper", "TaskStepMethWrapper"}) ||
             steps(g_wakeup_type, {"TaskWakeupMethWrapper"})) {
    if (!memory.load(callback + of.head_bytes() + kStepped, task)) return 0;
  }
  return task != 0 && (task & 7) == 0 && is_task(of, memory, task) ? task : 0;
}

// Puts the entry at `at` among the entries of the list, as one of the group.
bool insert(FrameList& list, std::uint32_t at, std::uint32_t group, std::uint64_t entry) {
  if (entry == 0 || list.frames >= list.room) return false;
  std::memmove(list.entries + at + 1, list.entries + at, (list.frames - at) * sizeof(std::uint64_t));
  list.entries[at] = entry;
  ++list.frames;
  ++list.groups[group].count;
  while (++group < list.group_count) ++list.groups[group].first;
  return true;
}

std::uint64_t entry_of(const Guard& guard, const Interpreter& of, Memory& memory, Address task) {
  TaskTexts texts;
  if (task == 0 || !read_task(of, memory, task, texts)) return 0;
  Scratch* scratch = scratch_of(guard);
  if (scratch == nullptr) return 0;
  if (const std::uint64_t known = scratch->tasks.find(task, texts.name, texts.coroutine)) return known;
  const Utf8 name(static_cast<const TextObject&>(texts.name)),
      coroutine(static_cast<const TextObject&>(texts.coroutine));
  const bool named = !name.view().empty() && !is_automatic(name.view());
  const std::string_view shown = named ? name.view() : coroutine.view();
  const std::uint64_t found = shown.empty() ? 0 : entry(task_name(guard, shown, coroutine.view()));
  if (found != 0) scratch->tasks.keep(task, texts.name, texts.coroutine, found);
  return found;
}

bool by_callback(const Guard& guard, const Interpreter& of, Memory& memory, FrameList& list) {
  for (std::uint32_t i = 0, group = 0; i < list.frames; ++i) {
    while (group + 1 < list.group_count && i >= list.groups[group + 1].first) ++group;
    const auto code = static_cast<std::uint32_t>((list.entries[i] & ~kPythonEntry) >> 32);
    if (runs_callback(code)) {
      insert(list, i, group, task_of_callback(guard, of, memory, list.addresses[i]));
      return true;
    }
    if (i == 0 || !starts_eagerly(code)) continue;
    if (!is_coroutine_frame(of, memory, list.addresses[i - 1])) continue;
    return insert(list, i, group, entry_of_function(guard, of, memory, list.addresses[i - 1]));
  }
  return false;
}

void by_coroutine(const Guard& guard, const Interpreter& of, Memory& memory, const StackBounds& stack,
                  FrameList& list) {
  std::uint32_t outermost = list.group_count;
  const auto first_of = [&](std::uint32_t g) { return list.groups[g].first + list.groups[g].count - 1; };
  for (std::uint32_t g = 0; g < list.group_count; ++g) {
    const Group& group = list.groups[g];
    if (group.anchor == 0 || !is_coroutine_frame(of, memory, list.addresses[first_of(g)])) continue;
    const Address task = task_that_steps(of, stack, list.addresses[first_of(g)], group.anchor);
    if (insert(list, first_of(g) + 1, g, entry_of(guard, of, memory, task))) return;
    outermost = g;
  }
  if (outermost == list.group_count) return;
  const std::uint32_t first = first_of(outermost);
  insert(list, first + 1, outermost, entry_of_function(guard, of, memory, list.addresses[first]));
}

}  // namespace

std::uint64_t entry_of_function(const Guard& guard, const Interpreter& of, Memory& memory, Address frame) {
  const Offsets& o = of.offsets;
  Address code = 0, name = 0;
  TextObject text;
  if (!memory.load(frame + o.code, code)) return 0;
  code &= ~Address{3};
  if (object_type(of, memory, code) != of.code_type ||
      !memory.load(code + (o.qualname != kAbsent ? o.qualname : o.name), name) ||
      !read_text(memory, o, name, of.text_type, text))
    return 0;
  const Utf8 utf8(text);
  return utf8.view().empty() ? 0 : entry(task_name(guard, utf8.view(), utf8.view()));
}

std::uint64_t task_of_callback(const Guard& guard, const Interpreter& of, Memory& memory, Address frame) {
  SuspendedLayout layout{};
  Address handle = 0, callback = 0;
  if (!suspended_layout(of, layout) || !memory.load(frame + layout.locals, handle)) return 0;
  handle &= ~Address{3};  // 3.14 keeps a tag there
  if (!is_handle(of, memory, handle) || !memory.load(handle + of.head_bytes() + kCallback, callback)) return 0;
  return entry_of(guard, of, memory, task_of(of, memory, callback));
}

std::uint64_t task_of_coroutine(const Guard& guard, const Interpreter& of, Memory& memory, const StackBounds& stack,
                                Address frame, Address anchor) {
  return entry_of(guard, of, memory, task_that_steps(of, stack, frame, anchor));
}

void add_task(const Guard& guard, const Interpreter& of, Memory& memory, const StackBounds& stack, Scratch& scratch) {
  if (by_callback(guard, of, memory, scratch.list) || !uvloop_seen()) return;
  by_coroutine(guard, of, memory, stack, scratch.list);
}

}  // namespace prof::python
