// Devices and contexts; kernels, copies and sets.
#include <stdlib.h>
#include <string.h>

#include <map>
#include <mutex>

#include "tests/fakes/device/stream.hpp"

namespace fakegpu {
namespace {

struct Contexts {
  std::mutex mutex;
  std::uint32_t next_id = 1;
  std::map<int, Context*> primary;
};
Contexts& contexts() {
  static auto& made = *new Contexts;
  return made;
}
constexpr int kMaxPushed = 16;
struct Pushed {
  Context* contexts[kMaxPushed] = {};
  int count = 0;
};
thread_local Pushed pushed;

Context* add_context(int device) {  // with the contexts locked
  return new Context{contexts().next_id++, device};
}

constexpr bool on_device(Place place) { return place == Place::Device || place == Place::Managed; }

}  // namespace

int device_count() {
  static const int count = [] {
    const std::string_view text = setting("FAKE_GPU_DEVICES");
    return text.empty() ? 2 : std::stoi(std::string(text));
  }();
  return count;
}

std::string device_name(int device) { return "Fake GPU " + std::to_string(device); }

void device_uuid(int device, unsigned char* uuid) {
  for (int i = 0; i < 16; ++i) uuid[i] = static_cast<unsigned char>(0xf0 + device * 16 + i);
}

Context* primary_context(int device) {
  Context* made = nullptr;
  {
    const std::lock_guard lock(contexts().mutex);
    Context*& context = contexts().primary[device];
    if (context != nullptr) return context;
    context = made = add_context(device);
  }
  if (Observer* const who = observer()) who->context_made(*made);
  return made;
}
Context* make_context(int device) {
  Context* made = nullptr;
  {
    const std::lock_guard lock(contexts().mutex);
    made = add_context(device);
  }
  if (Observer* const who = observer()) who->context_made(*made);
  return made;
}
bool has_primary_context(int device) {
  const std::lock_guard lock(contexts().mutex);
  return contexts().primary.contains(device);
}

void push_current(Context* context) {
  if (pushed.count == kMaxPushed) abort();
  pushed.contexts[pushed.count++] = context;
}
Context* pop_current() { return pushed.count > 0 ? pushed.contexts[--pushed.count] : nullptr; }
void set_current(Context* context) {
  pop_current();
  if (context != nullptr) push_current(context);
}
Context* current() { return pushed.count > 0 ? pushed.contexts[pushed.count - 1] : primary_context(0); }
std::uint32_t current_id() {
  if (pushed.count > 0) return pushed.contexts[pushed.count - 1]->id;
  const std::lock_guard lock(contexts().mutex);
  const auto found = contexts().primary.find(0);
  return found != contexts().primary.end() ? found->second->id : 0;
}

std::uint64_t kernel_ns(std::string_view name) {
  for (std::size_t at = name.find('_'); at != std::string_view::npos; at = name.find('_', at + 1)) {
    std::uint64_t us = 0;
    std::size_t i = at + 1;
    while (i < name.size() && name[i] >= '0' && name[i] <= '9') us = us * 10 + static_cast<unsigned>(name[i++] - '0');
    if (i > at + 1 && name.substr(i, 2) == "us") return us * 1000;
  }
  return kKernelNs;
}

void launch(Stream* stream, const char* name, const Shape& shape) {
  Work work;
  work.kind = WorkKind::Kernel;
  work.name = name;
  work.duration = kernel_ns(name);
  memcpy(work.grid, shape.grid, sizeof work.grid);
  memcpy(work.block, shape.block, sizeof work.block);
  work.shared_bytes = shape.shared_bytes;
  submit(stream, std::move(work));
}

void copy_rows(Stream* stream, void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
               std::size_t width, std::size_t rows) {
  Work work;
  work.kind = WorkKind::Copy;
  work.name = "copy";
  work.bytes = width * rows;
  work.duration = copy_ns(work.bytes);
  work.from = place_of(from);
  work.to = place_of(to);
  const bool source = on_device(work.from), target = on_device(work.to);
  work.copy = source && target ? CopyKind::DtoD : source ? CopyKind::DtoH : target ? CopyKind::HtoD : CopyKind::HtoH;
  if (source && target && device_of(to) != device_of(from)) {
    work.copy = CopyKind::PtoP;
    work.other_device = static_cast<std::uint32_t>(device_of(from));
  }
  work.body = [=] {
    for (std::size_t row = 0; row < rows; ++row) {
      memmove(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch, width);
    }
  };
  submit(stream, std::move(work));
}

void copy(Stream* stream, void* to, const void* from, std::size_t bytes) {
  copy_rows(stream, to, bytes, from, bytes, bytes, 1);
}

void set(Stream* stream, void* to, std::uint32_t value, unsigned value_bytes, std::size_t count) {
  Work work;
  work.kind = WorkKind::Set;
  work.name = "set";
  work.bytes = value_bytes * count;
  work.duration = set_ns(work.bytes);
  work.value = value;
  work.to = place_of(to);
  work.body = [=] {
    for (std::size_t i = 0; i < count; ++i) memcpy(static_cast<char*>(to) + i * value_bytes, &value, value_bytes);
  };
  submit(stream, std::move(work));
}

}  // namespace fakegpu
