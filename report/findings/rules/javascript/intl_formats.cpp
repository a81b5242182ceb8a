// JavaScript that makes a formatter of Intl again and again: each reads the data of its language.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/javascript.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/javascript_place.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace intl_formats {
namespace {

bool is_native(const symbols::Function& function) { return function.language == symbols::Language::Native; }

// What makes one: Intl.DateTimeFormat and its kind, which toLocaleString() and others make as well.
bool makes(const symbols::Function& function) {
  constexpr std::string_view kMade[] = {
      "v8::internal::JSDateTimeFormat::New", "v8::internal::JSNumberFormat::New",
      "v8::internal::JSCollator::New",       "v8::internal::JSPluralRules::New",
      "v8::internal::JSListFormat::New",     "v8::internal::JSRelativeTimeFormat::New",
      "v8::internal::JSDisplayNames::New",   "v8::internal::JSSegmenter::New",
      "v8::internal::JSLocale::New",         "v8::internal::Intl::"};
  return is_native(function) && begins_with_any(function.name, kMade);
}

// What the garbage collector has to take apart again.
bool ends(const symbols::Function& function) {
  return is_native(function) && function.name.starts_with("icu_") && contains(function.name, "::~");
}

// In a function or a loop: what stands outside is made once.
bool may_make(std::string_view code) {
  constexpr std::string_view kMaking[] = {"new Intl.",         "Intl.DateTimeFormat(",   "Intl.NumberFormat(",
                                          ".toLocaleString(",  ".toLocaleDateString(",   ".toLocaleTimeString(",
                                          ".localeCompare(",   "new DateTimeFormat(",    "new NumberFormat(",
                                          "new Collator(",     "new PluralRules(",       "new ListFormat(",
                                          "new DisplayNames(", "new RelativeTimeFormat("};
  return indent_of(code) > 0 && contains_any(code, kMaking);
}

// Whether the program keeps what it makes by a key, as a cache does: then each of them may be needed.
bool keeps_them(symbols::SourceFiles& files, const std::vector<std::string>& scripts) {
  constexpr std::string_view kKeeping[] = {".set(", "?\?=", "||="};
  return std::any_of(scripts.begin(), scripts.end(), [&](const std::string& script) {
    const Lines& lines = files.file(script).lines;
    return std::any_of(lines.begin(), lines.end(),
                       [&](const std::string& line) { return may_make(line) && contains_any(line, kKeeping); });
  });
}

const char* cannot(const Evidence& evidence) { return any_javascript(evidence) ? nullptr : "no JavaScript was seen"; }

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program || !runs_javascript(evidence.run().processes[program->process])) return {};
  const std::vector<bool> made = all_below(evidence.lines(), makes), ended = all_below(evidence.lines(), ends);
  if (cpu_at(evidence, [&](std::uint32_t node) { return made[node]; }).ns <= 0) return {};
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) { return made[node] || ended[node]; });
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs) return {};
  symbols::SourceFiles& files = evidence.sources();
  if (keeps_them(files, scripts_of(evidence, evidence.run().processes[program->process]))) return {};
  Finding finding;
  finding.rule = kIntlFormatsRule.name;
  finding.title = "Formatters of Intl are made again and again";
  finding.seen = fmt::format("{}, went by in making them and taking them apart.", cpu_words(evidence, cpu));
  finding.advice =
      "Make one and keep it (const day = new Intl.DateTimeFormat(...) outside of the function), then call its "
      "format(); in place of toLocaleString() and localeCompare() with options, too (Intl.Collator's compare).";
  finding.places = cpu.places;
  if (!name_line(finding, evidence, program->process, may_make)) return {};
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace intl_formats

const Rule kIntlFormatsRule{"intl-formats", "formatters of JavaScript that are made again and again",
                            intl_formats::cannot, intl_formats::look};

}  // namespace prof::findings
