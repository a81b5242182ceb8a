// The host waits for the device in the middle of the step, and the device for the host afterwards.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/places.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/device.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace synchronisation {
namespace {

// What made the host wait, as the program has it; the first that a stack shows is it, so that what is more telling
// comes first.
enum class What { Printing, Item, Masks, ToDevice, ToHost, Asked, Other };
constexpr std::array kWhat{What::Printing, What::Item,  What::Masks, What::ToDevice,
                           What::ToHost,   What::Asked, What::Other};

struct Waits {
  std::array<model::ApiMetric, kWhat.size()> by{};

  model::ApiMetric& of(What what) { return by[static_cast<std::size_t>(what)]; }
  std::int64_t ns() const {
    std::int64_t sum = 0;
    for (const model::ApiMetric& calls : by) sum = model::saturated_sum(sum, calls.ns);
    return sum;
  }
  std::int64_t calls() const {
    std::int64_t sum = 0;
    for (const model::ApiMetric& calls : by) sum = model::saturated_sum(sum, calls.calls);
    return sum;
  }
  Waits& operator+=(const Waits& other) {
    for (std::size_t i = 0; i < by.size(); ++i) by[i] += other.by[i];
    return *this;
  }
};

const char* words(What what) {
  switch (what) {
    case What::Printing:
      return "printing a tensor";
    case What::Item:
      return ".item(), or a tensor used as a number";
    case What::Masks:
      return "nonzero and masks, whose size only the device knows";
    case What::ToDevice:
      return ".to() or .cuda() that waits until all is copied";
    case What::ToHost:
      return ".cpu(), .numpy() or .to()";
    case What::Asked:
      return "synchronize()";
    case What::Other:
      break;
  }
  return "a call that waits for the device";
}

// Operators stand in stacks as such ("aten::item"), where they were not folded as functions of C++ ("at::_ops::item").
bool is_operator(const symbols::Function& function, std::string_view name) {
  const std::string_view text = function.name;
  const auto has = [&](std::string_view prefix) {
    return text.starts_with(prefix) && text.substr(prefix.size()).starts_with(name) &&
           (text.size() == prefix.size() + name.size() || text[prefix.size() + name.size()] == ':');
  };
  return has("aten::") || has("at::_ops::");
}

// Whether what a call made the device do has a copy to it.
bool copies_to_device(const fold::CallTree& tree, std::uint32_t node) {
  std::vector<std::uint32_t> left{node};
  while (!left.empty()) {
    const std::uint32_t at = left.back();
    left.pop_back();
    if (tree.function(at).name.starts_with("memcpy HtoD")) return true;
    const auto children = tree.children(at);
    left.insert(left.end(), children.begin(), children.end());
  }
  return false;
}

What what_at(const fold::CallTree& tree, std::uint32_t node) {
  bool item = false, masks = false, asked = false;
  std::uint32_t copy = 0;  // the outermost operator that copies
  for (std::uint32_t at = node; at != 0; at = tree.nodes()[at].parent) {
    const symbols::Function& function = tree.function(at);
    if (function.language == symbols::Language::Python) {
      if (function.file.ends_with("/torch/_tensor_str.py")) return What::Printing;
      asked |= function.file.ends_with("/torch/cuda/__init__.py") && function.name == "synchronize";
      asked |= function.file.ends_with("/torch/cuda/streams.py") && function.name.ends_with("synchronize");
    }
    item |= is_operator(function, "_local_scalar_dense") || is_operator(function, "item");
    masks |= is_operator(function, "nonzero") || is_operator(function, "masked_select");
    if (is_operator(function, "_to_copy") || is_operator(function, "copy_") || is_operator(function, "to")) copy = at;
  }
  if (item) return What::Item;
  if (masks) return What::Masks;
  if (copy != 0) return copies_to_device(tree, copy) ? What::ToDevice : What::ToHost;
  return asked ? What::Asked : What::Other;
}

std::vector<AtPlace<Waits>> waits(const Evidence& evidence) {
  const fold::CallTree& tree = evidence.lines();
  return by_place<Waits>(evidence, [&](std::uint32_t node) -> std::optional<Waits> {
    const model::ApiMetric& calls = calls_at(tree, node);
    if (calls.empty() || !waits_for_device(tree, node)) return std::nullopt;
    // What loads and pins data waits in threads of its own.
    const bool aside = below(tree, node, [](const symbols::Function& function) {
      return function.language == symbols::Language::Python && function.name.ends_with("_pin_memory_loop");
    });
    if (aside || below(tree, node, moves_model)) return std::nullopt;
    Waits out;
    out.of(what_at(tree, node)) = calls;
    return out;
  });
}

std::string advice(What most) {
  switch (most) {
    case What::Printing:
    case What::Item:
      return "Keep such values on the device (total += loss.detach()), and fetch and print them every so many steps.";
    case What::Masks:
      return "Use torch.where or multiply by the mask, so that sizes need not be known on the host.";
    case What::ToDevice:
      return "Copy from pinned memory (DataLoader: pin_memory=True) with non_blocking=True.";
    case What::ToHost:
      return "Copy once for many steps, or into pinned memory with non_blocking=True and read it a step later.";
    case What::Asked:
      return "Leave it out of the loop: it is needed around a measurement, and CUDA's own order of a stream does the "
             "rest (events, where several streams meet).";
    case What::Other:
      break;
  }
  return "Move it out of the loop, or wait for an event of the step before.";
}

// "3 of .item() 1.20 s": what is worth telling, most time first.
std::string parts(const Waits& all) {
  std::vector<What> order(kWhat.begin(), kWhat.end());
  const auto of = [&](What what) { return all.by[static_cast<std::size_t>(what)]; };
  std::stable_sort(order.begin(), order.end(), [&](What a, What b) { return of(a).ns > of(b).ns; });
  std::vector<std::string> out;
  for (const What what : order) {
    const auto ns = static_cast<double>(of(what).ns);
    if (ns <= 0 || ns < 0.1 * static_cast<double>(all.ns())) continue;
    out.push_back(
        fmt::format("{} ({} in {})", words(what), show::counted(of(what).calls, "wait", "waits"), show::duration(ns)));
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

What most_of(const Waits& all) {
  return *std::max_element(kWhat.begin(), kWhat.end(), [&](What a, What b) {
    return all.by[static_cast<std::size_t>(a)].ns < all.by[static_cast<std::size_t>(b)].ns;
  });
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::int64_t steps = evidence.step_count();
  std::vector<AtPlace<Waits>> places = waits(evidence);
  // What waits more rarely is done every so many steps, or outside of them: before, between or after.
  const double enough = steps > 0 ? kEachStep * real(steps) : kManyWaits;
  std::erase_if(places, [&](const AtPlace<Waits>& place) { return real(place.figures.calls()) < enough; });
  Waits all;
  for (const AtPlace<Waits>& place : places) all += place.figures;
  double share = evidence.share(all.ns());
  if (evidence.lines().device_known()) {
    // While the device is at work, waiting for it takes nothing from anybody: what it idles is what can be won.
    const DeviceTime device = device_time(evidence);
    if (device.span_ns > 0)
      share = std::min(share, share_of_idle(evidence, recurring_idle_ns(evidence, device), device));
  }
  if (share < kSynchronisation) return {};
  Finding finding;
  finding.rule = kSynchronisationRule.name;
  finding.title =
      steps > 0 ? "The host waits for the device inside the step" : "The host waits for the device again and again";
  finding.seen = fmt::format(
      "{}{} took {}: {}.", show::counted(all.calls(), "wait", "waits"),
      steps > 0 ? fmt::format(" ({:.1f} in a step)", static_cast<double>(all.calls()) / static_cast<double>(steps))
                : "",
      show::duration(static_cast<double>(all.ns())), parts(all));
  if (const DeviceTime device = device_time(evidence); device.span_ns > 0) {
    finding.seen += fmt::format(" The device had nothing to do for {} % of {}.",
                                show::percent(real(device.idle_ns), real(device.span_ns)), device.words());
  }
  finding.advice = advice(most_of(all));
  finding.places = top_places(places, [](const Waits& its) { return its.ns(); });
  could_save(finding, evidence, share);
  return {finding};
}

}  // namespace
}  // namespace synchronisation

const Rule kSynchronisationRule{"synchronisation", "synchronisations inside the step", no_cuda, synchronisation::look};

}  // namespace prof::findings
