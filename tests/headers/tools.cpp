// NVTX and NVML, as the agent declares them, against their real headers where these are installed.
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

#include "agent/range/nvtx_abi.hpp"

namespace {
using namespace prof::range::nvtx;

static_assert(offsetof(Attributes, version) == offsetof(nvtxEventAttributes_t, version));
static_assert(offsetof(Attributes, bytes) == offsetof(nvtxEventAttributes_t, size));
static_assert(offsetof(Attributes, payload_type) == offsetof(nvtxEventAttributes_t, payloadType));
static_assert(offsetof(Attributes, payload) == offsetof(nvtxEventAttributes_t, payload));
static_assert(offsetof(Attributes, message_type) == offsetof(nvtxEventAttributes_t, messageType));
static_assert(offsetof(Attributes, message) == offsetof(nvtxEventAttributes_t, message));
static_assert(sizeof(Attributes) == NVTX_EVENT_ATTRIB_STRUCT_SIZE);
static_assert(kAscii == NVTX_MESSAGE_TYPE_ASCII && kUnicode == NVTX_MESSAGE_TYPE_UNICODE);
static_assert(kRegistered == NVTX_MESSAGE_TYPE_REGISTERED && kNoPayload == NVTX_PAYLOAD_UNKNOWN);
static_assert(kCallbacks == NVTX_ETID_CALLBACKS && kCore == NVTX_CB_MODULE_CORE && kCore2 == NVTX_CB_MODULE_CORE2);
static_assert(sizeof(Callbacks) == sizeof(NvtxExportTableCallbacks));
static_assert(offsetof(Callbacks, module_table) == offsetof(NvtxExportTableCallbacks, GetModuleFunctionTable));

#define SAME_NUMBER(name) static_assert(static_cast<int>(name) == NVTX_CBID_CORE_##name)
SAME_NUMBER(MarkEx);
SAME_NUMBER(MarkA);
SAME_NUMBER(MarkW);
SAME_NUMBER(RangeStartEx);
SAME_NUMBER(RangeStartA);
SAME_NUMBER(RangeStartW);
SAME_NUMBER(RangeEnd);
SAME_NUMBER(RangePushEx);
SAME_NUMBER(RangePushA);
SAME_NUMBER(RangePushW);
SAME_NUMBER(RangePop);
#undef SAME_NUMBER
#define SAME_NUMBER(name) static_assert(static_cast<int>(name) == NVTX_CBID_CORE2_##name)
SAME_NUMBER(DomainMarkEx);
SAME_NUMBER(DomainRangeStartEx);
SAME_NUMBER(DomainRangeEnd);
SAME_NUMBER(DomainRangePushEx);
SAME_NUMBER(DomainRangePop);
SAME_NUMBER(DomainRegisterStringA);
SAME_NUMBER(DomainRegisterStringW);
SAME_NUMBER(DomainCreateA);
SAME_NUMBER(DomainCreateW);
#undef SAME_NUMBER
}  // namespace
#endif

#if __has_include(<nvml.h>)
#include <nvml.h>

#include <cstddef>

#include "agent/gpu/nvml_library.hpp"

namespace nvml = prof::gpu::nvml;
static_assert(sizeof(nvml::Memory) == sizeof(nvmlMemory_t));
static_assert(offsetof(nvml::Memory, used) == offsetof(nvmlMemory_t, used));
static_assert(sizeof(nvml::Utilization) == sizeof(nvmlUtilization_t));
static_assert(offsetof(nvml::Utilization, memory) == offsetof(nvmlUtilization_t, memory));
static_assert(sizeof(nvml::ProcessInfo) == sizeof(nvmlProcessInfo_t));
static_assert(offsetof(nvml::ProcessInfo, used) == offsetof(nvmlProcessInfo_t, usedGpuMemory));
static_assert(nvml::kSuccess == NVML_SUCCESS && nvml::kSmClock == NVML_CLOCK_SM &&
              nvml::kMemoryClock == NVML_CLOCK_MEM);
static_assert(nvml::kGpuSensor == NVML_TEMPERATURE_GPU);
#endif
