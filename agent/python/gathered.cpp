#include "agent/python/gathered.hpp"

#include "agent/python/type_name.hpp"

namespace prof::python {
namespace {

using Address = std::uintptr_t;

// Each is looked at whenever the loop waits, and of those that wait for something the frames as well.
constexpr std::int64_t kMostGathered = 1024;

// All of these stand further on where an object's head is longer (Offsets::head_more), but for what stands before it.
// Of a type (PyTypeObject), all versions: where its objects have their dict, and more.
constexpr Address kTypeDict = 288;
constexpr Address kTypeBasicSize = 32, kTypeFlags = 168;  // how large its objects are; Py_TPFLAGS_...
constexpr std::uint64_t kInlineValues = 1U << 2;
constexpr std::int64_t kLargestObject = 1 << 12;  // that is believed
constexpr Address kMostValues = 16;               // that are looked at
// Before an object whose dict the interpreter keeps (3.12 on): in front of what the collector has there, if it has.
constexpr Address kManagedDict = 24, kManagedDictWithoutGil = 8;
// Of a dict: its keys, and its values where they stand apart from these.
constexpr Address kDictKeys = 32, kDictValues = 40;
constexpr Address kListSize = 16, kListItems = 24;

// The values that stand behind an object for which no dict was made yet (3.13 on), after a word that says how many
// there is room for and whether they hold.
bool values_behind(const Interpreter& of, Memory& memory, Address object, Address type, Address& values) {
  const Address more = of.offsets.head_more();
  std::uint64_t flags = 0;
  std::int64_t size = 0;
  if (!of.version.at_least(13) || !memory.load(type + kTypeFlags + more, flags) || (flags & kInlineValues) == 0 ||
      !memory.load(type + kTypeBasicSize + more, size) || size <= 0 || size > kLargestObject)
    return false;
  std::uint8_t valid = 0;
  values = object + static_cast<Address>(size);
  return memory.load(values + 3, valid) && valid == 1;
}

// The only list among them. From 3.14 on attributes have their places by their names before any is set.
bool list_among(const Interpreter& of, Memory& memory, Address values, Address& list) {
  std::uint8_t capacity = 0;
  if (!memory.load(values, capacity)) return false;
  for (Address i = 1; i <= capacity && i <= kMostValues; ++i) {
    if (!memory.load(values + 8 * i, list)) return false;
    if (has_type(of, memory, list, "list")) return true;
  }
  return false;
}

// The value of the first key, of a dict of an object: the attribute that was set first.
bool first_value(const Interpreter& of, Memory& memory, Address dict, Address& value) {
  const Address more = of.offsets.head_more();
  Address keys = 0, values = 0;
  if (!memory.load(dict + kDictKeys + more, keys) || !memory.load(dict + kDictValues + more, values)) return false;
  if (values != 0) return of.version.at_least(13) ? list_among(of, memory, values, value) : memory.load(values, value);
  if (!of.version.at_least(11)) {
    // Head, a byte for each place of a small table, and of each entry its hash, key and value.
    std::int64_t places = 0;
    return memory.load(keys + 8, places) && places == 8 && memory.load(keys + 40 + 8 + 16, value);
  }
  std::uint8_t log2_places = 0, kind = 0;
  if (!memory.load(keys + 8, log2_places) || log2_places != 3 || !memory.load(keys + 10, kind)) return false;
  const Address entry = keys + 32 + 8;
  return memory.load(entry + (kind == 0 ? 16 : 8), value);  // where all keys are texts, their hashes are left out
}

}  // namespace

bool gathered_by(const Interpreter& of, Memory& memory, Address future, Gathered& children) {
  if (!has_type(of, memory, future, "_GatheringFuture")) return false;
  Address type = 0, dict = 0, list = 0;
  std::int64_t offset = 0, size = 0;
  const Address more = of.offsets.head_more();
  const Address managed = of.offsets.free_threaded ? kManagedDictWithoutGil : kManagedDict;
  if (!memory.load(future + of.offsets.type, type) || !memory.load(type + kTypeDict + more, offset)) return false;
  if (!memory.load(offset > 0 ? future + static_cast<Address>(offset) : future - managed, dict)) return false;
  Address values = 0;
  const bool found = dict != 0 ? first_value(of, memory, dict, list)
                               : offset <= 0 && values_behind(of, memory, future, type, values) &&
                                     list_among(of, memory, values, list);
  if (!found || !has_type(of, memory, list, "list")) return false;
  if (!memory.load(list + kListSize + more, size) || size <= 0 || size > kMostGathered) return false;
  children.count = static_cast<std::uint32_t>(size);
  return memory.load(list + kListItems + more, children.items);
}

}  // namespace prof::python
