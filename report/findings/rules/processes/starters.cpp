#include "report/findings/rules/processes/starters.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"

namespace prof::findings {
namespace starting {
namespace {

const Whole* with_most_children(const std::map<std::uint32_t, Whole>& all) {
  const Whole* out = nullptr;
  for (const auto& [pid, whole] : all) {
    if (out == nullptr || whole.children.size() > out->children.size()) out = &whole;
  }
  return out;
}

Starters starters_of(const std::map<std::uint32_t, Whole>& all, std::vector<const Whole*> starters) {
  Starters out;
  for (const Whole* one : starters) {
    out.children.insert(out.children.end(), one->children.begin(), one->children.end());
    out.waited_ns = model::saturated_sum(out.waited_ns, waited_of(*one));
    if (out.shown == nullptr || waited_of(*one) > waited_of(*out.shown)) out.shown = one;
  }
  // Side by side they do not wait for longer than they live.
  if (starters.size() > 1) out.waited_ns = std::min(out.waited_ns, covered_ns(starters));
  const std::set<const Whole*> themselves(starters.begin(), starters.end());
  std::erase_if(out.children, [&](std::uint32_t pid) { return themselves.contains(&all.at(pid)); });
  out.all = std::move(starters);
  return out;
}

}  // namespace
}  // namespace starting

std::int64_t waited_of(const Whole& one) { return model::saturated_sum(one.piped_ns, one.child_ns); }

std::optional<Starters> starters(const Evidence& evidence, const std::map<std::uint32_t, Whole>& all) {
  const Whole* most = starting::with_most_children(all);
  if (most == nullptr) return std::nullopt;
  Starters out = starting::starters_of(all, {most});
  if (static_cast<std::int64_t>(most->children.size()) >= kManyProcesses) return out;
  std::map<std::pair<std::string, std::string>, std::vector<const Whole*>> by_command;
  for (const auto& [pid, whole] : all) {
    const model::Process& image = evidence.run().processes[whole.last_image];
    // A subshell has the command of the shell that it is a copy of.
    if (whole.children.empty() || image.origin == log::Origin::Forked || image.argv.size() < 2) continue;
    by_command[{image.argv[0], image.argv[1]}].push_back(&whole);
  }
  for (auto& [command, processes] : by_command) {
    if (processes.size() < static_cast<std::size_t>(kManyJobs)) continue;
    Starters group = starting::starters_of(all, std::move(processes));
    if (group.children.size() > out.children.size()) out = std::move(group);
  }
  return out;
}

}  // namespace prof::findings
