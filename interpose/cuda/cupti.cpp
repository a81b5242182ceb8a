// CUPTI as the program itself uses it (PyTorch's profiler does): it has one set of callbacks for a process, and they
// are ours once we use it. See agent/gpu/cupti/client.hpp for what the program gets instead.
#include "agent/gpu/cupti/sharing.hpp"
#include "interpose/cuda/caller_scope.hpp"
#include "interpose/cuda/cupti_lookup.hpp"
#include "interpose/hook/hook.hpp"

namespace {

using namespace prof::gpu::cupti;

// A function of the libcupti that the calling object would reach without us.
template <class... A>
class RealCupti {
 public:
  RealCupti(const char* name, const void* caller) : address_(prof::gpu::looked_up(name, caller)) {
    if (address_ == nullptr) address_ = prof::gpu::in_caller_scope(name, caller);
    if (address_ == nullptr) address_ = prof::gpu::looked_up(name, nullptr);
  }
  const void* address() const { return address_; }
  // CUPTI's own answer where there is no CUPTI.
  Result operator()(A... arguments) const {
    return address_ != nullptr ? reinterpret_cast<Result (*)(A...)>(address_)(arguments...)
                               : static_cast<Result>(kNotInitialized);
  }

 private:
  void* address_;
};

}  // namespace

PROF_EXPORT Result cuptiActivityRegisterCallbacks(RequestBuffer request, CompleteBuffer complete) {
  const RealCupti<RequestBuffer, CompleteBuffer> real("cuptiActivityRegisterCallbacks", __builtin_return_address(0));
  const bool valid = request != nullptr && complete != nullptr;
  return valid && take_client(real.address(), request, complete) ? static_cast<Result>(kSuccess)
                                                                 : real(request, complete);
}

PROF_EXPORT Result cuptiActivityEnable(Kind kind) {
  const RealCupti<Kind> real("cuptiActivityEnable", __builtin_return_address(0));
  if (enable_for_client(real.address(), kind)) return kSuccess;
  const Result r = real(kind);
  if (r == kSuccess) enabled_by_client(real.address(), kind);
  return r;
}

// For one context alone: we have the kind enabled for all of them, and so has the program then.
PROF_EXPORT Result cuptiActivityEnableContext(void* context, Kind kind) {
  const void* caller = __builtin_return_address(0);
  const RealCupti<Kind> whole("cuptiActivityEnable", caller);
  const RealCupti<void*, Kind> real("cuptiActivityEnableContext", caller);
  if (enable_for_client(whole.address(), kind)) return kSuccess;
  const Result r = real(context, kind);
  if (r == kSuccess) enabled_by_client(whole.address(), kind);
  return r;
}

PROF_EXPORT Result cuptiActivityDisableContext(void* context, Kind kind) {
  const void* caller = __builtin_return_address(0);
  const RealCupti<Kind> whole("cuptiActivityDisable", caller);
  const RealCupti<void*, Kind> real("cuptiActivityDisableContext", caller);
  return disable_for_client(whole.address(), kind) ? static_cast<Result>(kSuccess) : real(context, kind);
}

PROF_EXPORT Result cuptiActivityEnableAndDump(Kind kind) {
  const RealCupti<Kind> real("cuptiActivityEnableAndDump", __builtin_return_address(0));
  const Result r = real(kind);
  if (r == kSuccess) dumped_by_client(real.address(), kind);
  return r;
}

PROF_EXPORT Result cuptiActivityDisable(Kind kind) {
  const RealCupti<Kind> real("cuptiActivityDisable", __builtin_return_address(0));
  if (disable_for_client(real.address(), kind)) return kSuccess;
  const Result r = real(kind);
  disabled_by_client(real.address(), kind);
  return r;
}

PROF_EXPORT Result cuptiActivityFlushAll(std::uint32_t flag) {
  const RealCupti<std::uint32_t> real("cuptiActivityFlushAll", __builtin_return_address(0));
  const Result r = real(flag);
  flushed_by_client(real.address());
  return r;
}

PROF_EXPORT Result cuptiActivitySetAttribute(std::uint32_t attribute, std::size_t* bytes, void* value) {
  const RealCupti<std::uint32_t, std::size_t*, void*> real("cuptiActivitySetAttribute", __builtin_return_address(0));
  return keeps_attribute(real.address(), attribute) ? static_cast<Result>(kSuccess) : real(attribute, bytes, value);
}

PROF_EXPORT Result cuptiActivityRegisterTimestampCallback(Timestamp clock) {
  const RealCupti<Timestamp> real("cuptiActivityRegisterTimestampCallback", __builtin_return_address(0));
  if (keeps_clock(real.address(), clock)) return kSuccess;
  const Result r = real(clock);
  if (r == kSuccess) clock_set_by_client(real.address(), clock);
  return r;
}

PROF_EXPORT Result cuptiSubscribe(Subscriber* subscriber, Callback callback, void* user) {
  const RealCupti<Subscriber*, Callback, void*> real("cuptiSubscribe", __builtin_return_address(0));
  leave_callbacks(real.address());
  return real(subscriber, callback, user);
}

// Also where weak references to it find ours, and the libcupti has only the older one.
PROF_EXPORT Result cuptiSubscribe_v2(Subscriber* subscriber, Callback callback, void* user, void* parameters) {
  const void* caller = __builtin_return_address(0);
  const RealCupti<Subscriber*, Callback, void*, void*> real("cuptiSubscribe_v2", caller);
  if (real.address() != nullptr) {
    const bool left = leave_to_subscriber(real.address());
    const Result r = real(subscriber, callback, user, parameters);
    const bool again = left && subscriber != nullptr && subscribe_again(r, *subscriber);
    return again ? real(subscriber, callback, user, parameters) : r;
  }
  const RealCupti<Subscriber*, Callback, void*> before("cuptiSubscribe", caller);
  leave_callbacks(before.address());
  return before(subscriber, callback, user);
}

PROF_EXPORT Result cuptiActivityGetNumDroppedRecords(void* context, std::uint32_t stream, std::size_t* records) {
  const RealCupti<void*, std::uint32_t, std::size_t*> real("cuptiActivityGetNumDroppedRecords",
                                                           __builtin_return_address(0));
  const Result r = real(context, stream, records);
  if (r == kSuccess && records != nullptr) *records += losses_for_client(real.address());
  return r;
}

PROF_EXPORT Result cuptiGetTimestamp(std::uint64_t* time) {
  const RealCupti<std::uint64_t*> real("cuptiGetTimestamp", __builtin_return_address(0));
  return time != nullptr && time_for_client(real.address(), *time) ? static_cast<Result>(kSuccess) : real(time);
}

PROF_EXPORT Result cuptiFinalize() {
  const RealCupti<> real("cuptiFinalize", __builtin_return_address(0));
  before_finalize(real.address());
  return real();
}

namespace prof::gpu {

// Every function above.
LookedUp cupti_functions[] = {
    PROF_LOOKED_UP(cuptiActivityRegisterCallbacks),
    PROF_LOOKED_UP(cuptiActivityEnable),
    PROF_LOOKED_UP(cuptiActivityEnableContext),
    PROF_LOOKED_UP(cuptiActivityDisableContext),
    PROF_LOOKED_UP(cuptiActivityEnableAndDump),
    PROF_LOOKED_UP(cuptiActivityDisable),
    PROF_LOOKED_UP(cuptiActivityFlushAll),
    PROF_LOOKED_UP(cuptiActivitySetAttribute),
    PROF_LOOKED_UP(cuptiActivityRegisterTimestampCallback),
    PROF_LOOKED_UP(cuptiActivityGetNumDroppedRecords),
    PROF_LOOKED_UP(cuptiSubscribe),
    PROF_LOOKED_UP(cuptiSubscribe_v2),
    PROF_LOOKED_UP(cuptiGetTimestamp),
    PROF_LOOKED_UP(cuptiFinalize),
};
const std::size_t cupti_function_count = sizeof(cupti_functions) / sizeof(cupti_functions[0]);

}  // namespace prof::gpu
