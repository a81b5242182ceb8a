#include "agent/gpu/cupti/parse.hpp"

#include <string_view>

#include "agent/tree/names.hpp"

namespace prof::gpu::cupti {
namespace {

constexpr std::string_view kGraphName = "(CUDA graph)";
constexpr std::string_view kNamelessKernel = "(unnamed kernel)";

// CUpti_ActivityMemoryKind.
std::string_view memory_name(std::uint32_t kind) {
  switch (kind) {
    case 1:
      return "pageable";
    case 2:
      return "pinned";
    case 3:
    case 6:
      return "device";
    case 4:
      return "array";
    case 5:
    case 7:
      return "managed";
    default:
      return {};
  }
}

struct CopyName {
  std::string_view direction, memory;
};

bool is_of_device(std::uint32_t memory_kind) { return memory_kind == 3 || memory_kind == 6; }

// Without a direct path, a copy between devices is told as two: from one to the host and from there to the other, with
// memory of devices at either end (measured with CUDA 13.0).
bool leaves_by_host(const MemcpyRecord& r) { return r.copy_kind == 2 && is_of_device(r.target_kind); }
bool arrives_by_host(const MemcpyRecord& r) { return r.copy_kind == 1 && is_of_device(r.source_kind); }

// CUpti_ActivityMemcpyKind. Of host memory it matters whether it is pinned; else, what was written.
CopyName copy_name(const MemcpyRecord& r) {
  if (leaves_by_host(r) || arrives_by_host(r)) return {"PtoP", "through host"};
  switch (r.copy_kind) {
    case 1:
    case 3:
      return {"HtoD", memory_name(r.source_kind)};
    case 2:
    case 4:
      return {"DtoH", memory_name(r.target_kind)};
    case 9:
      return {"HtoH", memory_name(r.target_kind)};
    case 10:
      return {"PtoP", memory_name(r.target_kind)};
    default:
      return {"DtoD", memory_name(r.target_kind)};
  }
}

template <class R>
void read_common(const R& r, const Times& times, Work& work) {
  work.start = times.monotonic(r.start);
  work.end = times.monotonic(r.end);
  if (work.start == 0 || work.end < work.start) work.start = work.end = 0;
  work.device = r.device;
  work.context = r.context;
  work.stream = r.stream;
  work.correlation = r.correlation;
}

std::uint64_t named(const Guard& guard, log::NameKind kind, std::string_view name, std::string_view group,
                    std::uint32_t device) {
  return log::named_frame(log::name_id(guard, kind, name, group), device);
}

}  // namespace

bool read_work(const Guard& guard, const Record& record, const Times& times, Work& work) {
  work = {};
  switch (static_cast<Kind>(record.kind)) {
    case Kind::ConcurrentKernel:
    case Kind::Kernel: {
      const auto& r = reinterpret_cast<const KernelRecord&>(record);
      read_common(r, times, work);
      work.frame = named(guard, log::NameKind::Kernel, r.name != nullptr ? r.name : kNamelessKernel, {}, r.device);
      return true;
    }
    case Kind::Memcpy: {
      const auto& r = reinterpret_cast<const MemcpyRecord&>(record);
      read_common(r, times, work);
      const CopyName name = copy_name(r);
      work.frame = named(guard, log::NameKind::Copy, name.direction, name.memory, r.device);
      work.bytes = leaves_by_host(r) ? 0 : r.bytes;
      return true;
    }
    case Kind::MemcpyPeer: {
      const auto& r = reinterpret_cast<const PeerCopyRecord&>(record);
      read_common(r, times, work);
      work.frame = named(guard, log::NameKind::Copy, "PtoP", memory_name(r.target_kind), r.device);
      work.bytes = r.bytes;
      return true;
    }
    case Kind::Memset: {
      const auto& r = reinterpret_cast<const MemsetRecord&>(record);
      read_common(r, times, work);
      work.frame = named(guard, log::NameKind::Copy, "memset", memory_name(r.memory_kind), r.device);
      work.bytes = r.bytes;
      return true;
    }
    case Kind::GraphTrace: {
      const auto& r = reinterpret_cast<const GraphRecord&>(record);
      read_common(r, times, work);
      work.frame = named(guard, log::NameKind::Kernel, kGraphName, {}, r.device);
      return true;
    }
    default:
      return false;
  }
}

}  // namespace prof::gpu::cupti
