// CUPTI's activity records, as far as they are read: the beginnings that all versions from 11 on have in common. Newer
// versions append to them. Never measured by sizeof: cuptiActivityGetNextRecord knows the real lengths.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agent/gpu/cupti/abi.hpp"

namespace prof::gpu::cupti {

struct Record {
  std::uint32_t kind;
};

// CUpti_ActivityKernel4 and later.
struct KernelRecord {
  std::uint32_t kind;
  std::uint8_t cache_config;
  std::uint8_t shared_config;
  std::uint16_t registers;
  std::uint32_t partitioned[2];
  std::uint64_t start, end;
  std::uint64_t completed;
  std::uint32_t device, context, stream;
  std::int32_t grid[3], block[3];
  std::int32_t static_shared, dynamic_shared;
  std::uint32_t local_per_thread, local_total;
  std::uint32_t correlation;
  std::int64_t grid_id;
  const char* name;
};
static_assert(offsetof(KernelRecord, registers) == 6 && offsetof(KernelRecord, start) == 16 &&
              offsetof(KernelRecord, device) == 40 && offsetof(KernelRecord, correlation) == 92 &&
              offsetof(KernelRecord, name) == 104);

// CUpti_ActivityMemcpy and later.
struct MemcpyRecord {
  std::uint32_t kind;
  std::uint8_t copy_kind, source_kind, target_kind, flags;
  std::uint64_t bytes;
  std::uint64_t start, end;
  std::uint32_t device, context, stream;
  std::uint32_t correlation;
};
static_assert(offsetof(MemcpyRecord, bytes) == 8 && offsetof(MemcpyRecord, device) == 32 &&
              offsetof(MemcpyRecord, correlation) == 44);

// CUpti_ActivityMemcpyPtoP and later.
struct PeerCopyRecord {
  std::uint32_t kind;
  std::uint8_t copy_kind, source_kind, target_kind, flags;
  std::uint64_t bytes;
  std::uint64_t start, end;
  std::uint32_t device, context, stream;
  std::uint32_t source_device, source_context, target_device, target_context;
  std::uint32_t correlation;
};
static_assert(offsetof(PeerCopyRecord, device) == 32 && offsetof(PeerCopyRecord, correlation) == 60);

// CUpti_ActivityMemset and later.
struct MemsetRecord {
  std::uint32_t kind;
  std::uint32_t value;
  std::uint64_t bytes;
  std::uint64_t start, end;
  std::uint32_t device, context, stream;
  std::uint32_t correlation;
  std::uint16_t flags, memory_kind;
};
static_assert(offsetof(MemsetRecord, bytes) == 8 && offsetof(MemsetRecord, correlation) == 44 &&
              offsetof(MemsetRecord, memory_kind) == 50);

// CUpti_ActivityAPI: runtime and driver.
struct ApiRecord {
  std::uint32_t kind;
  std::uint32_t id;
  std::uint64_t start, end;
  std::uint32_t process, thread;
  std::uint32_t correlation;
  std::uint32_t result;
};
static_assert(offsetof(ApiRecord, start) == 8 && offsetof(ApiRecord, thread) == 28 &&
              offsetof(ApiRecord, correlation) == 32);

// CUpti_ActivityExternalCorrelation.
struct ExternalRecord {
  std::uint32_t kind;
  std::uint32_t external_kind;
  std::uint64_t id;
  std::uint32_t correlation;
  std::uint32_t reserved;
};
static_assert(offsetof(ExternalRecord, id) == 8 && offsetof(ExternalRecord, correlation) == 16);

// CUpti_ActivityOverhead and later.
struct OverheadRecord {
  std::uint32_t kind;
  std::uint32_t overhead_kind;
  std::uint32_t object_kind;
  std::uint32_t object[3];
  std::uint64_t start, end;
};
static_assert(offsetof(OverheadRecord, start) == 24);

// CUpti_ActivityGraphTrace and later: one launch of a whole graph.
struct GraphRecord {
  std::uint32_t kind;
  std::uint32_t correlation;
  std::uint64_t start, end;
  std::uint32_t device, graph;
  std::uint32_t context, stream;
};
static_assert(offsetof(GraphRecord, start) == 8 && offsetof(GraphRecord, device) == 24 &&
              offsetof(GraphRecord, stream) == 36);

}  // namespace prof::gpu::cupti
