// The callback API of the fake CUPTI: one subscriber.
#include <mutex>
#include <set>

#include "tests/fakes/device/cbids.hpp"
#include "tests/fakes/libcupti/cupti.hpp"

using namespace fakegpu;
using namespace fakegpu::cupti;

namespace {

using Callback = void (*)(void* data, std::uint32_t domain, std::uint32_t cbid, const void* what);

constexpr std::uint32_t kDomains = 7, kResource = 3;
// The first number of each that is none.
constexpr std::uint32_t kNumbers[kDomains] = {0, 1024, 1024, 30, 3, 1024, 30};

struct Subscriber {
  std::mutex mutex;
  bool taken = false;
  std::atomic<Callback> callback{nullptr};
  std::atomic<void*> data{nullptr};
  std::atomic<bool> domains[kDomains] = {};
  std::set<std::uint64_t> chosen, left_out;  // domain and number
  std::atomic<bool> any{false};
};
Subscriber& the_one() {
  static auto& made = *new Subscriber;
  return made;
}

bool listens(std::uint32_t domain, std::uint32_t cbid) {
  Subscriber& it = the_one();
  if (!it.any.load() || it.callback.load() == nullptr) return false;
  const std::lock_guard lock(it.mutex);
  const std::uint64_t key = std::uint64_t{domain} << 32 | cbid;
  return it.domains[domain] ? !it.left_out.contains(key) : it.chosen.contains(key);
}

struct CallData {  // CUpti_CallbackData
  std::uint32_t site;
  const char* name;
  const void* parameters;
  const void* result;
  const char* symbol;
  void* context;
  std::uint32_t context_id;
  std::uint64_t* correlation_data;
  std::uint32_t correlation;
};
static_assert(sizeof(CallData) == 72);

struct ResourceData {  // CUpti_ResourceData
  const void* context;
  const void* handle;
  const void* descriptor;
};

}  // namespace

namespace fakegpu::cupti {

void tell_subscriber(const ApiCall& call, bool exit) {
  const auto domain = static_cast<std::uint32_t>(call.domain);
  if (!listens(domain, call.cbid)) return;
  const auto result = static_cast<int>(call.result);
  const CallData data{exit ? 1U : 0U, call.name,    nullptr,         exit ? &result : nullptr, nullptr,
                      nullptr,        call.context, &call.observers, call.correlation};
  Subscriber& it = the_one();
  if (const Callback callback = it.callback.load()) callback(it.data.load(), domain, call.cbid, &data);
}

void tell_context(const Context& context) {
  if (!listens(kResource, 1)) return;
  const ResourceData data{&context, nullptr, nullptr};
  Subscriber& it = the_one();
  if (const Callback callback = it.callback.load()) callback(it.data.load(), kResource, 1, &data);
}

bool is_subscriber(const void* handle) { return handle == &the_one(); }

void drop_subscriber() {
  Subscriber& it = the_one();
  const std::lock_guard lock(it.mutex);
  it.callback = nullptr;
  it.taken = false;
  it.any = false;
  for (auto& domain : it.domains) domain = false;
  it.chosen.clear();
  it.left_out.clear();
}

}  // namespace fakegpu::cupti

namespace {

int subscribe(void** handle, Callback callback, void* data) {
  Subscriber& it = the_one();
  const std::lock_guard lock(it.mutex);
  if (handle == nullptr) return kInvalidParameter;
  if (it.taken || another_observes()) return kMultipleSubscribers;  // the latter measured with CUDA 13.0
  it.data = data;
  it.callback = callback;
  it.taken = true;
  *handle = &it;
  begin_observing();
  return kSuccess;
}

}  // namespace

CUPTI_API int cuptiSubscribe(void** handle, Callback callback, void* data) {
  if (const int failed = failure("cuptiSubscribe"); failed != 0) return failed;
  return subscribe(handle, callback, data);
}

#if FAKE_CUPTI_VERSION >= 130000
// Several subscribers, where they are asked for, are no more than the promise that there may be one: the fake has one.
CUPTI_API int cuptiSubscribe_v2(void** handle, Callback callback, void* data, void* parameters) {
  if (const int failed = failure("cuptiSubscribe_v2"); failed != 0) return failed;
  if (was_ended() && number_setting("FAKE_CUPTI_SCOPE_ENDS") != 0) return kUnknown;
  if (parameters != nullptr && *static_cast<const std::size_t*>(parameters) < 32) return kInvalidParameter;
  return subscribe(handle, callback, data);
}
#endif

// Once more than it was subscribed is no error (measured with CUDA 13.0).
CUPTI_API int cuptiUnsubscribe(void* handle) {
  if (handle != &the_one()) return kInvalidParameter;
  drop_subscriber();
  return kSuccess;
}

CUPTI_API int cuptiEnableCallback(std::uint32_t on, void* handle, std::uint32_t domain, std::uint32_t cbid) {
  if (const int failed = failure("cuptiEnableCallback", domain); failed != 0) return failed;
  if (handle != &the_one() || domain == 0 || domain >= kDomains || cbid >= kNumbers[domain]) return kInvalidParameter;
  const std::lock_guard lock(the_one().mutex);
  const std::uint64_t key = std::uint64_t{domain} << 32 | cbid;
  if (on != 0) {
    the_one().chosen.insert(key);
    the_one().left_out.erase(key);
    the_one().any = true;
  } else {
    the_one().chosen.erase(key);
    the_one().left_out.insert(key);
  }
  return kSuccess;
}

CUPTI_API int cuptiEnableDomain(std::uint32_t on, void* handle, std::uint32_t domain) {
  if (const int failed = failure("cuptiEnableDomain", domain); failed != 0) return failed;
  if (handle != &the_one() || domain == 0 || domain >= kDomains) return kInvalidParameter;
  const std::lock_guard lock(the_one().mutex);
  the_one().domains[domain] = on != 0;
  const auto other = [&](std::uint64_t key) { return key >> 32 == domain; };
  std::erase_if(the_one().chosen, other);
  std::erase_if(the_one().left_out, other);
  if (on != 0) the_one().any = true;
  return kSuccess;
}

CUPTI_API int cuptiGetCallbackName(std::uint32_t domain, std::uint32_t cbid, const char** name) {
  const auto search = [&](const auto& names) {
    for (const auto& one : names) {
      if (one.id == cbid) {
        *name = one.name;
        return static_cast<int>(kSuccess);
      }
    }
    return static_cast<int>(kInvalidParameter);
  };
  if (domain == static_cast<std::uint32_t>(Domain::Runtime)) return search(cbid::runtime::kNames);
  if (domain == static_cast<std::uint32_t>(Domain::Driver)) return search(cbid::driver::kNames);
  return kInvalidParameter;
}
