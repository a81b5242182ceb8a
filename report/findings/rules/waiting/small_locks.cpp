// A mutex is taken and given back for each small piece of work: what that costs by itself, whether anybody waits or
// not.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "report/findings/below_own.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace small_locks {
namespace {

// What glibc calls it, stripped or not, and what the C++ library has inlined.
constexpr std::array<std::string_view, 14> kNames = {
    "pthread_mutex_",       "__pthread_mutex_",       "___pthread_mutex_",  "__GI___pthread_mutex_",  "lll_mutex_",
    "pthread_rwlock_",      "__pthread_rwlock_",      "___pthread_rwlock_", "__GI___pthread_rwlock_", "__lll_",
    "__gthread_mutex_lock", "__gthread_mutex_unlock", "__glibcxx_rwlock_",  "pthread_spin_"};

bool locks(const symbols::Function& function) {
  if (function.language == symbols::Language::Python) return false;
  const std::string_view name = function.short_name.empty() ? function.name : function.short_name;
  return begins_with_any(name, kNames) || name == "std::mutex::lock" || name == "std::mutex::unlock";
}

// Whether own code takes it, itself or by the C++ library: what other libraries lock is theirs, malloc's and stdio's
// too. `is`: by node, whether it stands at or below a lock.
bool is_its_own(const Evidence& evidence, const std::vector<bool>& is, std::uint32_t node) {
  const fold::CallTree& tree = evidence.lines();
  for (std::uint32_t at = node; at != 0; at = tree.nodes()[at].parent) {
    const symbols::Function& function = tree.function(at);
    if (evidence.own().function(tree.function_id(at))) return function.language == symbols::Language::Native;
    const bool of_cxx = function.name.starts_with("std::") || base_name(function.module).starts_with("libstdc++");
    if (!is[at] && !of_cxx) return false;
  }
  return false;
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::vector<bool> is = below_own(evidence, locks);
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) { return is[node] && is_its_own(evidence, is, node); });
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs || cpu.places.empty()) return {};
  Finding finding;
  finding.rule = kSmallLocksRule.name;
  finding.title = "A lock is taken for very little work at a time";
  finding.seen =
      fmt::format("Taking it and giving it back took {}, without the waiting for it.", cpu_words(evidence, cpu));
  finding.advice =
      "Where threads count or collect, let each do so by itself and merge under the lock once for a batch; take it "
      "around a loop in place of in it; std::atomic with memory_order_relaxed for a single number; for what is mostly "
      "read, a "
      "copy that is swapped whole. Where each lock is needed, this is its price.";
  finding.places = cpu.places;
  could_save(finding, evidence, cpu);
  return {finding};
}

const char* cannot(const Evidence& evidence) { return evidence.own().any() ? nullptr : "no code of your own was seen"; }

}  // namespace
}  // namespace small_locks

const Rule kSmallLocksRule{"small-locks", "locks that are taken for very little work", small_locks::cannot,
                           small_locks::look};

}  // namespace prof::findings
