// A device has nothing to do for most of its time.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/device.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/gpu/gpu.hpp"
#include "report/fold/line_tree.hpp"
#include "report/model/text.hpp"
#include "report/show/gpu/gpu_text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace device_idle {
namespace {

// What of the idle time another finding is about is told of there, with what it could save.
std::int64_t told_elsewhere(const Evidence& evidence, const model::IdleMetric& idle) {
  std::int64_t ns = 0;
  const auto told = [&](const Rule& rule, std::int64_t its) {
    if (rule.cannot(evidence) != nullptr) return;
    for (const Finding& finding : rule.look(evidence)) ns = model::saturated_sum(ns, std::max(its, finding.saves_ns));
  };
  told(kWaitingForDataRule, idle.waiting_ns);
  told(kSynchronisationRule, idle.synchronising_ns);
  told(kLaunchBoundRule, host_ns(idle_between_launches(evidence)));
  return ns;
}

constexpr std::string_view kSynchronising = "synchronising", kWaiting = "waiting for data or another thread",
                           kLaunching = "launching", kComputing = "running Python";

std::string advice(std::string_view most) {
  if (most == kWaiting) {
    return "Let the host have the next work ready before the device asks for it: --view blocking says what it waited "
           "for.";
  }
  if (most == kSynchronising) return "Leave out what makes the host wait for the device, or do it more rarely.";
  if (most == kLaunching) return "Launch fewer and larger kernels, or many at once (CUDA graphs, torch.compile).";
  return "Do that work on the device, in another thread or process, or while the device is busy.";
}

struct Cause {
  std::int64_t ns;
  std::string_view words;
};

// What the host did meanwhile, most first.
std::vector<Cause> causes_of(const model::IdleMetric& idle) {
  std::vector<Cause> out{{idle.synchronising_ns, kSynchronising},
                         {idle.waiting_ns, kWaiting},
                         {idle.launching_ns, kLaunching},
                         {idle.python_ns, kComputing},
                         {idle.native_ns, "running other code"}};
  std::stable_sort(out.begin(), out.end(), [](const Cause& a, const Cause& b) { return a.ns > b.ns; });
  return out;
}

// Lines at which the program's thread computed, or waited for anything but the device: what it launches next stands
// elsewhere, on the line that ends the gap.
std::vector<Place> places_of_host(const Evidence& evidence, bool waiting) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return {};
  const std::int64_t whole = evidence.whole_ns();
  TimeByPlace sums(evidence);
  for (const LineTime& time : line_times(evidence, *program)) {
    const bool for_device = !time.waits || *time.waits == log::WaitClass::Gpu;
    const std::int64_t ns = !waiting ? time.cpu_ns : for_device ? 0 : time.blocked_ns;
    if (ns > 0 && evidence.own_location(time.node) != 0) sums.add(time.node, ns);
  }
  std::vector<AtPlace<std::int64_t>> all = sums.sums();
  // More than the steps took: that was elsewhere.
  std::erase_if(all, [&](const AtPlace<std::int64_t>& place) { return place.figures > whole; });
  return top_places(std::move(all), [](std::int64_t ns) { return ns; });
}

std::vector<Finding> look(const Evidence& evidence) {
  const fold::DeviceInSteps* worst = nullptr;
  const std::vector<fold::DeviceInSteps>& devices = evidence.devices();
  for (const fold::DeviceInSteps& device : devices) {
    // Each of several processes sees its own gaps.
    if (device.row.at_work != 1 || device.row.span_ns <= 0) continue;
    if (worst == nullptr || device_time(device).idle() > device_time(*worst).idle()) worst = &device;
  }
  if (worst == nullptr) return {};
  const DeviceTime time = device_time(*worst);
  if (time.idle() <= kDeviceIdle || evidence.share(time.idle_ns) < kWorthALine) return {};
  const std::int64_t again = recurring_idle_ns(evidence, time);
  if (real(again) <= kDeviceIdle * real(time.span_ns)) return {};

  Finding finding;
  finding.rule = kDeviceIdleRule.name;
  finding.title = fmt::format("{} has nothing to do for most of {}", show::device_name(worst->row.device),
                              time.in_steps ? "the steps" : "its time");
  finding.seen = fmt::format("It idled {} of the {} {} ({} %).", show::duration(real(time.idle_ns)),
                             show::duration(real(time.span_ns)),
                             time.in_steps ? "of steady steps" : "from its first to its last work",
                             show::percent(real(time.idle_ns), real(time.span_ns)));
  const model::IdleMetric all = idle_within_steps(evidence);
  const std::vector<Cause> causes = causes_of(all);
  std::vector<std::string> parts;
  for (const Cause& cause : causes) {
    if (cause.ns > 0 && real(cause.ns) >= 0.05 * real(all.ns)) {
      parts.push_back(fmt::format("{} {} %", cause.words, show::percent(real(cause.ns), real(all.ns))));
    }
  }
  if (!parts.empty()) finding.seen += fmt::format(" Meanwhile the host was {}.", fmt::join(parts, ", "));
  // Between launches that follow each other closely nothing else is done; before others the host does something, and
  // what that is stands on no line that launches.
  const model::IdleMetric launches = idle_between_launches(evidence);
  const auto computes = [](const model::IdleMetric& idle) { return host_ns(idle) - idle.launching_ns; };
  const std::int64_t computed = computes(all) - computes(launches), waited = all.waiting_ns - launches.waiting_ns;
  const bool elsewhere = all.ns > 0 && real(computed + waited) >= 0.5 * real(all.ns);
  if (elsewhere) finding.places = places_of_host(evidence, waited > computed);
  finding.advice = parts.empty() ? "Look at what the host does: --view tree."
                   : elsewhere   ? advice(waited > computed ? kWaiting : kComputing)
                                 : advice(causes.front().words);
  if (finding.places.empty()) {
    std::vector<AtPlace<std::int64_t>> sites;
    for (const fold::IdleRow& row : fold::idle_sites(evidence.lines(), evidence.step_limits())) {
      if (row.location == fold::kNobody || row.within_ns <= 0) continue;
      sites.push_back({place_of(evidence.symbols(), row.location), row.within_ns});
      finding.places.push_back(*sites.back().place);
    }
    prefer_lines(finding.places);
    put_backward_last(evidence, finding.places, [&](const Place& place) {
      const auto its = std::find_if(sites.begin(), sites.end(), [&](const auto& site) { return site.place == place; });
      return its != sites.end() ? its->figures : 0;
    });
  }
  const double told = all.ns > 0 ? real(told_elsewhere(evidence, all)) / real(all.ns) : 0;
  if (told >= kNearlyAll) return {};
  const double share = share_of_idle(evidence, again, time) * std::max(0.0, 1 - told);
  if (share < kWorthALine) return {};
  could_save(finding, evidence, share);
  finding.symptom = true;
  return {finding};
}

}  // namespace
}  // namespace device_idle

const Rule kDeviceIdleRule{"device-idle", "devices that idle", no_device_times, device_idle::look};

}  // namespace prof::findings
