#include "agent/gpu/cupti/kinds.hpp"

#include <atomic>

#include "agent/core/pages.hpp"
#include "agent/core/process.hpp"
#include "agent/core/text.hpp"
#include "agent/gpu/cupti/client.hpp"
#include "agent/gpu/cupti/host_time.hpp"
#include "agent/gpu/info.hpp"
#include "agent/thread/guard.hpp"

namespace prof::gpu::cupti {
namespace {

struct Enabled {
  std::atomic<std::uint64_t> kinds;  // a bit each
  std::atomic<bool> all_calls, whole_graphs;
};
PROF_WIPED constinit pages::Wiped<Enabled> g_enabled{};

constexpr std::uint64_t bit(Kind kind) { return std::uint64_t{1} << static_cast<std::uint32_t>(kind); }

void note_failure(const Functions& functions, const char* what, Result result) {
  Text<200> text;
  text << "CUPTI does not record " << std::string_view(what) << ": error " << result << " ("
       << std::string_view(result_text(functions, result)) << ')';
  tell_note(text.view());
}

Result enable(const Functions& functions, Kind kind) {
  const Result r = functions.enable(kind);
  if (r == kSuccess) g_enabled.value.kinds |= bit(kind);
  return r;
}

void enable(const Functions& functions, Kind kind, const char* what) {
  if (const Result r = enable(functions, kind); r != kSuccess) note_failure(functions, what, r);
}

// The calls that matter alone; false: this version cannot, or will not.
bool enable_calls(const Functions& functions, std::uint32_t domain) {
  const auto enable_one = domain == kDomainRuntime ? functions.enable_runtime : functions.enable_driver;
  if (enable_one == nullptr) return false;
  bool any = false;
  each_classed_call([&](std::uint32_t of, std::uint32_t id) {
    if (of == domain) any |= enable_one(id, 1) == kSuccess;
  });
  return any;
}

// Of the runtime's calls, all of which are recorded, takes back those that do not matter: unlike choosing some, that
// works at any time (measured with CUDA 13.0).
void leave_out_calls(const Functions& functions) {
  constexpr std::uint32_t kMostIds = 4096, kFailuresAtEnd = 16;
  std::uint32_t failures = 0;
  for (std::uint32_t id = 1; id < kMostIds && failures < kFailuresAtEnd; ++id) {
    if (call_class(kDomainRuntime, id) != CallClass::Other) continue;
    failures = functions.enable_runtime(id, 0) == kSuccess ? 0 : failures + 1;
  }
}

void enable_domain(const Functions& functions, std::uint32_t domain) {
  if (enable_calls(functions, domain)) return;
  if (domain == kDomainRuntime)
    enable(functions, Kind::Runtime, "calls of the CUDA runtime");
  else
    enable(functions, Kind::Driver, "calls of the CUDA driver");
}

}  // namespace

const char* result_text(const Functions& functions, Result result) {
  const char* text = nullptr;
  if (functions.result_string == nullptr || functions.result_string(result, &text) != kSuccess || text == nullptr)
    return "unknown";
  return text;
}

Result enable_kinds(const Functions& functions, bool whole_runtime) {
  // Without calls of an API there is no external correlation. Both before what they give the device to do.
  Result kernels = enable(functions, Kind::ConcurrentKernel);
  if (kernels == kNotCompatible && client_wants(Kind::Kernel)) {  // another client has them run one after the other
    g_enabled.value.kinds |= bit(Kind::ConcurrentKernel);
    kernels = kSuccess;
  }
  const Result copies = enable(functions, Kind::Memcpy);
  if (kernels != kSuccess && copies != kSuccess) return kernels;
  if (kernels != kSuccess) note_failure(functions, "kernels", kernels);
  if (copies != kSuccess) note_failure(functions, "copies", copies);
  if (!whole_runtime)
    enable_domain(functions, kDomainRuntime);
  else if (functions.enable_runtime == nullptr)
    enable(functions, Kind::Runtime, "calls of the CUDA runtime");
  else if (const Result r = functions.enable(Kind::Runtime); r == kSuccess)
    leave_out_calls(functions);
  else
    note_failure(functions, "calls of the CUDA runtime", r);
  enable_domain(functions, kDomainDriver);
  enable(functions, Kind::ExternalCorrelation, "who launched what");
  enable(functions, Kind::MemcpyPeer, "copies between devices");
  enable(functions, Kind::Memset, "sets");
  if (!process().options.cuda_graph_nodes) enable(functions, Kind::GraphTrace, "CUDA graphs as a whole");
  enable(functions, Kind::Overhead, "its own cost");
  return kSuccess;
}

void enable_all_calls(const Functions& functions) {
  if (g_enabled.value.all_calls.exchange(true)) return;
  enable(functions, Kind::Runtime, "calls of the CUDA runtime");
  enable(functions, Kind::Driver, "calls of the CUDA driver");
  tell_note("CUPTI did not say who made the calls that it was asked for one by one: it is asked for all from now on");
}

void enable_whole_graphs(const Functions& functions) {
  if (own_kind(Kind::GraphTrace) || g_enabled.value.whole_graphs.exchange(true)) return;
  enable(functions, Kind::GraphTrace, "CUDA graphs as a whole");
  if (own_kind(Kind::GraphTrace))
    tell_note("CUPTI had no room left for the times of kernels in CUDA graphs: from then on each graph is one");
}

bool own_kind(Kind kind) { return static_cast<std::uint32_t>(kind) < 64 && (g_enabled.value.kinds & bit(kind)) != 0; }

void keep_runtime_calls(const Functions& functions) {
  if (!own_kind(Kind::Runtime) && functions.enable_runtime != nullptr) leave_out_calls(functions);
}

void restore_kind(const Functions& functions, Kind kind) {
  if (own_kind(kind))
    functions.enable(kind);
  else if (kind == Kind::Driver)
    enable_calls(functions, kDomainDriver);
}

void disable_kinds(const Functions& functions) {
  const std::uint64_t kinds = g_enabled.value.kinds.exchange(0) | bit(Kind::Runtime) | bit(Kind::Driver);
  for (std::uint32_t kind = 0; kind < 64; ++kind) {
    if ((kinds >> kind & 1) != 0) functions.disable(static_cast<Kind>(kind));
  }
  each_classed_call([&](std::uint32_t domain, std::uint32_t id) {
    const auto choose = domain == kDomainRuntime ? functions.enable_runtime : functions.enable_driver;
    if (choose != nullptr) choose(id, 0);
  });
}

bool serialise_kernels(const Functions& functions, bool serial) {
  if (!own_kind(Kind::ConcurrentKernel)) return false;
  const Kind from = serial ? Kind::ConcurrentKernel : Kind::Kernel, to = serial ? Kind::Kernel : Kind::ConcurrentKernel;
  functions.disable(from);
  if (functions.enable(to) == kSuccess) return true;
  functions.enable(from);
  return false;
}

void prepare_kinds() { pages::wipe_in_child(g_enabled); }

}  // namespace prof::gpu::cupti
