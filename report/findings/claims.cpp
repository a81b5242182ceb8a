#include "report/findings/claims.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/findings/places.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace {

using Line = std::pair<std::string, std::int64_t>;  // file and number

// CPU time, with the waiting for a processor that came with it, and blocked time of all threads, by own line.
std::map<Line, double> time_by_line(const Evidence& evidence) {
  std::map<std::uint32_t, double> by_location;
  const fold::Columns& self = evidence.lines().self();
  const double by = stretched(evidence);
  for (const std::uint32_t node : evidence.timed()) {
    const double cpu = static_cast<double>(self.cpu[node].ns);
    const double waited = evidence.idle()[node] ? 0 : static_cast<double>(self.wait[node].blocked_ns());
    if (cpu + waited > 0) by_location[evidence.own_location(node)] += by * cpu + waited;
  }
  std::map<Line, double> out;
  for (const auto& [location, ns] : by_location) {
    if (location == 0) continue;
    const Place place = place_of(evidence.symbols(), location);
    out[{place.file, place.line}] += ns;
  }
  return out;
}

std::set<Line> lines_of(const Finding& finding) {
  std::set<Line> out;
  for (const Place& place : finding.places) out.emplace(place.file.empty() ? place.function : place.file, place.line);
  return out;
}

bool of_memory(const Finding& finding) { return finding.saves_ns <= 0 && finding.saves_bytes > 0; }

double claim_of(const Finding& finding) {
  return static_cast<double>(of_memory(finding) ? finding.saves_bytes : finding.saves_ns);
}

// Whether one of two is a symptom at a line, of which the other one explains most.
bool explains(const Finding& a, const Finding& b) {
  const Finding &symptom = a.symptom ? a : b, &cause = a.symptom ? b : a;
  const std::set<Line> lines = lines_of(cause);
  const Place& first = symptom.places.front();
  return lines.contains({first.file.empty() ? first.function : first.file, first.line}) &&
         claim_of(cause) >= kExplains * claim_of(symptom);
}

// Whether both are about the lives of processes, and nearly all that the smaller one is about are among the other's,
// or the same.
bool is_of_its_processes(const Finding& a, const Finding& b) {
  const Finding &less = claim_of(a) < claim_of(b) ? a : b, &more = &less == &a ? b : a;
  const auto key = [](const Span& span) { return std::pair(span.process, span.begin_monotonic_ns); };
  std::set<std::pair<std::size_t, std::uint64_t>> there;
  for (const Span& span : more.when) there.insert(key(span));
  const auto shared =
      std::count_if(less.when.begin(), less.when.end(), [&](const Span& span) { return there.contains(key(span)); });
  return shared >= static_cast<std::ptrdiff_t>(kManyJobs) && real(shared) >= kTheSame * real(std::ssize(less.when));
}

// Whether one is about waits for a lock, Python's global one or another, and the other about what is done at the line
// that they are for: who waits there waits for that.
bool waits_for(const Finding& a, const Finding& b) {
  constexpr std::string_view kWaits = "lock-contention";
  if ((a.rule == kWaits) == (b.rule == kWaits)) return false;
  const Finding &waits = a.rule == kWaits ? a : b, &work = a.rule == kWaits ? b : a;
  if (waits.places.empty()) return false;
  const Place& first = waits.places.front();
  return !first.file.empty() && lines_of(work).contains({first.file, first.line}) &&
         claim_of(work) >= kExplains * claim_of(waits);
}

// Whether both claim the same memory, at a line that they name together, or the same time: they name a line together,
// and there is not so much time at their lines.
bool overlap(const Finding& a, const Finding& b, const std::map<Line, double>& times) {
  if (claim_of(a) <= 0 || claim_of(b) <= 0 || of_memory(a) != of_memory(b)) return false;
  if (!of_memory(a) && is_of_its_processes(a, b)) return true;
  if (a.general || b.general) return false;
  const std::set<Line> of_a = lines_of(a), of_b = lines_of(b);
  const auto shared = [&](const Line& line) { return of_b.contains(line); };
  if (std::none_of(of_a.begin(), of_a.end(), shared)) return false;
  if (of_memory(a) || waits_for(a, b)) return true;
  // What a symptom has beside a smaller cause has other causes.
  if (a.symptom != b.symptom) return explains(a, b);
  std::set<Line> both = of_a;
  both.insert(of_b.begin(), of_b.end());
  double there = 0;
  for (const Line& line : both) {
    const auto found = times.find(line);
    if (found != times.end()) there += found->second;
  }
  return static_cast<double>(a.saves_ns) + static_cast<double>(b.saves_ns) > kClaimedTwice * there;
}

// Whether a cause says what keeps memory that grows, and is much of it: the rest may be the data that is worked on.
bool explains_growth(const Finding& a, const Finding& b) {
  constexpr std::string_view kKeep[] = {"kept-errors", "kept-views", "kept-graphs", "unbounded-queue", "unsent-data"};
  const Finding &symptom = a.symptom ? a : b, &cause = a.symptom ? b : a;
  return std::find(std::begin(kKeep), std::end(kKeep), cause.rule) != std::end(kKeep) &&
         claim_of(cause) >= kExplainsGrowth * claim_of(symptom);
}

// Whether the second of two that claim the same is what stays: the larger one, or the cause of a symptom.
bool goes_behind(const Finding& first, const Finding& second) {
  // What need not be done at all need not be done at once.
  if (is_of_its_processes(first, second) && first.rule == "jobs-one-by-one") return true;
  if (waits_for(first, second)) return claim_of(first) < claim_of(second);
  // What several can do at once need not be faster.
  constexpr std::string_view kShared = "starved-workers";
  if (first.rule == kShared || second.rule == kShared) {
    const Finding &shared = first.rule == kShared ? first : second, &other = &shared == &first ? second : first;
    if (claim_of(shared) >= kExplains * claim_of(other)) return &shared == &second;
  }
  if (first.symptom != second.symptom && (!of_memory(first) || explains_growth(first, second))) return first.symptom;
  return claim_of(first) < kAboutAsLarge * claim_of(second);
}

// ": Memory grows all the time, by 303 MiB; also at cache.py:14": what grew besides is not lost with it.
std::string symptom_words(const Finding& cause, const Finding& symptom) {
  std::string text = fmt::format(" It shows in this: {}", symptom.title);
  if (!of_memory(symptom)) return text + '.';
  text += fmt::format(", by {}", show::bytes(claim_of(symptom)));
  const std::set<Line> told = lines_of(cause);
  std::vector<std::string> others;
  for (const Place& place : symptom.places) {
    if (place.line > 0 && !told.contains({place.file, place.line}))
      others.push_back(fmt::format("{}:{}", base_name(place.file), place.line));
  }
  return text + (others.empty() ? "." : fmt::format("; also at {}.", fmt::join(others, ", ")));
}

}  // namespace

void claim_once(const Evidence& evidence, std::vector<Finding>& findings) {
  const std::map<Line, double> times = time_by_line(evidence);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    for (std::size_t j = i + 1; j < findings.size();) {
      if (!overlap(findings[i], findings[j], times)) {
        ++j;
        continue;
      }
      const bool behind = goes_behind(findings[i], findings[j]);
      if (behind) std::swap(findings[i], findings[j]);
      const Finding& part = findings[j];
      findings[i].seen +=
          part.symptom && !findings[i].symptom ? symptom_words(findings[i], part)
          : of_memory(part) == of_memory(findings[i]) && claim_of(part) >= kTheSame * claim_of(findings[i])
              ? fmt::format(" All of it is this: {}.", part.title)
              : fmt::format(" Part of it ({}): {}.",
                            of_memory(part) ? show::bytes(claim_of(part)) : show::duration(claim_of(part)), part.title);
      findings.erase(findings.begin() + static_cast<std::ptrdiff_t>(j));
      if (behind) j = i + 1;  // another one now, which those in between may have to do with
    }
  }
}

void take_off_specials(std::vector<Finding>& findings) {
  const std::vector<Finding> all = findings;
  std::erase_if(findings, [&](Finding& general) {
    if (!general.general || of_memory(general) || general.places.empty()) return false;
    const std::set<Line> lines = lines_of(general);
    double told = 0;
    for (const Finding& special : all) {
      if (special.general || special.symptom || special.saves_ns <= 0 || special.places.empty()) continue;
      const Place& first = special.places.front();
      if (lines.contains({first.file, first.line})) told += real(special.saves_ns);
    }
    const double whole = real(general.saves_ns);
    if (told <= 0 || whole <= 0) return false;
    const double left = std::max(0.0, 1 - told / whole);
    general.saves *= left;
    general.saves_ns = whole_number(left * whole);
    general.error_ns = whole_number(left * real(general.error_ns));
    general.seen += fmt::format(" {} of it is what another finding tells of.", show::duration(told));
    return general.saves < kActivity;
  });
}

void take_off_causes(const Evidence& evidence, std::vector<Finding>& findings) {
  const auto is_cause = [](const Finding& one) {
    return !one.symptom && !one.general && !one.of_processors && one.saves_ns > 0;
  };
  double told = 0;
  std::size_t largest = findings.size();
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (!is_cause(findings[i])) continue;
    // Of what was measured over the whole run, the steps' part is taken to be theirs.
    const double part =
        findings[i].of_run ? real(evidence.basis_ns()) / real(model::to_signed(evidence.run().wall_ns)) : 1;
    told += part * real(findings[i].saves_ns);
    if (largest == findings.size() || findings[i].saves_ns > findings[largest].saves_ns) largest = i;
  }
  if (largest == findings.size()) return;
  const double left = real(evidence.basis_ns()) - told;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    Finding& one = findings[i];
    if (!one.symptom || of_memory(one) || real(one.saves_ns) <= left) continue;
    if (left >= kExplains * kSlowSteps * real(evidence.basis_ns())) {
      one.seen += fmt::format(" Other findings are about {} or more of it.", show::duration(real(one.saves_ns) - left));
      could_save(one, evidence, left / real(evidence.basis_ns()));
      continue;
    }
    findings[largest].seen += fmt::format(" It shows in this: {}.", one.title);
    findings.erase(findings.begin() + static_cast<std::ptrdiff_t>(i));
    if (largest > i) --largest;
    --i;
  }
}

void put_causes_first(std::vector<Finding>& findings) {
  for (std::size_t i = findings.size(); i-- > 0;) {
    if (!findings[i].symptom || of_memory(findings[i])) continue;
    std::size_t last = i;
    for (std::size_t j = i + 1; j < findings.size(); ++j) {
      if (!findings[j].symptom && !findings[j].general && findings[j].saves_ns > 0) last = j;
    }
    const auto from = findings.begin() + static_cast<std::ptrdiff_t>(i);
    std::rotate(from, from + 1, findings.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  }
}

}  // namespace prof::findings
