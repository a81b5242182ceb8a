#include "agent/python/task_object.hpp"

#include <atomic>

#include "agent/core/checked_copy.hpp"
#include "agent/python/current_thread.hpp"
#include "agent/python/suspended.hpp"
#include "agent/python/type_name.hpp"

namespace prof::python {
namespace {

using Address = std::uintptr_t;

// From a task to its coroutine, as it was found last; 0: never.
std::atomic<std::uint32_t> g_coroutine_of_task{0};
// The class of tasks, as it was found first: it lives as long as its interpreter.
std::atomic<Address> g_task_type{0};

constexpr Address kTaskBytes = 256;  // in which a task keeps its coroutine
constexpr Address kFirstField = 16;  // behind an object's head
constexpr unsigned kMostBases = 16;
// Of a type (PyTypeObject, all versions): how large its objects are, and what it was made of.
constexpr Address kBasicSize = 32, kBase = 256;

Address type_of(const Interpreter& of, Memory& memory, Address object) {
  Address type = 0;
  return object != 0 && memory.load(object + of.offsets.type, type) ? type : 0;
}

bool is(Address type, const void* known) { return known != nullptr && type == reinterpret_cast<Address>(known); }

bool is_coroutine_at(const Interpreter& of, Memory& memory, Address at) {
  Address object = 0;
  return memory.load(at, object) && (object & 7) == 0 && object > 4096 &&
         is(type_of(of, memory, object), api().PyCoro_Type);
}

// Of all that a task keeps, its result may be a coroutine as well; but behind that there is no name.
bool is_name_at(const Interpreter& of, Memory& memory, Address at) {
  Address object = 0;
  return memory.load(at, object) && (object & 7) == 0 &&
         (type_of(of, memory, object) == of.text_type || has_type(of, memory, object, "int"));
}

// Where the object ends, as far as it is looked at; 0: it cannot be read. A task that is written in Python is no larger
// than any object, and what lies behind it is another one.
Address end_of(const Interpreter& of, Memory& memory, Address object) {
  const Address type = type_of(of, memory, object);
  Address size = 0;
  if (type == 0 || !memory.load(type + kBasicSize + of.offsets.head_more(), size)) return 0;
  return object + (size < kTaskBytes ? size : kTaskBytes);
}

// Not all words of an object are addresses.
[[gnu::noinline]] Address find_field(const Interpreter& of, Address task, Address end) {
  Memory memory(Memory::Access::Copied, {});
  for (Address at = task + kFirstField + of.offsets.head_more() + sizeof(Address); at + sizeof(Address) < end;
       at += sizeof(Address)) {
    if (!is_coroutine_at(of, memory, at) || !is_name_at(of, memory, at + sizeof(Address))) continue;
    g_coroutine_of_task.store(static_cast<std::uint32_t>(at - task), std::memory_order_relaxed);
    return at;
  }
  return 0;
}

bool read_part(const Interpreter& of, Memory& memory, Address at, TaskTexts::Text& text) {
  constexpr std::size_t kPage = 4096, kHead = 96;
  Address object = 0;
  if (!memory.load(at, object) || object == 0 || (object & 7) != 0) return false;
  if (has_gil(of)) {
    Memory own(Memory::Access::Direct, {});
    if (!read_text(own, of.offsets, object, of.text_type, text)) return false;
    if (text.length > TaskTexts::kLongest) text.length = TaskTexts::kLongest;
    return true;
  }
  // What lies behind the object may not be there.
  const std::size_t to_page_end = kPage - object % kPage;
  const std::size_t first = to_page_end < kHead              ? kHead
                            : to_page_end < sizeof text.room ? to_page_end
                                                             : sizeof text.room;
  if (!copy_checked(text.room, object, first)) return false;
  Memory own(Memory::Access::Direct, {});
  if (!read_text(own, of.offsets, reinterpret_cast<Address>(text.room), of.text_type, text)) return false;
  if (text.length > TaskTexts::kLongest) text.length = TaskTexts::kLongest;
  const auto needed = static_cast<std::size_t>(static_cast<const char*>(text.units) - text.room) + text.byte_count();
  return needed <= first ||
         (needed <= sizeof text.room && copy_checked(text.room + first, object + first, needed - first));
}

}  // namespace

Address coroutine_field(const Interpreter& of, Memory& memory, Address task) {
  const Address end = end_of(of, memory, task);
  if (end == 0) return 0;
  const std::uint32_t known = g_coroutine_of_task.load(std::memory_order_relaxed);
  if (known != 0 && task + known + sizeof(Address) < end && is_coroutine_at(of, memory, task + known))
    return task + known;
  return find_field(of, task, end);
}

bool is_task(const Interpreter& of, Memory& memory, Address object) {
  Address type = type_of(of, memory, object);
  const Address known = g_task_type.load(std::memory_order_relaxed);
  for (unsigned i = 0; type != 0 && i < kMostBases; ++i) {
    if (type == known) return true;
    if (is_type_named(of, memory, type, "_asyncio.Task")) {
      g_task_type.store(type, std::memory_order_relaxed);
      return true;
    }
    if (!memory.load(type + kBase + of.offsets.head_more(), type)) return false;
  }
  return false;
}

// A coroutine need not be one of the interpreter's own: where it stands is known from one that was.
bool coroutine_of_task(const Interpreter& of, Memory& memory, Address task, Address& coroutine) {
  const std::uint32_t known = g_coroutine_of_task.load(std::memory_order_relaxed);
  const Address at = known != 0 ? task + known : coroutine_field(of, memory, task);
  return at != 0 && memory.load(at, coroutine);
}

bool read_task(const Interpreter& of, Memory& memory, Address task, TaskTexts& texts) {
  SuspendedLayout layout{};
  if (!suspended_layout(of, layout)) return false;
  Address coroutine = 0;
  if (!coroutine_of_task(of, memory, task, coroutine)) return false;
  const Address at = task + g_coroutine_of_task.load(std::memory_order_relaxed);
  if (!read_part(of, memory, at + sizeof(Address), texts.name)) texts.name.length = 0;
  const Address type = type_of(of, memory, coroutine);
  const bool own = is(type, api().PyCoro_Type) || is(type, api().PyGen_Type);
  if (!own || !read_part(of, memory, coroutine + layout.qualname, texts.coroutine)) texts.coroutine.length = 0;
  return true;
}

}  // namespace prof::python
