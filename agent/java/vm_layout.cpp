#include "agent/java/vm_layout.hpp"

#include <cstring>
#include <iterator>
#include <string_view>

#include "agent/unwind/elf_symbols.hpp"

namespace prof::java {
namespace {

constexpr std::uint64_t kUnknown = UINT64_MAX;
constexpr unsigned kMostEntries = 20'000;
constexpr std::uint64_t kLargest = 4096;  // that an object's fields lie within

// Of the library's own memory.
template <class T>
T at(std::uintptr_t address) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof(value));
  return value;
}

std::uint64_t number_at(const Object& vm, const char* name) {
  const Symbol symbol = exported_symbol(vm, name);
  return symbol.address != 0 && symbol.bytes == sizeof(std::uint64_t) ? at<std::uint64_t>(symbol.address) : kUnknown;
}

std::string_view text_at(std::uintptr_t entry) {
  const auto* text = at<const char*>(entry);
  return text != nullptr ? text : "";
}

// A table of the VM's: entries of so many bytes, the last of which has no name.
struct Table {
  std::uint64_t first, stride, name;
  Table(const Object& vm, const char* first_name, const char* stride_name, const char* name_name)
      : first(number_at(vm, first_name)), stride(number_at(vm, stride_name)), name(number_at(vm, name_name)) {}

  template <class See>
  void each(See see) const {
    if (first == kUnknown || first == 0 || stride == kUnknown || stride == 0 || name == kUnknown) return;
    std::uintptr_t entry = first;
    for (unsigned i = 0; i < kMostEntries; ++i, entry += stride) {
      const std::string_view text = text_at(entry + name);
      if (text.empty()) return;
      see(text, entry);
    }
  }
};

struct Wanted {
  std::string_view type, field;
  std::uint64_t* to;
  enum class Is { Field, Number, Address } is = Is::Field;  // of a static: the number there, or where it is
};

void read_fields(const Object& vm, const Wanted* wanted, std::size_t count) {
  const Table fields(vm, "gHotSpotVMStructs", "gHotSpotVMStructEntryArrayStride",
                     "gHotSpotVMStructEntryTypeNameOffset");
  const std::uint64_t field = number_at(vm, "gHotSpotVMStructEntryFieldNameOffset"),
                      offset = number_at(vm, "gHotSpotVMStructEntryOffsetOffset"),
                      address = number_at(vm, "gHotSpotVMStructEntryAddressOffset");
  if (field == kUnknown || offset == kUnknown || address == kUnknown) return;
  fields.each([&](std::string_view type, std::uintptr_t entry) {
    for (std::size_t i = 0; i < count; ++i) {
      const Wanted& w = wanted[i];
      if (type != w.type || text_at(entry + field) != w.field) continue;
      if (w.is == Wanted::Is::Field)
        *w.to = at<std::uint64_t>(entry + offset);
      else
        *w.to = at<std::uintptr_t>(entry + address);
      if (w.is == Wanted::Is::Number) *w.to = at<std::uint32_t>(*w.to);
    }
  });
}

}  // namespace

bool read_layout(const Object& vm, VmLayout& l) {
  l.const_method = l.constants = l.method_bytes = l.code_size = l.name_index = kUnknown;
  l.pool_holder = l.source_file_index = l.class_name = l.symbol_length = l.symbol_text = kUnknown;
  l.const_method_bytes = l.constant_pool_bytes = l.has_lines = l.major_version = kUnknown;
  std::uint64_t short_flags = kUnknown, long_flags = kUnknown;
  const Wanted fields[] = {{"Method", "_constMethod", &l.const_method},
                           {"ConstMethod", "_constants", &l.constants},
                           {"ConstMethod", "_constMethod_size", &l.method_bytes},
                           {"ConstMethod", "_flags", &short_flags},
                           {"ConstMethod", "_flags._flags", &long_flags},
                           {"ConstMethod", "_code_size", &l.code_size},
                           {"ConstMethod", "_name_index", &l.name_index},
                           {"ConstantPool", "_pool_holder", &l.pool_holder},
                           {"ConstantPool", "_source_file_name_index", &l.source_file_index},
                           {"Klass", "_name", &l.class_name},
                           {"Symbol", "_length", &l.symbol_length},
                           {"Symbol", "_body[0]", &l.symbol_text},
                           {"Abstract_VM_Version", "_vm_major_version", &l.major_version, Wanted::Is::Number}};
  read_fields(vm, fields, std::size(fields));
  l.flags = long_flags != kUnknown ? long_flags : short_flags;
  l.flags_bytes = long_flags != kUnknown ? 4 : 2;
  const Table types(vm, "gHotSpotVMTypes", "gHotSpotVMTypeEntryArrayStride", "gHotSpotVMTypeEntryTypeNameOffset");
  const std::uint64_t size = number_at(vm, "gHotSpotVMTypeEntrySizeOffset");
  types.each([&](std::string_view name, std::uintptr_t entry) {
    if (size == kUnknown) return;
    if (name == "ConstMethod") l.const_method_bytes = at<std::uint64_t>(entry + size);
    if (name == "ConstantPool") l.constant_pool_bytes = at<std::uint64_t>(entry + size);
  });
  const Table numbers(vm, "gHotSpotVMIntConstants", "gHotSpotVMIntConstantEntryArrayStride",
                      "gHotSpotVMIntConstantEntryNameOffset");
  const std::uint64_t value = number_at(vm, "gHotSpotVMIntConstantEntryValueOffset");
  numbers.each([&](std::string_view name, std::uintptr_t entry) {
    if (value != kUnknown && name.ends_with("_has_linenumber_table")) l.has_lines = at<std::uint32_t>(entry + value);
  });
  for (const std::uint64_t offset : {l.const_method, l.constants, l.method_bytes, l.flags, l.code_size, l.name_index,
                                     l.pool_holder, l.source_file_index, l.class_name, l.symbol_length, l.symbol_text,
                                     l.const_method_bytes, l.constant_pool_bytes}) {
    if (offset >= kLargest) return false;
  }
  return l.has_lines != kUnknown && l.major_version != kUnknown;
}

VmRange read_heap(const Object& vm) {
  std::uint64_t heap = kUnknown, reserved = kUnknown, start = kUnknown, words = kUnknown;
  const Wanted fields[] = {{"Universe", "_collectedHeap", &heap, Wanted::Is::Address},
                           {"CollectedHeap", "_reserved", &reserved},
                           {"MemRegion", "_start", &start},
                           {"MemRegion", "_word_size", &words}};
  read_fields(vm, fields, std::size(fields));
  if (heap == kUnknown || reserved >= kLargest || start >= kLargest || words >= kLargest) return {};
  const auto object = at<std::uintptr_t>(heap);
  if (object == 0) return {};
  return {at<std::uint64_t>(object + reserved + start),
          at<std::uint64_t>(object + reserved + words) * sizeof(std::uint64_t)};
}

}  // namespace prof::java
