#include "agent/java/line_table.hpp"

#include "agent/thread/guard.hpp"

namespace prof::java {
namespace {

std::uint32_t line_of(const abi::LineNumber* entry) {
  return entry != nullptr && entry->line > 0 ? static_cast<std::uint32_t>(entry->line) : 0;
}

}  // namespace

LineTable::LineTable(abi::Tools* tools, abi::Method method) : lines_(tools) {
  const RealCall nested;  // what the VM allocates for us is not the program's
  if (abi::call<abi::GetLineNumberTable>(tools, abi::kGetLineNumberTable, method, &count_, &lines_.it) != abi::kNone)
    count_ = 0;
}

std::uint32_t LineTable::at(std::int32_t place) const {
  const abi::LineNumber* last = nullptr;
  for (std::int32_t i = 0; i < count_; ++i) {
    const abi::LineNumber& entry = lines_.it[i];
    if (entry.start <= place && (last == nullptr || entry.start > last->start)) last = &entry;
  }
  return line_of(last);
}

std::uint32_t LineTable::first() const {
  const abi::LineNumber* first = nullptr;
  for (std::int32_t i = 0; i < count_; ++i) {
    if (first == nullptr || lines_.it[i].start < first->start) first = &lines_.it[i];
  }
  return line_of(first);
}

}  // namespace prof::java
