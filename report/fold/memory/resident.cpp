#include "report/fold/memory/resident.hpp"

#include <algorithm>

namespace prof::fold {
namespace {

using log::MemoryPart;
using model::to_signed;

ResidentRow row_of(ResidentKind kind, const model::ResidentMemory& memory, std::initializer_list<MemoryPart> parts) {
  ResidentRow row;
  row.kind = kind;
  row.pss = row.uss = row.size = 0;
  for (const MemoryPart which : parts) {
    const model::ResidentMemory::Part& part = memory.part(which);
    row.rss = model::saturated_sum(row.rss, to_signed(part.rss));
    row.pss = model::saturated_sum(*row.pss, to_signed(part.pss));
    row.uss = model::saturated_sum(*row.uss, to_signed(part.uss));
    row.size = model::saturated_sum(*row.size, to_signed(part.size));
  }
  return row;
}

}  // namespace

const char* to_string(ResidentKind kind) {
  switch (kind) {
    case ResidentKind::Allocator:
      return "allocator";
    case ResidentKind::HeapLive:
      return "heap_live";
    case ResidentKind::Overhead:
      return "allocator_overhead";
    case ResidentKind::Mapped:
      return "mapped";
    case ResidentKind::JavaHeap:
      return "java_heap";
    case ResidentKind::Shared:
      return "shared";
    case ResidentKind::MainStack:
      return "main_stack";
    case ResidentKind::Stacks:
      return "thread_stacks";
    case ResidentKind::Code:
      return "code";
    case ResidentKind::FileData:
      return "file_data";
    case ResidentKind::Agent:
      return "profiler";
    case ResidentKind::Residual:
      break;
  }
  return "residual";
}

Resident explain(const model::ResidentMemory& memory) {
  Resident out;
  out.rss = to_signed(memory.rss);
  out.pss = to_signed(memory.pss);
  out.uss = to_signed(memory.uss);
  out.swap = to_signed(memory.swap);
  const ResidentRow allocator = row_of(ResidentKind::Allocator, memory, {MemoryPart::Heap, MemoryPart::Arenas});
  const std::int64_t live = std::min(memory.heap_live, allocator.rss);
  out.not_resident = memory.heap_live - live;
  out.rows.push_back(allocator);
  out.rows.push_back({ResidentKind::HeapLive, live, {}, {}, {}});
  out.rows.push_back({ResidentKind::Overhead, allocator.rss - live, {}, {}, {}});
  if (const ResidentRow java = row_of(ResidentKind::JavaHeap, memory, {MemoryPart::JavaHeap}); java.size != 0)
    out.rows.push_back(java);
  const std::pair<ResidentKind, MemoryPart> parts[] = {
      {ResidentKind::Mapped, MemoryPart::Mapped},       {ResidentKind::Shared, MemoryPart::Shared},
      {ResidentKind::MainStack, MemoryPart::MainStack}, {ResidentKind::Stacks, MemoryPart::Stacks},
      {ResidentKind::Code, MemoryPart::Code},           {ResidentKind::FileData, MemoryPart::FileData},
      {ResidentKind::Agent, MemoryPart::Agent}};
  for (const auto& [kind, part] : parts) out.rows.push_back(row_of(kind, memory, {part}));
  std::int64_t known = 0;
  for (const ResidentRow& row : out.rows) {
    if (!is_share(row.kind)) known = model::saturated_sum(known, row.rss);
  }
  out.rows.push_back({ResidentKind::Residual, model::saturated_difference(out.rss, known), {}, {}, {}});
  return out;
}

}  // namespace prof::fold
