// A device has nothing to do for most of its time.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "report/findings/places.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/device.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/gpu/gpu.hpp"
#include "report/fold/line_tree.hpp"
#include "report/model/text.hpp"
#include "report/show/gpu/gpu_text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace {

// What another finding is about is told of there, with what it could save.
std::int64_t told_elsewhere(const Evidence& evidence, const model::IdleMetric& idle) {
  std::int64_t ns = 0;
  const auto told = [&](const Rule& rule, std::int64_t its) {
    if (rule.cannot(evidence) == nullptr && !rule.look(evidence).empty()) ns = model::saturated_sum(ns, its);
  };
  told(kWaitingForDataRule, idle.waiting_ns);
  told(kSynchronisationRule, idle.synchronising_ns);
  told(kLaunchBoundRule, model::saturated_sum(idle.launching_ns, model::saturated_sum(idle.python_ns, idle.native_ns)));
  return ns;
}

std::string advice(const char* most) {
  const std::string_view what = most;
  if (what == "waiting for data or another thread") {
    return "Let the host have the next work ready before the device asks for it: --view blocking says what it waited "
           "for.";
  }
  if (what == "synchronising") return "Leave out what makes the host wait for the device, or do it more rarely.";
  if (what == "launching") return "Launch fewer and larger kernels, or many at once (CUDA graphs, torch.compile).";
  return "Do that work on the device, in another thread or process, or while the device is busy.";
}

std::vector<Finding> look(const Evidence& evidence) {
  std::vector<fold::DeviceRow> devices = fold::devices(evidence.run(), evidence.selection());
  // Each of several processes sees its own gaps.
  std::erase_if(devices, [](const fold::DeviceRow& row) { return row.at_work != 1 || row.span_ns <= 0; });
  const auto idle_of = [](const fold::DeviceRow& row) {
    return std::max<std::int64_t>(0, model::saturated_difference(row.span_ns, row.busy_ns));
  };
  const auto worst = std::max_element(devices.begin(), devices.end(), [&](const auto& a, const auto& b) {
    return real(idle_of(a)) / real(a.span_ns) < real(idle_of(b)) / real(b.span_ns);
  });
  if (worst == devices.end()) return {};
  const std::int64_t idle_ns = idle_of(*worst);
  if (real(idle_ns) <= kDeviceIdle * real(worst->span_ns)) return {};
  if (evidence.share(idle_ns) < kWorthALine) return {};

  Finding finding;
  finding.rule = kDeviceIdleRule.name;
  finding.title = fmt::format("{} has nothing to do for most of its time", show::device_name(worst->device));
  finding.seen =
      fmt::format("It idled {} of the {} from its first to its last work ({} %).", show::duration(real(idle_ns)),
                  show::duration(real(worst->span_ns)), show::percent(real(idle_ns), real(worst->span_ns)));
  const model::IdleMetric& all = evidence.lines().total().gpu.get().idle;
  std::vector<std::pair<std::int64_t, const char*>> causes{{all.synchronising_ns, "synchronising"},
                                                           {all.waiting_ns, "waiting for data or another thread"},
                                                           {all.launching_ns, "launching"},
                                                           {all.python_ns, "running Python"},
                                                           {all.native_ns, "running other code"}};
  std::stable_sort(causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> parts;
  for (const auto& [ns, words] : causes) {
    if (ns > 0 && real(ns) >= 0.05 * real(all.ns)) {
      parts.push_back(fmt::format("{} {} %", words, show::percent(real(ns), real(all.ns))));
    }
  }
  if (!parts.empty()) finding.seen += fmt::format(" Meanwhile the host was {}.", fmt::join(parts, ", "));
  finding.advice = parts.empty() ? "Look at what the host does: --view tree." : advice(causes.front().second);
  for (const fold::IdleRow& row : fold::idle_sites(evidence.lines())) {
    if (row.location != fold::kNobody) finding.places.push_back(place_of(evidence.symbols(), row.location));
  }
  const double told = all.ns > 0 ? real(told_elsewhere(evidence, all)) / real(all.ns) : 0;
  const double share = share_of_idle(evidence, idle_ns, worst->busy_ns) * std::max(0.0, 1 - told);
  if (share < kWorthALine) return {};
  could_save(finding, evidence, share);
  return {finding};
}

}  // namespace

const Rule kDeviceIdleRule{"device-idle", "devices that idle", no_device_times, look};

}  // namespace prof::findings
