// The fake cuDNN's backend API. What a plan was made of is found when it is executed, by going back through all that
// led to it, which lives as long as something refers to it.
#include <cstring>
#include <map>
#include <memory>

#include "tests/fakes/libs/cudnn.hpp"

using namespace fakegpu;
using namespace fakegpu::dnn;
using library::Call;

namespace {

enum Type : int {
  kEngine = 2,
  kConfig = 3,
  kHeuristic = 4,
  kPlan = 5,
  kForward = 10,
  kBackwardFilter = 11,
  kBackwardData = 12,
  kPointwise = 13,
  kGraph = 15,
  kTensor = 17,
  kMatmul = 19,
  kReduction = 22
};

struct Object {
  int type;
  bool final = false;
  Sizes sizes;
  bool is_virtual = false;
  std::map<int, std::vector<std::shared_ptr<Object>>> links;

  const Object& one(int name) const { return *links.at(name).at(0); }
};
// What a descriptor points to.
struct Descriptor {
  std::shared_ptr<Object> object;
};

Object& object(void* descriptor) { return *static_cast<Descriptor*>(descriptor)->object; }

std::uint64_t elements(const Object& tensor) {
  std::uint64_t n = 1;
  for (const std::int64_t s : tensor.sizes.size) n *= static_cast<std::uint64_t>(s);
  return n;
}

std::uint64_t operations(const Object& o) {
  switch (o.type) {
    case kForward:
      return convolve(o.one(703).sizes, o.one(705).sizes);
    case kBackwardData:
      return convolve(o.one(709).sizes, o.one(711).sizes);
    case kBackwardFilter:
      return convolve(o.one(715).sizes, o.one(717).sizes);
    case kPointwise:
      return elements(o.one(753));
    case kReduction:
      return elements(o.one(1610));
    case kMatmul: {
      const auto &a = o.one(1520).sizes.size, &c = o.one(1522).sizes.size;
      return library::products(c[c.size() - 2], c[c.size() - 1], a[a.size() - 1],
                               static_cast<std::int64_t>(elements(o.one(1522))) / (c[c.size() - 2] * c[c.size() - 1]));
    }
    default:
      return 0;
  }
}

std::uint64_t bytes(const Object& o) {
  std::uint64_t sum = 0;
  for (const auto& [name, to] : o.links) {
    for (const auto& t : to) sum += t->type == kTensor && !t->is_virtual ? t->sizes.bytes() : 0;
  }
  return sum;
}

const Object& graph_of(const Object& o) {
  switch (o.type) {
    case kPlan:
      return graph_of(o.one(401));
    case kConfig:
      return graph_of(o.one(300));
    case kEngine:
      return graph_of(o.one(1300));
    default:
      return o;
  }
}

}  // namespace

FAKE_API int cudnnBackendCreateDescriptor(int type, void** descriptor) {
  Call call("cuDNN", "cudnnBackendCreateDescriptor");
  *descriptor = new Descriptor{std::make_shared<Object>(Object{type, false, {}, false, {}})};
  return call.done(0);
}

FAKE_API int cudnnBackendDestroyDescriptor(void* descriptor) {
  Call call("cuDNN", "cudnnBackendDestroyDescriptor");
  delete static_cast<Descriptor*>(descriptor);
  return call.done(0);
}

FAKE_API int cudnnBackendSetAttribute(void* descriptor, int name, int type, int64_t count, const void* values) {
  Call call("cuDNN", "cudnnBackendSetAttribute");
  Object& o = object(descriptor);
  if (o.final || count < 0) return call.done(kBadParam);
  if (type == 15) {
    auto& to = o.links[name];
    to.clear();
    for (int64_t i = 0; i < count; ++i) to.push_back(static_cast<Descriptor* const*>(values)[i]->object);
  } else if (name == 901) {
    o.sizes.type = *static_cast<const int*>(values);
  } else if (name == 902) {
    o.sizes.size.assign(static_cast<const int64_t*>(values), static_cast<const int64_t*>(values) + count);
  } else if (name == 907) {
    o.is_virtual = *static_cast<const bool*>(values);
  }
  return call.done(0);
}

// A heuristic suggests an engine's configuration for each descriptor that it is given.
FAKE_API int cudnnBackendGetAttribute(void* descriptor, int name, int type, int64_t room, int64_t* count,
                                      void* values) {
  Call call("cuDNN", "cudnnBackendGetAttribute");
  Object& o = object(descriptor);
  if (o.type != kHeuristic || name != 202 || type != 15) return call.done(kBadParam);
  *count = room;
  for (int64_t i = 0; i < room; ++i) {
    auto engine = std::make_shared<Object>(Object{kEngine, true, {}, false, {}});
    engine->links[1300] = o.links.at(201);
    Object& config = object(static_cast<void* const*>(values)[i]);
    config.links[300] = {engine};
    config.final = true;
  }
  return call.done(0);
}

FAKE_API int cudnnBackendFinalize(void* descriptor) {
  Call call("cuDNN", "cudnnBackendFinalize");
  Object& o = object(descriptor);
  if (o.type == kTensor && o.sizes.size.empty()) return call.done(kBadParam);
  o.final = true;
  return call.done(0);
}

FAKE_API int cudnnBackendExecute(void* handle, void* plan, void*) {
  Call call("cuDNN", "cudnnBackendExecute");
  if (handle == nullptr) return call.done(kNotInitialized);
  if (!object(plan).final) return call.done(kBadParam);
  for (const auto& operation : graph_of(object(plan)).links.at(801)) {
    call.flops += operations(*operation);
    call.bytes += bytes(*operation);
  }
  fakegpu_library_kernel("plan_80us", static_cast<Handle*>(handle)->stream);
  return call.done(0);
}
