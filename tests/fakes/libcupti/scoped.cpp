// What a subscriber collects for itself.
#include "tests/fakes/libcupti/cupti.hpp"

#if FAKE_CUPTI_VERSION >= 130200
using namespace fakegpu::cupti;

namespace {

using ScopedRequest = void (*)(std::uint8_t**, std::size_t*, std::size_t*, void* info);
using ScopedComplete = void (*)(std::uint8_t*, std::size_t, std::size_t, void* info);
std::atomic<ScopedRequest> scoped_request{nullptr};
std::atomic<ScopedComplete> scoped_complete{nullptr};

void request_scoped(std::uint8_t** buffer, std::size_t* size, std::size_t* most) {
  struct {
    std::size_t size;
  } info{sizeof info};
  scoped_request.load()(buffer, size, most, &info);
}

void complete_scoped(void*, std::uint32_t, std::uint8_t* buffer, std::size_t size, std::size_t valid) {
  struct {
    std::size_t size;
    std::uint64_t thread;
    void* layouts;
    std::size_t layout_count;
  } info{sizeof info, 0, nullptr, 0};
  scoped_complete.load()(buffer, size, valid, &info);
}

template <class Function>
int for_subscriber(const void* subscriber, const Function& function) {
  if (!is_subscriber(subscriber)) return kInvalidParameter;
  if (const int refused = refused_in(Collecting::Subscriber); refused != 0) return refused;
  const int result = function();
  if (result == kSuccess) note_scope(Collecting::Subscriber);
  return result;
}

}  // namespace

CUPTI_API int cuptiActivityRegisterCallbacks_v2(void* subscriber, ScopedRequest request, ScopedComplete complete) {
  if (request == nullptr || complete == nullptr) return kInvalidParameter;
  return for_subscriber(subscriber, [&] {
    scoped_request = request;
    scoped_complete = complete;
    set_callbacks(request_scoped, complete_scoped);
    return kSuccess;
  });
}

CUPTI_API int cuptiActivityEnable_v2(void* subscriber, std::uint32_t kind, void*) {
  return for_subscriber(subscriber, [&] { return enable("cuptiActivityEnable_v2", kind, true); });
}

CUPTI_API int cuptiActivityDisable_v2(void* subscriber, std::uint32_t kind, void*) {
  return for_subscriber(subscriber, [&] { return enable("cuptiActivityDisable_v2", kind, false); });
}

CUPTI_API int cuptiActivityGetNextRecord_v2(void* subscriber, std::uint8_t* buffer, std::size_t valid,
                                            std::uint8_t** record) {
  return for_subscriber(subscriber, [&] { return next_record(buffer, valid, record); });
}
#endif
