#include "agent/java/connection.hpp"

#include <cerrno>
#include <string_view>

#include "agent/core/process.hpp"
#include "agent/java/events.hpp"
#include "agent/java/interpreted.hpp"
#include "agent/java/methods.hpp"
#include "agent/thread/feature.hpp"
#include "agent/thread/guard.hpp"
#include "agent/unwind/elf_symbols.hpp"
#include "agent/unwind/objects.hpp"

namespace prof::java {

PROF_WIPED constinit pages::Wiped<Connection> connection{};

namespace {

// Functions of these that open, read, write or look for files are called by Java code alone, never by the VM itself,
// which may be in the midst of anything.
bool is_native_code(const void* caller) {
  Object object{};
  if (!object_at(reinterpret_cast<std::uintptr_t>(caller) - 1, object)) return false;
  const std::string_view path = object.name;
  return path.ends_with("/libjava.so") || path.ends_with("/libnio.so");
}

// Null, and `again`: not yet.
abi::Tools* tools_of(abi::GetCreatedVms* created_vms, bool& again) {
  const RealCall nested;
  abi::Vm* vm = nullptr;
  std::int32_t count = 0;
  void *thread = nullptr, *tools = nullptr;
  again = true;
  if (created_vms(&vm, 1, &count) != abi::kNone || count == 0 || vm == nullptr ||
      abi::call<abi::GetEnv>(vm, abi::kGetEnv, &thread, abi::kJniVersion) != abi::kNone)
    return nullptr;
  const abi::Error error = abi::call<abi::GetEnv>(vm, abi::kGetEnv, &tools, abi::kToolsVersion);
  again = error == abi::kDetached;
  return error == abi::kNone ? static_cast<abi::Tools*>(tools) : nullptr;
}

// Of older VMs nobody has seen whether they bear it.
bool is_known(abi::Tools* tools) {
  constexpr std::int32_t kOldest = 17;
  const RealCall nested;
  std::int32_t version = 0;
  return abi::call<abi::GetVersionNumber>(tools, abi::kGetVersionNumber, &version) == abi::kNone &&
         (version >> 16 & 0xfff) >= kOldest;
}

void prepare() {
  pages::wipe_in_child(connection);
  prepare_methods();
  prepare_interpreted();
}

}  // namespace

void thread_starts(const void* routine) {
  Connection& c = connection.value;
  if (!process().options.java || c.stage.load(std::memory_order_relaxed) != Connection::NoVm) return;
  Object object{};
  if (!object_at(reinterpret_cast<std::uintptr_t>(routine), object) ||
      !std::string_view(object.name).ends_with("/libjvm.so"))
    return;
  const std::uintptr_t found = exported_symbol(object, abi::kCreatedVms).address;
  c.created_vms.store(reinterpret_cast<abi::GetCreatedVms*>(found), std::memory_order_relaxed);
  c.stage.store(found != 0 ? Connection::Awaited : Connection::Done, std::memory_order_release);
}

void ask(const void* caller) {
  Connection& c = connection.value;
  std::uint32_t awaited = Connection::Awaited;
  // A child that shares this memory, or a thread within the agent, is not where the program runs.
  if (tls.suppressed != 0 || !own_process() || !is_native_code(caller) ||
      !c.stage.compare_exchange_strong(awaited, Connection::Asking, std::memory_order_acquire))
    return;
  const int saved = errno;
  bool again = false;
  if (abi::Tools* const tools = tools_of(c.created_vms.load(std::memory_order_relaxed), again);
      tools != nullptr && !(is_known(tools) && listen(tools))) {
    const RealCall nested;
    abi::call<abi::DisposeEnvironment>(tools, abi::kDisposeEnvironment);
  }
  c.stage.store(again ? Connection::Awaited : Connection::Done, std::memory_order_release);
  errno = saved;
}

extern constinit const Feature feature{.prepare = prepare};

}  // namespace prof::java
