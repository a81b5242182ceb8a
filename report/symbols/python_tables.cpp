#include "report/symbols/python_tables.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <set>

namespace prof::symbols {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kLongestWord = 100;
constexpr std::size_t kMostRows = 100'000;  // of one table: more are no table

// PyMethodDef: name, function, flags (an int), text of help.
constexpr std::size_t kMethodBytes = 32;
constexpr std::uint64_t kCallFlags = 0x8f;  // METH_VARARGS, KEYWORDS, NOARGS, O, FASTCALL: every method has one
constexpr std::uint64_t kAllFlags = 0x3ff;
// PyGetSetDef: name, get, set, text of help, closure.
constexpr std::size_t kAccessorBytes = 40;

// PyTypeObject, from its beginning.
constexpr std::size_t kTypeName = 24, kTypeBasicSize = 32, kTypeItemSize = 40, kTypeNumber = 96, kTypeSequence = 104,
                      kTypeMapping = 112, kTypeMethods = 232, kTypeAccessors = 248, kTypeEnd = 320;
constexpr std::uint64_t kLargestObject = 1 << 20;
struct Slot {
  std::size_t offset;
  const char* name;
};
constexpr Slot kTypeSlots[] = {
    {48, "tp_dealloc"},    {64, "tp_getattr"},      {72, "tp_setattr"},   {88, "tp_repr"},      {120, "tp_hash"},
    {128, "tp_call"},      {136, "tp_str"},         {144, "tp_getattro"}, {152, "tp_setattro"}, {184, "tp_traverse"},
    {192, "tp_clear"},     {200, "tp_richcompare"}, {216, "tp_iter"},     {224, "tp_iternext"}, {272, "tp_descr_get"},
    {280, "tp_descr_set"}, {296, "tp_init"},        {304, "tp_alloc"},    {312, "tp_new"}};

constexpr const char* kNumberSlots[] = {"nb_add",
                                        "nb_subtract",
                                        "nb_multiply",
                                        "nb_remainder",
                                        "nb_divmod",
                                        "nb_power",
                                        "nb_negative",
                                        "nb_positive",
                                        "nb_absolute",
                                        "nb_bool",
                                        "nb_invert",
                                        "nb_lshift",
                                        "nb_rshift",
                                        "nb_and",
                                        "nb_xor",
                                        "nb_or",
                                        "nb_int",
                                        nullptr,
                                        "nb_float",
                                        "nb_inplace_add",
                                        "nb_inplace_subtract",
                                        "nb_inplace_multiply",
                                        "nb_inplace_remainder",
                                        "nb_inplace_power",
                                        "nb_inplace_lshift",
                                        "nb_inplace_rshift",
                                        "nb_inplace_and",
                                        "nb_inplace_xor",
                                        "nb_inplace_or",
                                        "nb_floor_divide",
                                        "nb_true_divide",
                                        "nb_inplace_floor_divide",
                                        "nb_inplace_true_divide",
                                        "nb_index",
                                        "nb_matrix_multiply",
                                        "nb_inplace_matrix_multiply"};
constexpr const char* kSequenceSlots[] = {
    "sq_length",   "sq_concat", "sq_repeat",   "sq_item",           nullptr,
    "sq_ass_item", nullptr,     "sq_contains", "sq_inplace_concat", "sq_inplace_repeat"};
constexpr const char* kMappingSlots[] = {"mp_length", "mp_subscript", "mp_ass_subscript"};

// PyType_Spec: name, two ints, flags, slots; a slot: an int (typeslots.h), and what it is set to.
constexpr std::size_t kSpecSlots = 24, kSlotBytes = 16;
struct SlotId {
  std::uint32_t id;
  const char* name;
};
constexpr SlotId kSpecSlotIds[] = {
    {3, "mp_ass_subscript"}, {4, "mp_length"},       {5, "mp_subscript"},  {7, "nb_add"},       {8, "nb_and"},
    {9, "nb_bool"},          {39, "sq_ass_item"},    {40, "sq_concat"},    {41, "sq_contains"}, {44, "sq_item"},
    {45, "sq_length"},       {46, "sq_repeat"},      {47, "tp_alloc"},     {50, "tp_call"},     {51, "tp_clear"},
    {52, "tp_dealloc"},      {54, "tp_descr_get"},   {55, "tp_descr_set"}, {57, "tp_getattr"},  {58, "tp_getattro"},
    {59, "tp_hash"},         {60, "tp_init"},        {62, "tp_iter"},      {63, "tp_iternext"}, {65, "tp_new"},
    {66, "tp_repr"},         {67, "tp_richcompare"}, {68, "tp_setattr"},   {69, "tp_setattro"}, {70, "tp_str"},
    {71, "tp_traverse"},     {80, "tp_finalize"}};
constexpr std::uint32_t kSlotOfMethods = 64, kSlotOfAccessors = 73, kLastSlot = 90;

// PyModuleDef, behind PyModuleDef_Base.
constexpr std::size_t kModuleName = 40, kModuleSize = 56, kModuleMethods = 64;

bool is_identifier(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-';
  });
}

const Elf_Data* symbols_of(const ElfFile& file, std::size_t& count, std::size_t& strings) {
  const ElfFile::Section* section = file.section(".dynsym");
  if (section == nullptr || section->header.sh_entsize == 0) return nullptr;
  const Elf_Data* data = file.data(*section);
  if (data == nullptr) return nullptr;
  count = data->d_size / section->header.sh_entsize;
  strings = section->header.sh_link;
  return data;
}

// The symbol of that name that the file exports or imports. An empty name: any of CPython's.
std::optional<GElf_Sym> symbol_of(const ElfFile& file, std::string_view wanted) {
  std::size_t count = 0, strings = 0;
  const Elf_Data* data = symbols_of(file, count, strings);
  for (std::size_t i = 1; data != nullptr && i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(const_cast<Elf_Data*>(data), static_cast<int>(i), &symbol) == nullptr) break;
    const char* name = elf_strptr(file.handle(), strings, symbol.st_name);
    if (name == nullptr) continue;
    const std::string_view text(name);
    if (wanted.empty() ? text.starts_with("PyObject_") || text.starts_with("PyModule") : text == wanted) return symbol;
  }
  return std::nullopt;
}

}  // namespace

// The words of a library of hundreds of MiB take a second to read, and most libraries know nothing of Python.
PythonTables::PythonTables(const ElfFile& file) : words_(symbol_of(file, {}) ? DataWords(file) : DataWords()) {
  find_methods();
  find_owners();
  name_collector(file);
}

const std::string& PythonTables::find(std::uint64_t start) const {
  static const std::string kNone;
  const auto found = names_.find(start);
  return found == names_.end() ? kNone : found->second;
}

std::string_view PythonTables::identifier(std::uint64_t address) const {
  if (address == 0) return {};
  const std::string_view text = words_.text(address, kLongestWord);
  return is_identifier(text) ? text : std::string_view();
}

bool PythonTables::method_at(std::uint64_t address, Method& method) const {
  method.function = words_.pointer(address + kWord);
  if (!words_.is_code(method.function)) return false;
  const std::uint64_t flags = words_.pointer(address + 2 * kWord);
  if ((flags & kCallFlags) == 0 || (flags & ~kAllFlags) != 0) return false;
  method.name = identifier(words_.pointer(address));
  return !method.name.empty();
}

void PythonTables::find_methods() {
  for (const auto& [begin, end] : words_.writable()) {
    for (std::uint64_t at = (begin + kWord - 1) & ~std::uint64_t{kWord - 1}; at < end; at += kWord) {
      if (Method method; method_at(at, method)) methods_.emplace(at, method);
    }
  }
}

void PythonTables::find_owners() {
  for (const auto& [begin, end] : words_.writable()) {
    for (std::uint64_t at = (begin + kWord - 1) & ~std::uint64_t{kWord - 1}; at < end; at += kWord) {
      if (!read_module(at) && !read_type(at)) read_spec(at);
    }
  }
  // What an owner does not name, its own row does.
  for (const auto& [row, method] : methods_) name(method.function, {}, method.name);
}

bool PythonTables::read_module(std::uint64_t address) {
  const std::uint64_t methods = words_.pointer(address + kModuleMethods);
  if (!methods_.contains(methods)) return false;
  const std::string_view owner = identifier(words_.pointer(address + kModuleName));
  const auto size = static_cast<std::int64_t>(words_.pointer(address + kModuleSize));
  if (owner.empty() || size < -1 || size > std::int64_t{kLargestObject}) return false;
  name_methods(methods, owner);
  return true;
}

bool PythonTables::read_type(std::uint64_t address) {
  const std::string_view owner = identifier(words_.pointer(address + kTypeName));
  if (owner.empty() || !words_.word(address + kTypeEnd - kWord)) return false;
  const std::uint64_t basic = words_.pointer(address + kTypeBasicSize);
  if (basic == 0 || basic > kLargestObject || words_.pointer(address + kTypeItemSize) > kLargestObject) return false;
  std::size_t functions = 0;
  for (const Slot& slot : kTypeSlots) {
    const std::uint64_t function = words_.pointer(address + slot.offset);
    if (function != 0 && !words_.is_code(function)) return false;
    if (function != 0) ++functions;
  }
  const std::uint64_t methods = words_.pointer(address + kTypeMethods);
  const std::uint64_t accessors = words_.pointer(address + kTypeAccessors);
  if (functions == 0 && !methods_.contains(methods)) return false;
  name_methods(methods, owner);
  name_accessors(accessors, owner);
  name_slots(words_.pointer(address + kTypeNumber), kNumberSlots, std::size(kNumberSlots), owner);
  name_slots(words_.pointer(address + kTypeSequence), kSequenceSlots, std::size(kSequenceSlots), owner);
  name_slots(words_.pointer(address + kTypeMapping), kMappingSlots, std::size(kMappingSlots), owner);
  for (const Slot& slot : kTypeSlots) name(words_.pointer(address + slot.offset), owner, slot.name);
  return true;
}

bool PythonTables::read_spec(std::uint64_t address) {
  const std::string_view owner = identifier(words_.pointer(address));
  const std::uint64_t slots = words_.pointer(address + kSpecSlots);
  if (owner.empty() || slots == 0) return false;
  bool any = false;
  for (std::size_t row = 0; row <= kLastSlot; ++row) {
    const std::uint64_t at = slots + row * kSlotBytes;
    const auto id = static_cast<std::uint32_t>(words_.pointer(at));
    const std::uint64_t value = words_.pointer(at + kWord);
    if (words_.pointer(at) > kLastSlot) return any;
    if (id == 0) break;
    if (id == kSlotOfMethods) name_methods(value, owner);
    if (id == kSlotOfAccessors) name_accessors(value, owner);
    for (const SlotId& known : kSpecSlotIds) {
      if (known.id == id) name(value, owner, known.name);
    }
    any = true;
  }
  return any;
}

void PythonTables::name_methods(std::uint64_t array, std::string_view owner) {
  for (std::size_t row = 0; row < kMostRows; ++row) {
    const auto found = methods_.find(array + row * kMethodBytes);
    if (found == methods_.end()) return;
    name(found->second.function, owner, found->second.name);
  }
}

void PythonTables::name_accessors(std::uint64_t array, std::string_view owner) {
  for (std::size_t row = 0; array != 0 && row < kMostRows; ++row) {
    const std::uint64_t at = array + row * kAccessorBytes;
    const std::string_view member = identifier(words_.pointer(at));
    if (member.empty()) return;
    name(words_.pointer(at + kWord), owner, member);
    name(words_.pointer(at + 2 * kWord), owner, member);
  }
}

void PythonTables::name_slots(std::uint64_t table, const char* const* names, std::size_t count,
                              std::string_view owner) {
  if (table == 0) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (names[i] != nullptr) name(words_.pointer(table + i * kWord), owner, names[i]);
  }
}

// The first name of a function counts: owners come before rows without one.
void PythonTables::name(std::uint64_t function, std::string_view owner, std::string_view member) {
  if (!words_.is_code(function)) return;
  const auto [found, is_new] = names_.try_emplace(function);
  if (!is_new) return;
  found->second = owner;
  if (!owner.empty()) found->second += '.';
  found->second += member;
}

// The collector is in no table, but PyGC_Collect does nothing else than call it: the one function without a name that
// is called there.
void PythonTables::name_collector(const ElfFile& file) {
  const std::optional<GElf_Sym> caller = symbol_of(file, "PyGC_Collect");
  if (!caller || file.machine() != EM_X86_64 || caller->st_size == 0) return;
  std::set<std::uint64_t> exported;
  std::size_t count = 0, strings = 0;
  const Elf_Data* symbols = symbols_of(file, count, strings);
  for (std::size_t i = 1; symbols != nullptr && i < count; ++i) {
    GElf_Sym symbol;
    if (gelf_getsym(const_cast<Elf_Data*>(symbols), static_cast<int>(i), &symbol) == nullptr) break;
    exported.insert(symbol.st_value);
  }
  const std::string_view code = words_.bytes(caller->st_value).substr(0, caller->st_size);
  constexpr char kCall = '\xe8';  // with a displacement of 32 bits from the next instruction
  constexpr std::size_t kCallBytes = 5;
  std::set<std::uint64_t> callees;
  for (std::size_t i = 0; i + kCallBytes <= code.size(); ++i) {
    if (code[i] != kCall) continue;
    std::int32_t displacement = 0;
    std::memcpy(&displacement, code.data() + i + 1, sizeof displacement);
    const std::uint64_t next = caller->st_value + i + kCallBytes;
    const std::uint64_t callee = next + static_cast<std::uint64_t>(static_cast<std::int64_t>(displacement));
    const bool stub = std::any_of(file.sections().begin(), file.sections().end(), [&](const auto& section) {
      return section.name.starts_with(".plt") && section.holds(callee);
    });
    // Not every such byte is a call: functions begin at 16 bytes.
    if (words_.is_code(callee) && callee % 16 == 0 && !stub && !exported.contains(callee)) callees.insert(callee);
  }
  if (callees.size() == 1) names_.insert_or_assign(*callees.begin(), "gc_collect");
}

}  // namespace prof::symbols
