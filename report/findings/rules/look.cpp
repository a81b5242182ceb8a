#include "report/findings/rules/look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "report/findings/amounts_off.hpp"
#include "report/findings/brace_lines.hpp"
#include "report/findings/claims.hpp"
#include "report/findings/class_heads.hpp"
#include "report/findings/keeper_python.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/findings/unread_sources.hpp"
#include "report/findings/when.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace {

constexpr std::size_t kPlaces = 3;

using Key = std::pair<std::string, std::string>;  // file and function
Key key_of(const Place& place) { return {place.file, place.function}; }

// Where findings are that say more than where time went, and the most that one of them is about there.
std::map<Key, double> specials(const std::vector<Finding>& findings) {
  std::map<Key, double> out;
  for (const Finding& finding : findings) {
    if (finding.general || finding.saves <= 0) continue;
    for (const Place& place : finding.places) {
      double& most = out[key_of(place)];
      most = std::max({most, finding.saves, finding.about});
    }
  }
  return out;
}

// A comprehension is a function of its own until Python 3.11, on the line of the one around it.
void name_lines_once(std::vector<Place>& places) {
  std::vector<Place> out;
  for (Place& place : places) {
    const bool there = place.line > 0 && std::any_of(out.begin(), out.end(), [&](const Place& other) {
                         return other.file == place.file && other.line == place.line;
                       });
    if (!there) out.push_back(std::move(place));
  }
  places = std::move(out);
}

// Of the process that had most.
double most_memory(const model::Run& run) {
  double out = 0;
  for (const model::Process& process : run.processes)
    out = std::max(out, static_cast<double>(process.peak_rss_bytes.value_or(0)));
  return out;
}

// What a function takes whose results are kept, it takes where they were not.
void tell_of_missed_caches(const Evidence& evidence, std::vector<Finding>& findings) {
  symbols::SourceFiles& files = evidence.sources();
  for (Finding& finding : findings) {
    if (finding.saves_ns <= 0 || finding.places.empty()) continue;
    const Place& first = finding.places.front();
    if (first.line <= 0 || !first.file.ends_with(".py")) continue;
    const std::size_t cache = cache_around(files.file(first.file).lines, static_cast<std::size_t>(first.line));
    if (cache == 0) continue;
    finding.seen += fmt::format(
        " It is behind the cache of line {}, which had no answer for these calls: maxsize may be too small for what is "
        "asked in turn, or keys never come again (cache_info() counts them).",
        cache);
  }
}

}  // namespace

std::span<const Rule> rules() {
#define PROF_LIST_RULE(rule) rule,
  static const std::vector<Rule> all{PROF_RULES(PROF_LIST_RULE)};
#undef PROF_LIST_RULE
  return all;
}

Outcome look_for_all(const Evidence& evidence) {
  Outcome out;
  UnreadSources unread(evidence);
  for (const Rule& rule : rules()) {
    if (const char* why = rule.cannot(evidence)) {
      out.unknown.emplace_back(&rule, why);
      continue;
    }
    std::vector<Finding> found = rule.look(evidence);
    const bool blind = unread.asked_for();
    if (found.empty() && blind) out.unknown.emplace_back(&rule, kUnread);
    if (found.empty() && !blind) out.clear.push_back(&rule);
    for (Finding& finding : found) {
      name_lines_once(finding.places);
      if (finding.places.size() > kPlaces) finding.places.resize(kPlaces);
      const bool of_steps = finding.saves > 0 && evidence.of_steps() && !finding.of_run;
      if (of_steps && finding.when.empty()) finding.when = steady_spans(evidence);
      keep_to_lives(evidence.run(), finding.when);
      out.findings.push_back(std::move(finding));
    }
  }
  std::erase_if(out.findings, [special = specials(out.findings)](const Finding& finding) {
    if (!finding.general || finding.places.empty()) return false;
    const auto found = special.find(key_of(finding.places.front()));
    // A small one beside a large one is about something else.
    return found != special.end() && found->second >= kExplains * finding.saves;
  });
  name_lines_before_braces(evidence, out.findings);
  name_callers_of_class_heads(evidence, out.findings);
  for (Finding& finding : out.findings) name_lines_once(finding.places);
  claim_once(evidence, out.findings);
  tell_of_missed_caches(evidence, out.findings);
  take_off_specials(out.findings);
  take_off_causes(evidence, out.findings);
  for (Finding& finding : out.findings) state_amount_off(finding);
  const auto weight = [most = most_memory(evidence.run())](const Finding& finding) {
    const auto bytes = static_cast<double>(finding.saves_bytes);
    const double memory = most > 0 ? std::min(1.0, bytes / most) * std::min(1.0, bytes / kMuchMemory) : 0;
    return std::max(finding.saves, kWeightOfMemory * memory);
  };
  std::stable_sort(out.findings.begin(), out.findings.end(),
                   [&](const Finding& a, const Finding& b) { return weight(a) > weight(b); });
  put_causes_first(out.findings);
  return out;
}

}  // namespace prof::findings
