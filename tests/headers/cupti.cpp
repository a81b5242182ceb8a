// The parts of CUPTI's interface that the agent declares itself, compared with CUPTI's own header.
#if __has_include(<cupti.h>)
#include <cupti.h>

#include <type_traits>

#include "agent/gpu/cupti/abi.hpp"
#include "agent/gpu/cupti/records.hpp"
#include "tests/headers/rows.hpp"

namespace ours = prof::gpu::cupti;

#define SAME_PLACE(Ours, ours_member, Theirs, theirs_member)                           \
  static_assert(offsetof(ours::Ours, ours_member) == offsetof(Theirs, theirs_member)); \
  static_assert(sizeof(ours::Ours::ours_member) == sizeof(Theirs::theirs_member))

#define KERNEL(Theirs)                                             \
  SAME_PLACE(KernelRecord, kind, Theirs, kind);                    \
  SAME_PLACE(KernelRecord, registers, Theirs, registersPerThread); \
  SAME_PLACE(KernelRecord, start, Theirs, start);                  \
  SAME_PLACE(KernelRecord, end, Theirs, end);                      \
  SAME_PLACE(KernelRecord, device, Theirs, deviceId);              \
  SAME_PLACE(KernelRecord, context, Theirs, contextId);            \
  SAME_PLACE(KernelRecord, stream, Theirs, streamId);              \
  SAME_PLACE(KernelRecord, correlation, Theirs, correlationId);    \
  SAME_PLACE(KernelRecord, name, Theirs, name)
KERNEL(CUpti_ActivityKernel4);
KERNEL(CUpti_ActivityKernel5);
KERNEL(CUpti_ActivityKernel6);
KERNEL(CUpti_ActivityKernel7);
KERNEL(CUpti_ActivityKernel8);
KERNEL(CUpti_ActivityKernel9);

#define COPY(Theirs)                                      \
  SAME_PLACE(MemcpyRecord, copy_kind, Theirs, copyKind);  \
  SAME_PLACE(MemcpyRecord, source_kind, Theirs, srcKind); \
  SAME_PLACE(MemcpyRecord, target_kind, Theirs, dstKind); \
  SAME_PLACE(MemcpyRecord, bytes, Theirs, bytes);         \
  SAME_PLACE(MemcpyRecord, start, Theirs, start);         \
  SAME_PLACE(MemcpyRecord, end, Theirs, end);             \
  SAME_PLACE(MemcpyRecord, device, Theirs, deviceId);     \
  SAME_PLACE(MemcpyRecord, context, Theirs, contextId);   \
  SAME_PLACE(MemcpyRecord, stream, Theirs, streamId);     \
  SAME_PLACE(MemcpyRecord, correlation, Theirs, correlationId)
COPY(CUpti_ActivityMemcpy);
COPY(CUpti_ActivityMemcpy3);
COPY(CUpti_ActivityMemcpy4);
COPY(CUpti_ActivityMemcpy5);

#define PEER(Theirs)                                        \
  SAME_PLACE(PeerCopyRecord, target_kind, Theirs, dstKind); \
  SAME_PLACE(PeerCopyRecord, bytes, Theirs, bytes);         \
  SAME_PLACE(PeerCopyRecord, start, Theirs, start);         \
  SAME_PLACE(PeerCopyRecord, end, Theirs, end);             \
  SAME_PLACE(PeerCopyRecord, device, Theirs, deviceId);     \
  SAME_PLACE(PeerCopyRecord, stream, Theirs, streamId);     \
  SAME_PLACE(PeerCopyRecord, correlation, Theirs, correlationId)
PEER(CUpti_ActivityMemcpyPtoP);
PEER(CUpti_ActivityMemcpyPtoP2);
PEER(CUpti_ActivityMemcpyPtoP3);
PEER(CUpti_ActivityMemcpyPtoP4);

#define SET(Theirs)                                             \
  SAME_PLACE(MemsetRecord, value, Theirs, value);               \
  SAME_PLACE(MemsetRecord, bytes, Theirs, bytes);               \
  SAME_PLACE(MemsetRecord, start, Theirs, start);               \
  SAME_PLACE(MemsetRecord, end, Theirs, end);                   \
  SAME_PLACE(MemsetRecord, device, Theirs, deviceId);           \
  SAME_PLACE(MemsetRecord, context, Theirs, contextId);         \
  SAME_PLACE(MemsetRecord, stream, Theirs, streamId);           \
  SAME_PLACE(MemsetRecord, correlation, Theirs, correlationId); \
  SAME_PLACE(MemsetRecord, memory_kind, Theirs, memoryKind)
SET(CUpti_ActivityMemset);
SET(CUpti_ActivityMemset2);
SET(CUpti_ActivityMemset3);
SET(CUpti_ActivityMemset4);

SAME_PLACE(ApiRecord, id, CUpti_ActivityAPI, cbid);
SAME_PLACE(ApiRecord, start, CUpti_ActivityAPI, start);
SAME_PLACE(ApiRecord, end, CUpti_ActivityAPI, end);
SAME_PLACE(ApiRecord, process, CUpti_ActivityAPI, processId);
SAME_PLACE(ApiRecord, thread, CUpti_ActivityAPI, threadId);
SAME_PLACE(ApiRecord, correlation, CUpti_ActivityAPI, correlationId);
SAME_PLACE(ApiRecord, result, CUpti_ActivityAPI, returnValue);
static_assert(sizeof(ours::ApiRecord) == sizeof(CUpti_ActivityAPI));

SAME_PLACE(ExternalRecord, external_kind, CUpti_ActivityExternalCorrelation, externalKind);
SAME_PLACE(ExternalRecord, id, CUpti_ActivityExternalCorrelation, externalId);
SAME_PLACE(ExternalRecord, correlation, CUpti_ActivityExternalCorrelation, correlationId);

SAME_PLACE(OverheadRecord, overhead_kind, CUpti_ActivityOverhead, overheadKind);
SAME_PLACE(OverheadRecord, start, CUpti_ActivityOverhead, start);
SAME_PLACE(OverheadRecord, end, CUpti_ActivityOverhead, end);
SAME_PLACE(OverheadRecord, start, CUpti_ActivityOverhead3, start);

#define GRAPH(Theirs)                                          \
  SAME_PLACE(GraphRecord, correlation, Theirs, correlationId); \
  SAME_PLACE(GraphRecord, start, Theirs, start);               \
  SAME_PLACE(GraphRecord, end, Theirs, end);                   \
  SAME_PLACE(GraphRecord, device, Theirs, deviceId);           \
  SAME_PLACE(GraphRecord, context, Theirs, contextId);         \
  SAME_PLACE(GraphRecord, stream, Theirs, streamId)
GRAPH(CUpti_ActivityGraphTrace);
GRAPH(CUpti_ActivityGraphTrace2);

SAME_PLACE(CallbackData, site, CUpti_CallbackData, callbackSite);
SAME_PLACE(CallbackData, function, CUpti_CallbackData, functionName);
SAME_PLACE(CallbackData, parameters, CUpti_CallbackData, functionParams);
SAME_PLACE(CallbackData, result, CUpti_CallbackData, functionReturnValue);

#define SAME_NUMBER(ours_value, theirs) static_assert(static_cast<long>(ours::ours_value) == static_cast<long>(theirs))
SAME_NUMBER(kSuccess, CUPTI_SUCCESS);
SAME_NUMBER(kMaxLimitReached, CUPTI_ERROR_MAX_LIMIT_REACHED);
SAME_NUMBER(kNotCompatible, CUPTI_ERROR_NOT_COMPATIBLE);
SAME_NUMBER(kNotInitialized, CUPTI_ERROR_NOT_INITIALIZED);
SAME_NUMBER(kInsufficientPrivileges, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
SAME_NUMBER(kVirtualizedInsufficientPrivileges, CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES);
SAME_NUMBER(kUnknown, CUPTI_ERROR_UNKNOWN);
SAME_NUMBER(Kind::Memcpy, CUPTI_ACTIVITY_KIND_MEMCPY);
SAME_NUMBER(Kind::Memset, CUPTI_ACTIVITY_KIND_MEMSET);
SAME_NUMBER(Kind::Kernel, CUPTI_ACTIVITY_KIND_KERNEL);
SAME_NUMBER(Kind::Driver, CUPTI_ACTIVITY_KIND_DRIVER);
SAME_NUMBER(Kind::Runtime, CUPTI_ACTIVITY_KIND_RUNTIME);
SAME_NUMBER(Kind::ConcurrentKernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
SAME_NUMBER(Kind::Overhead, CUPTI_ACTIVITY_KIND_OVERHEAD);
SAME_NUMBER(Kind::MemcpyPeer, CUPTI_ACTIVITY_KIND_MEMCPY2);
SAME_NUMBER(Kind::ExternalCorrelation, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION);
SAME_NUMBER(Kind::GraphTrace, CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
SAME_NUMBER(kExternalCustom2, CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2);
SAME_NUMBER(kThreadIdSystem, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
SAME_NUMBER(kZeroedOutBuffers, CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER);
SAME_NUMBER(kPerThreadBuffers, CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER);
SAME_NUMBER(kFlushForced, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
SAME_NUMBER(kDomainDriver, CUPTI_CB_DOMAIN_DRIVER_API);
SAME_NUMBER(kDomainRuntime, CUPTI_CB_DOMAIN_RUNTIME_API);
SAME_NUMBER(kSiteEnter, CUPTI_API_ENTER);
SAME_NUMBER(kSiteExit, CUPTI_API_EXIT);

template <class Ours, class Theirs>
constexpr bool kCalledAlike = prof::test::Same<std::remove_pointer_t<Ours>, std::remove_pointer_t<Theirs>>::value;
#define SAME_CALL(member, theirs) static_assert(kCalledAlike<decltype(ours::Functions::member), decltype(&theirs)>)
SAME_CALL(get_version, cuptiGetVersion);
SAME_CALL(register_callbacks, cuptiActivityRegisterCallbacks);
SAME_CALL(enable, cuptiActivityEnable);
SAME_CALL(enable_and_dump, cuptiActivityEnableAndDump);
SAME_CALL(disable, cuptiActivityDisable);
SAME_CALL(enable_runtime, cuptiActivityEnableRuntimeApi);
SAME_CALL(enable_driver, cuptiActivityEnableDriverApi);
SAME_CALL(flush_all, cuptiActivityFlushAll);
SAME_CALL(next_record, cuptiActivityGetNextRecord);
SAME_CALL(dropped, cuptiActivityGetNumDroppedRecords);
SAME_CALL(push_external, cuptiActivityPushExternalCorrelationId);
SAME_CALL(pop_external, cuptiActivityPopExternalCorrelationId);
SAME_CALL(register_timestamp, cuptiActivityRegisterTimestampCallback);
SAME_CALL(set_attribute, cuptiActivitySetAttribute);
SAME_CALL(set_thread_id_type, cuptiSetThreadIdType);
SAME_CALL(get_timestamp, cuptiGetTimestamp);
SAME_CALL(subscribe, cuptiSubscribe);
SAME_CALL(unsubscribe, cuptiUnsubscribe);
SAME_CALL(enable_callback, cuptiEnableCallback);
SAME_CALL(callback_name, cuptiGetCallbackName);
SAME_CALL(result_string, cuptiGetResultString);
SAME_CALL(finalize, cuptiFinalize);
static_assert(kCalledAlike<ours::RequestBuffer, CUpti_BuffersCallbackRequestFunc>);
static_assert(kCalledAlike<ours::CompleteBuffer, CUpti_BuffersCallbackCompleteFunc>);
static_assert(kCalledAlike<ours::Timestamp, CUpti_TimestampCallbackFunc>);
static_assert(kCalledAlike<ours::Callback, CUpti_CallbackFunc>);
#endif
