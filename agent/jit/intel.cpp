#include "agent/jit/intel.hpp"

#include <cstdint>
#include <string_view>

#include "agent/core/process.hpp"
#include "agent/core/variables.hpp"
#include "agent/jit/ask_runtimes.hpp"
#include "agent/jit/debugger_images.hpp"
#include "agent/jit/names.hpp"
#include "agent/jit/scratch.hpp"
#include "agent/jit/unwind_tables.hpp"
#include "agent/log/file.hpp"
#include "agent/thread/feature.hpp"
#include "agent/thread/guard.hpp"
#include "agent/unwind/made_code.hpp"

namespace prof::jit {
namespace {

constexpr int kLoaded = 13, kUnloaded = 14, kLoadedV2 = 21, kLoadedV3 = 22;

// As far as the versions are alike, and of the first one what follows.
struct Loaded {
  std::uint32_t id;
  const char* name;
  const void* address;
  std::uint32_t bytes, line_bytes;
  const void* lines;
  std::uint32_t class_id;
  const char* class_file;
  const char* source_file;
};

void load(const Guard& guard, const Loaded& code, bool has_source) {
  const std::string_view name = code.name != nullptr ? code.name : "";
  const std::string_view source = has_source && code.source_file != nullptr ? code.source_file : "";
  // Without room for its name it still takes the place of what stood there.
  made_code::add(reinterpret_cast<std::uintptr_t>(code.address), code.bytes, frame_of(guard, name, source, 0), code.id);
}

void offer() {
  offer_beside("INTEL_JIT_PROFILER64", "libprof_jit.so");
  ask_runtimes();
}

}  // namespace

void announced(int event, const void* data) {
  const bool loaded = event == kLoaded || event == kLoadedV2 || event == kLoadedV3;
  if (data == nullptr || (!loaded && event != kUnloaded)) return;
  const HookGuard guard;
  if (!guard || !log::ensure_created()) return;
  if (loaded)
    load(guard, *static_cast<const Loaded*>(data), event == kLoaded);
  else
    made_code::remove(*static_cast<const std::uint32_t*>(data));
}

void prepare() {
  made_code::prepare();
  prepare_unwind_tables();
  prepare_scratch();
  prepare_images();
}

std::uint64_t pass(const Guard& guard, std::uint64_t) { return look_if_changed(guard); }

extern constinit const Feature feature{.prepare = prepare, .offer = offer, .pass = pass};

}  // namespace prof::jit
