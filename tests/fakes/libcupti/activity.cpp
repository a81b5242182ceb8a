// The activity API of the fake CUPTI.
#include <dlfcn.h>
#include <time.h>
#include <unistd.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tests/fakes/libcupti/cupti.hpp"
#include "tests/fakes/libcupti/layout.hpp"

using namespace fakegpu;
using namespace fakegpu::cupti;

namespace fakegpu::cupti {
namespace {
thread_local std::vector<std::uint64_t> pushed[kCorrelationKinds];

// Without a driver nothing can be started.
bool have_driver() {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (driver != nullptr && number_setting("FAKE_CUPTI_INIT") != 0) {
    reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"))(0);
  }
  return driver != nullptr;
}

std::atomic<Collecting> the_scope{Collecting::None};

}  // namespace

int enable(const char* function, std::uint32_t kind, bool on) {
  if (const int failed = failure(function, kind); failed != 0) return failed;
  if (!have_driver()) return kUnknown;
  if (const int refused = on ? refusal(kind) : 0; refused != 0) return refused;
  if (kind >= kKinds) return kInvalidKind;
  if (on && another_observes()) return kMultipleSubscribers;
  const bool was = wanted().kinds[kind].exchange(on);
  // As measured with CUDA 13.0: after the whole kind, calls that are chosen one by one come no more. Not so the
  // driver's.
  if (kind == kRuntime && was && !on) wanted().runtime_calls_dead = true;
  if (on && (kind == kRuntime || kind == kDriver)) {
    for (auto& call : wanted().left_out[static_cast<unsigned>(kind == kRuntime ? Domain::Runtime : Domain::Driver)])
      call = false;
  }
  if (on) {
    begin_observing();
    start_worker();
    if (kind == kDevice && !was) put_devices();
  }
  return kSuccess;
}

int refused_in(Collecting scope) {
  const Collecting used = the_scope.load();
  return version() >= kScopedFrom && used != Collecting::None && used != scope ? kNotCompatible : 0;
}
void note_scope(Collecting scope) {
  if (scope == Collecting::Process && number_setting("FAKE_CUPTI_SCOPE_ENDS") != 0) {
    bool any = false;
    for (const auto& kind : wanted().kinds) any = any || kind;
    if (!any) scope = Collecting::None;
  }
  the_scope = scope;
}

const std::uint64_t* pushed_id(std::uint32_t kind) { return pushed[kind].empty() ? nullptr : &pushed[kind].back(); }

Wanted& wanted() {
  static auto& made = *new Wanted{};
  return made;
}

}  // namespace fakegpu::cupti

namespace {

// Around a function of the process's scope.
template <class Function>
int for_process(const Function& function) {
  if (const int refused = refused_in(Collecting::Process); refused != 0) return refused;
  const int result = function();
  if (result == kSuccess) note_scope(Collecting::Process);
  return result;
}

}  // namespace

CUPTI_API int cuptiGetVersion(std::uint32_t* to) {
  if (const int failed = failure("cuptiGetVersion"); failed != 0) return failed;
  *to = version();
  return kSuccess;
}

CUPTI_API int cuptiActivityRegisterCallbacks(Request request, Complete complete) {
  if (const int failed = failure("cuptiActivityRegisterCallbacks"); failed != 0) return failed;
  if (request == nullptr || complete == nullptr) return kInvalidParameter;
  return for_process([&] {
    set_callbacks(request, complete);
    return kSuccess;
  });
}

CUPTI_API int cuptiActivityEnable(std::uint32_t kind) {
  return for_process([&] { return enable("cuptiActivityEnable", kind, true); });
}

// The fake has no kinds that are enabled for one context alone: the others get records of it as well.
CUPTI_API int cuptiActivityEnableContext(const Context*, std::uint32_t kind) {
  return for_process([&] { return enable("cuptiActivityEnableContext", kind, true); });
}

CUPTI_API int cuptiActivityDisableContext(const Context*, std::uint32_t kind) {
  return for_process([&] { return enable("cuptiActivityDisableContext", kind, false); });
}

CUPTI_API int cuptiActivityEnableAndDump(std::uint32_t kind) {
  const int result = for_process([&] { return enable("cuptiActivityEnableAndDump", kind, true); });
  if (result == kSuccess && kind == kContext) put_contexts();
  return result;
}

CUPTI_API int cuptiActivityDisable(std::uint32_t kind) {
  return for_process([&] { return enable("cuptiActivityDisable", kind, false); });
}

#if FAKE_CUPTI_VERSION >= 23
namespace {
bool has_calls(Domain domain) {
  for (const auto& call : wanted().calls[static_cast<unsigned>(domain)]) {
    if (call) return true;
  }
  return false;
}

bool has_context() {
  for (int device = 0; device < device_count(); ++device) {
    if (has_primary_context(device)) return true;
  }
  return false;
}

int choose(const char* function, Domain domain, std::uint32_t cbid, std::uint8_t on) {
  if (const int failed = failure(function, cbid); failed != 0) return failed;
  if (!have_driver()) return kUnknown;
  if (cbid >= 1024) return kInvalidParameter;
  if (another_observes()) return kMultipleSubscribers;
  // As measured with CUDA 13.0: where none was chosen before there was a context, none that is chosen later comes.
  if (domain == Domain::Runtime && on != 0 && !has_calls(domain) && !wanted().kinds[kRuntime] && has_context())
    wanted().runtime_calls_dead = true;
  wanted().calls[static_cast<unsigned>(domain)][cbid] = on != 0;
  wanted().left_out[static_cast<unsigned>(domain)][cbid] = on == 0;
  begin_observing();
  start_worker();
  return kSuccess;
}
}  // namespace

CUPTI_API int cuptiActivityEnableRuntimeApi(std::uint32_t cbid, std::uint8_t on) {
  return for_process([&] { return choose("cuptiActivityEnableRuntimeApi", Domain::Runtime, cbid, on); });
}

CUPTI_API int cuptiActivityEnableDriverApi(std::uint32_t cbid, std::uint8_t on) {
  return for_process([&] { return choose("cuptiActivityEnableDriverApi", Domain::Driver, cbid, on); });
}
#endif

CUPTI_API int cuptiActivityFlushAll(std::uint32_t flags) {
  if (const int failed = failure("cuptiActivityFlushAll", flags); failed != 0) return failed;
  release_held((flags & 1) != 0);
  flush((flags & 1) != 0);
  return kSuccess;
}

CUPTI_API int cuptiActivityFlushPeriod(std::uint32_t ms) {
  if (const int failed = failure("cuptiActivityFlushPeriod"); failed != 0) return failed;
  set_flush_period(ms);
  return kSuccess;
}

int fakegpu::cupti::next_record(std::uint8_t* buffer, std::size_t valid, std::uint8_t** record) {
  if (buffer == nullptr || record == nullptr) return kInvalidParameter;
  std::uint8_t* next = buffer;
  if (*record != nullptr) {
    std::uint32_t kind = 0;
    memcpy(&kind, *record, sizeof kind);
    next = *record + record_size(kind);
  }
  if (next >= buffer + valid) return kMaxLimitReached;
  *record = next;
  return kSuccess;
}

CUPTI_API int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, std::uint8_t** record) {
  if (const int refused = version() >= kAllScopedFrom ? refused_in(Collecting::Process) : 0; refused != 0)
    return refused;
  return next_record(buffer, valid, record);
}

CUPTI_API int cuptiActivityGetNumDroppedRecords(void*, std::uint32_t, std::size_t* dropped) {
  if (const int refused = refused_in(Collecting::Process); refused != 0) return refused;
  *dropped = take_dropped();
  return kSuccess;
}

CUPTI_API int cuptiActivityPushExternalCorrelationId(std::uint32_t kind, std::uint64_t id) {
  if (const int failed = failure("cuptiActivityPushExternalCorrelationId", kind); failed != 0) return failed;
  if (kind == 0 || kind >= kCorrelationKinds) return kInvalidParameter;
  pushed[kind].push_back(id);
  return kSuccess;
}

CUPTI_API int cuptiActivityPopExternalCorrelationId(std::uint32_t kind, std::uint64_t* last) {
  if (const int failed = failure("cuptiActivityPopExternalCorrelationId", kind); failed != 0) return failed;
  if (kind == 0 || kind >= kCorrelationKinds) return kInvalidParameter;
  if (pushed[kind].empty()) return kQueueEmpty;
  if (last != nullptr) *last = pushed[kind].back();
  pushed[kind].pop_back();
  return kSuccess;
}

CUPTI_API int cuptiActivityRegisterTimestampCallback(Clock clock) {
  if (const int failed = failure("cuptiActivityRegisterTimestampCallback"); failed != 0) return failed;
  if (clock == nullptr) return kInvalidParameter;
  set_clock(clock);
  return kSuccess;
}

CUPTI_API int cuptiGetTimestamp(std::uint64_t* to) {
  *to = timestamp(now());
  return kSuccess;
}

CUPTI_API int cuptiSetThreadIdType(std::uint32_t type) {
  if (const int failed = failure("cuptiSetThreadIdType"); failed != 0) return failed;
  return type < 2 ? kSuccess : kInvalidParameter;
}

namespace {
constexpr std::uint32_t kDeviceBuffers = 2;
struct Attributes {
  std::mutex mutex;
  std::map<std::uint32_t, std::string> values;
  std::size_t device_buffers = 250;
};
Attributes& attributes() {
  static auto& made = *new Attributes;
  return made;
}
}  // namespace

std::size_t fakegpu::cupti::device_buffers() {
  const std::lock_guard lock(attributes().mutex);
  return attributes().device_buffers;
}

CUPTI_API int cuptiActivitySetAttribute(std::uint32_t attribute, std::size_t* size, void* value) {
  if (const int failed = failure("cuptiActivitySetAttribute", attribute); failed != 0) return failed;
  if (size == nullptr || value == nullptr) return kInvalidParameter;
  constexpr std::uint32_t kPerThreadBuffers = 9;
  bool at_work = false;
  for (const auto& kind : wanted().kinds) at_work = at_work || kind;
  if (attribute == kPerThreadBuffers && at_work)
    write_ledger(R"({"t":"misuse","pid":%d,"function":"cuptiActivitySetAttribute","what":"in a session"})", getpid());
  const std::lock_guard lock(attributes().mutex);
  attributes().values[attribute].assign(static_cast<const char*>(value), *size);
  if (attribute == kDeviceBuffers) memcpy(&attributes().device_buffers, value, sizeof(std::size_t));
  return kSuccess;
}

CUPTI_API int cuptiActivityGetAttribute(std::uint32_t attribute, std::size_t* size, void* value) {
  const std::lock_guard lock(attributes().mutex);
  if (attribute == kDeviceBuffers && *size >= sizeof(std::size_t)) {
    *size = sizeof(std::size_t);
    memcpy(value, &attributes().device_buffers, *size);
    return kSuccess;
  }
  const auto found = attributes().values.find(attribute);
  if (found == attributes().values.end() || *size < found->second.size()) return kInvalidParameter;
  *size = found->second.size();
  memcpy(value, found->second.data(), *size);
  return kSuccess;
}

CUPTI_API int cuptiActivityEnableAllSyncRecords(std::uint8_t) { return failure("cuptiActivityEnableAllSyncRecords"); }

CUPTI_API int cuptiActivityEnableLatencyTimestamps(std::uint8_t) {
  return failure("cuptiActivityEnableLatencyTimestamps");
}

namespace {
std::atomic<bool> ended{false};
}  // namespace

bool fakegpu::cupti::was_ended() { return ended; }

CUPTI_API int cuptiFinalize() {
  if (const int failed = failure("cuptiFinalize"); failed != 0) return failed;
  write_ledger(R"({"t":"finalize","pid":%d})", getpid());
  observe(nullptr);
  for (auto& kind : wanted().kinds) kind = false;
  wanted().runtime_calls_dead = true;  // a context exists
  for (auto& domain : wanted().calls) {
    for (auto& call : domain) call = false;
  }
  flush(true);
  set_callbacks(nullptr, nullptr);
  drop_subscriber();
  note_scope(Collecting::None);
  ended = true;
  return kSuccess;
}

CUPTI_API int cuptiGetResultString(int result, const char** text) {
  if (result < 0 || result == 36 || result == 37 || (result > 46 && result < 999)) {
    *text = "<unknown>";
    return kInvalidParameter;
  }
  *text = result == 0 ? "CUPTI_SUCCESS" : intern("CUPTI_ERROR_" + std::to_string(result));
  return kSuccess;
}
