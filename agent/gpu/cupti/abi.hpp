// What of CUPTI's interface is used here, as versions 11 to 13 have it: one binary serves them all, and none is needed
// to build.
#pragma once

#include <cstddef>
#include <cstdint>

namespace prof::gpu::cupti {

using Result = std::uint32_t;
enum : Result {
  kSuccess = 0,
  kMaxLimitReached = 12,  // no more records in a buffer
  kNotCompatible = 14,
  kNotInitialized = 15,
  kInsufficientPrivileges = 35,
  kVirtualizedInsufficientPrivileges = 40,
  kUnknown = 999,
};

enum class Kind : std::uint32_t {
  Memcpy = 1,
  Memset = 2,
  Kernel = 3,
  Driver = 4,
  Runtime = 5,
  ConcurrentKernel = 10,
  Overhead = 17,
  MemcpyPeer = 22,
  ExternalCorrelation = 39,
  GraphTrace = 51,
};

// cuptiGetVersion's numbers: 13 is CUDA 11.0, 18 11.8, 19 12.0, 27 12.9, from 13.0 on 130000 and more.
inline constexpr std::uint32_t kMayRefuseBuffers = 27;

inline constexpr std::uint32_t kExternalCustom2 = 5;
inline constexpr std::uint32_t kThreadIdSystem = 1;
// CUpti_ActivityAttribute.
inline constexpr std::uint32_t kZeroedOutBuffers = 5, kPerThreadBuffers = 9;
inline constexpr std::uint32_t kFlushForced = 1;
inline constexpr std::uint32_t kDomainDriver = 1, kDomainRuntime = 2;
inline constexpr std::uint32_t kSiteEnter = 0, kSiteExit = 1;

using RequestBuffer = void (*)(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records);
using CompleteBuffer = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t bytes,
                                std::size_t valid_bytes);
using RequestScoped = void (*)(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records, void* info);
using CompleteScoped = void (*)(std::uint8_t* buffer, std::size_t bytes, std::size_t valid_bytes, void* info);
using Timestamp = std::uint64_t (*)();
using Callback = void (*)(void* user, std::uint32_t domain, std::uint32_t id, const void* data);
using Subscriber = void*;

// The beginning of CUpti_CallbackData.
struct CallbackData {
  std::uint32_t site;
  std::uint32_t reserved;
  const char* function;
  const void* parameters;
  void* result;  // of the function, valid at its exit
};
static_assert(offsetof(CallbackData, result) == 24);

// The functions; those that a version lacks are null.
struct Functions {
  Result (*get_version)(std::uint32_t* version);
  Result (*register_callbacks)(RequestBuffer, CompleteBuffer);
  Result (*enable)(Kind);
  Result (*enable_and_dump)(Kind);
  Result (*disable)(Kind);
  Result (*enable_runtime)(std::uint32_t id, std::uint8_t on);
  Result (*enable_driver)(std::uint32_t id, std::uint8_t on);
  Result (*flush_all)(std::uint32_t flag);
  Result (*next_record)(std::uint8_t* buffer, std::size_t valid_bytes, const std::uint8_t** record);
  Result (*dropped)(void* context, std::uint32_t stream, std::size_t* records);
  Result (*push_external)(std::uint32_t kind, std::uint64_t id);
  Result (*pop_external)(std::uint32_t kind, std::uint64_t* id);
  Result (*register_timestamp)(Timestamp);
  Result (*set_attribute)(std::uint32_t attribute, std::size_t* bytes, void* value);
  Result (*set_thread_id_type)(std::uint32_t type);
  Result (*get_timestamp)(std::uint64_t* time);
  Result (*subscribe)(Subscriber*, Callback, void* user);
  Result (*subscribe_v2)(Subscriber*, Callback, void* user, void* parameters);
  Result (*unsubscribe)(Subscriber);
  Result (*enable_callback)(std::uint32_t on, Subscriber, std::uint32_t domain, std::uint32_t id);
  Result (*callback_name)(std::uint32_t domain, std::uint32_t id, const char** name);
  Result (*finalize)();
  // cuptiActivityRegisterCallbacks_v2: it is there where subscribers have records each.
  Result (*register_scoped)(Subscriber, RequestScoped, CompleteScoped);
  Result (*result_string)(Result, const char** text);
};

}  // namespace prof::gpu::cupti
