#include "agent/java/vm_layout.hpp"

#include <cstring>
#include <iterator>
#include <string_view>

#include "agent/unwind/elf_symbols.hpp"

namespace prof::java {
namespace {

constexpr std::uint64_t kUnknown = UINT64_MAX;
constexpr unsigned kMostEntries = 20'000;

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
  bool is_static = false;  // then the number there
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
      *w.to = w.is_static ? at<std::uint32_t>(at<std::uintptr_t>(entry + address)) : at<std::uint64_t>(entry + offset);
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
                           {"Abstract_VM_Version", "_vm_major_version", &l.major_version, true}};
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
  constexpr std::uint64_t kLargest = 4096;
  for (const std::uint64_t offset : {l.const_method, l.constants, l.method_bytes, l.flags, l.code_size, l.name_index,
                                     l.pool_holder, l.source_file_index, l.class_name, l.symbol_length, l.symbol_text,
                                     l.const_method_bytes, l.constant_pool_bytes}) {
    if (offset >= kLargest) return false;
  }
  return l.has_lines != kUnknown && l.major_version != kUnknown;
}

}  // namespace prof::java
