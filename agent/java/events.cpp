#include "agent/java/events.hpp"

#include <bit>
#include <cstdint>
#include <string_view>

#include "agent/core/clock.hpp"
#include "agent/core/counter.hpp"
#include "agent/core/text.hpp"
#include "agent/java/inlines.hpp"
#include "agent/java/interpreted.hpp"
#include "agent/java/method_rows.hpp"
#include "agent/java/methods.hpp"
#include "agent/java/vm_layout.hpp"
#include "agent/jit/names.hpp"
#include "agent/log/file.hpp"
#include "agent/memory/claims.hpp"
#include "agent/thread/guard.hpp"
#include "agent/thread/thread_state.hpp"
#include "agent/unwind/made_code.hpp"
#include "agent/unwind/made_inlines.hpp"
#include "agent/unwind/objects.hpp"

namespace prof::java {
namespace {

using abi::Tools;

// Of all code that is no method's: never an address.
constexpr std::uintptr_t kStubs = 1;

// A method may be compiled again at the same place, before the VM says that the other one is gone.
std::uintptr_t group_of(const void* code, abi::Method method) {
  return reinterpret_cast<std::uintptr_t>(code) ^ std::rotl(reinterpret_cast<std::uintptr_t>(method), 32);
}

// The CPU time from `began` on is the agent's, what the VM needs for its answers included.
class Told {
 public:
  explicit Told(std::uint64_t began = clock::thread_cpu()) : began_(began) {}
  explicit operator bool() const { return guard_ && log::ensure_created(); }
  const Guard& guard() const { return guard_; }
  ~Told() {
    if (guard_) add(guard_.thread().record->agent_ns, clock::thread_cpu() - began_);
  }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;

 private:
  const std::uint64_t began_;
  const HookGuard guard_;
};

void keep(const void* code, std::int32_t bytes, std::uint64_t frame, const RowAt* rows, std::size_t count,
          std::uintptr_t group, std::uint32_t inlines = 0) {
  made_code::add(reinterpret_cast<std::uintptr_t>(code), static_cast<std::uint32_t>(bytes), frame, rows, count, group,
                 inlines);
  // It has been running for a moment: what was taken of its frames meanwhile was guessed.
  made_code_changed();
}

void method_loaded(Tools* tools, abi::Method method, std::int32_t bytes, const void* code, std::int32_t, const void*,
                   const void* information) {
  if (bytes <= 0 || code == nullptr) return;
  const std::uint64_t began = clock::thread_cpu();
  const std::uint64_t frame = frame_of(tools, method);
  const std::uint32_t inlines =
      inlines_of(tools, code, static_cast<std::uint32_t>(bytes), static_cast<const abi::Record*>(information));
  const Told told(began);
  if (!told) return made_inlines::give_back(inlines);
  RowAt rows[kMostRows];
  const std::size_t count =
      rows_of_method(static_cast<const unsigned char*>(code), static_cast<std::uint32_t>(bytes), rows, kMostRows);
  keep(code, bytes, frame, rows, count, group_of(code, method), inlines);
}

void method_unloaded(Tools*, abi::Method method, const void* code) {
  const Told told;
  const auto at = reinterpret_cast<std::uintptr_t>(code);
  if (told) made_code::remove(group_of(code, method), at, at + 1);
}

// Some stubs are parts of others, which are told of in any order.
bool is_part(std::uintptr_t start, std::uintptr_t end) {
  made_code::Code known{};
  return made_code::find(start, known) && known.group == kStubs && known.start <= start && known.end >= end &&
         known.end - known.start > end - start;
}

void code_generated(Tools* tools, const char* name, const void* code, std::int32_t bytes) {
  const std::string_view what = name != nullptr ? name : "";
  const auto at = reinterpret_cast<std::uintptr_t>(code);
  // The compilers' own memory: nothing in it ever runs.
  if (bytes <= 0 || code == nullptr || what.find("temporary CodeBuffer") != std::string_view::npos) return;
  const Told told;
  if (!told || is_part(at, at + static_cast<std::uint32_t>(bytes))) return;
  RowAt rows[kMostRows];
  std::size_t count = 1;
  const bool interpreter = what == "Interpreter";
  if (interpreter)
    rows[0] = {0, interpreter_row()};
  else if (what.find("adapter") != std::string_view::npos || what == "InlineCacheBuffer")
    rows[0] = {0, passing_row()};
  else
    count = rows_of_method(static_cast<const unsigned char*>(code), static_cast<std::uint32_t>(bytes), rows, kMostRows);
  Text<160> shown;
  if (interpreter)
    shown << "(Java interpreter)";
  else
    shown << "(Java stub " << what << ")";
  keep(code, bytes, jit::frame_of(told.guard(), shown.view(), {}, 0), rows, count, kStubs);
  Object vm{};
  if (!interpreter || !object_at(reinterpret_cast<std::uintptr_t>(tools->functions[abi::kDeallocate]), vm)) return;
  name_interpreted(vm, at);
  if (const VmRange heap = read_heap(vm); heap.bytes != 0)
    memory::claim(log::MemoryPart::JavaHeap, {heap.start, heap.start + heap.bytes});
}

bool has_what_it_takes(Tools* tools) {
  abi::Capabilities wanted{};
  for (const unsigned bit : {abi::kSourceFileNames, abi::kLineNumbers, abi::kMethodLoadEvents})
    wanted.bits[bit / 32] |= 1U << (bit % 32);
  return abi::call<abi::AddCapabilities>(tools, abi::kAddCapabilities, static_cast<const void*>(&wanted)) == abi::kNone;
}

bool enable(Tools* tools) {
  abi::Callbacks callbacks{};
  callbacks.method_loaded = method_loaded;
  callbacks.method_unloaded = method_unloaded;
  callbacks.code_generated = code_generated;
  if (abi::call<abi::SetEventCallbacks>(tools, abi::kSetEventCallbacks, static_cast<const void*>(&callbacks),
                                        static_cast<std::int32_t>(sizeof(callbacks))) != abi::kNone)
    return false;
  for (const abi::Event event : {abi::kCodeGenerated, abi::kMethodUnloaded, abi::kMethodLoaded}) {
    if (abi::call<abi::SetEventNotificationMode>(tools, abi::kSetEventNotificationMode, abi::kEnable,
                                                 static_cast<std::int32_t>(event),
                                                 static_cast<void*>(nullptr)) != abi::kNone)
      return false;
  }
  return true;
}

}  // namespace

bool listen(Tools* tools) {
  {
    const RealCall nested;
    if (!has_what_it_takes(tools) || !enable(tools)) return false;
  }
  // These come back here on this thread, and record.
  for (const abi::Event event : {abi::kCodeGenerated, abi::kMethodLoaded})
    abi::call<abi::GenerateEvents>(tools, abi::kGenerateEvents, static_cast<std::int32_t>(event));
  return true;
}

}  // namespace prof::java
