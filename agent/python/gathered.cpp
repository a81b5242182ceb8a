#include "agent/python/gathered.hpp"

#include <cstring>

namespace prof::python {
namespace {

using Address = std::uintptr_t;

constexpr std::int64_t kMostGathered = 64;  // each is looked at whenever the loop waits

// Of a type (PyTypeObject), all versions: its name, and where its objects have their dict.
constexpr Address kTypeName = 24, kTypeDict = 288;
constexpr Address kManagedDict = 24;  // before an object whose dict the interpreter keeps (3.12 on)
// Of a dict: its keys, and its values where they stand apart from these.
constexpr Address kDictKeys = 32, kDictValues = 40;
constexpr Address kListSize = 16, kListItems = 24;

// The value of the first key, of a dict of an object: the attribute that was set first.
bool first_value(const Interpreter& of, Memory& memory, Address dict, Address& value) {
  Address keys = 0, values = 0;
  if (!memory.load(dict + kDictKeys, keys) || !memory.load(dict + kDictValues, values)) return false;
  if (values != 0) return memory.load(values + (of.version.at_least(13) ? 8 : 0), value);
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

bool has_type(const Interpreter& of, Memory& memory, Address object, std::string_view name) {
  Address type = 0, text = 0;
  if (object == 0 || !memory.load(object + of.offsets.type, type) || !memory.load(type + kTypeName, text)) return false;
  if (!memory.readable(text, name.size() + 1)) return false;
  const char* its = reinterpret_cast<const char*>(text);
  return std::memcmp(its, name.data(), name.size()) == 0 && its[name.size()] == '\0';
}

bool gathered_by(const Interpreter& of, Memory& memory, Address future, Gathered& children) {
  if (!has_type(of, memory, future, "_GatheringFuture")) return false;
  Address type = 0, dict = 0, list = 0;
  std::int64_t offset = 0, size = 0;
  if (!memory.load(future + of.offsets.type, type) || !memory.load(type + kTypeDict, offset)) return false;
  if (!memory.load(offset > 0 ? future + static_cast<Address>(offset) : future - kManagedDict, dict)) return false;
  if (dict == 0 || !first_value(of, memory, dict, list) || !has_type(of, memory, list, "list")) return false;
  if (!memory.load(list + kListSize, size) || size <= 0 || size > kMostGathered) return false;
  children.count = static_cast<std::uint32_t>(size);
  return memory.load(list + kListItems, children.items);
}

}  // namespace prof::python
