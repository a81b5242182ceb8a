// Much of the CPU time goes to one thing that a line of the program asks for again and again: pickling, regular
// expressions, the garbage collector and the like. What a stack does is told by fold/own/activity.hpp.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/below_own.hpp"
#include "report/findings/javascript.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/python/log_handlers.hpp"
#include "report/findings/rules/python/pickling_pools.hpp"
#include "report/findings/rules/shared/file_use.hpp"
#include "report/findings/rules/shared/json_v8.hpp"
#include "report/findings/thresholds.hpp"
#include "report/fold/function_match.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/show/text.hpp"

namespace prof::findings {
namespace activities {
namespace {

struct Family {
  const char* rule;
  const char* activity;  // as fold::Activities calls it
  const char* title;
  const char* advice;
  double least = kActivity;  // of all CPU time
};

constexpr Family kPickles{
    "pickling", "pickling", "Objects are pickled and unpickled",
    "Send less: indices or file names in place of the data, results that are small; hand large arrays over in shared "
    "memory (multiprocessing.shared_memory, numpy.memmap) or let each process load its own; give a pool larger chunks "
    "(chunksize=)."};
constexpr Family kRegex{
    "regular-expressions", "regular expressions", "Regular expressions take much of the time",
    "Look for what backtracks: nested repetitions such as (a+)+, or .* more than once; anchor the pattern, use str "
    "methods for fixed text, compile it once (re.compile) outside of the loop.",
    kOfWork};
// Of the same activity, where most of it is this.
constexpr std::string_view kPatternFiles[] = {"/sre_compile.py",  "/sre_parse.py",  "/sre_constants.py",
                                              "/re/_compiler.py", "/re/_parser.py", "/re/_constants.py"};
constexpr std::string_view kPatternFunctions[] = {"std::__detail::_Compiler", "std::__detail::_Scanner",
                                                  "std::__cxx11::basic_regex", "std::__detail::_NFA"};
constexpr const char* kCompiledTitle = "Regular expressions are compiled again and again";
constexpr const char* kCompiledAdvice =
    "Compile each once and keep it (re.compile() outside of the loop, a dict of what is compiled): the re module "
    "itself "
    "forgets all when 512 are in use. Join many into one: \"a|b|c\".";
constexpr const char* kCompiledAdviceCxx = "Make each std::regex once (static const), outside of the function or loop.";
constexpr const char* kRegexAdviceCxx =
    "std::regex is slow for any pattern: take RE2 or PCRE2, or find fixed text by std::string_view::find; look for "
    "nested "
    "repetitions such as (a+)+.";

constexpr const char* kRegexAdviceJavaScript =
    "Look for what backtracks: \\s+$ is tried at each blank of a text, up to the end of the blanks (trimEnd() is not); "
    "nested repetitions such as (a+)+, .* more than once. Take includes(), startsWith(), split() for fixed text.";
constexpr double kWithNamesOfV8 = 0.88;      // 55 to 58 % of a program that has 61 to 65 % without
constexpr std::size_t kLongestPattern = 40;  // characters

constexpr Family kJson{
    "json", "JSON", "JSON is written and read",
    "Convert once and keep the result, write only what has changed, or use a faster library (orjson, "
    "msgspec) or a binary format.",
    kOfParsing};
constexpr Family kDeepcopy{"deepcopy", "deepcopy", "Objects are copied with copy.deepcopy",
                           "Copy only what changes (copy.copy, dict(x), dataclasses.replace), or keep the data "
                           "immutable and share it."};
constexpr Family kGarbage{
    "garbage-collector", "garbage collector", "Python's garbage collector takes much of the time",
    "Many live objects are walked again and again: gc.freeze() after the start, a higher threshold (gc.set_threshold), "
    "gc.disable() around a phase that allocates, or fewer small objects (arrays, tuples, __slots__)."};
constexpr Family kLogging{"logging", "logging", "Logging takes much of the time",
                          "Log less in hot places: check logger.isEnabledFor(), pass arguments in place of formatted "
                          "text, or hand records to a QueueHandler."};
constexpr Family kCompiling{"compiling", "compiling code", "Code is compiled again and again",
                            "Compile once and keep the result: compile() outside of the loop, one function in place of "
                            "eval() or exec()."};
constexpr Family kHeaps{"heaps-made-anew", "making heaps", "Heaps are made anew again and again",
                        "heappush(), heappop() and heapreplace() keep a heap in order; mark entries that are no longer "
                        "wanted and skip them when they come out, in place of removing them."};

bool makes_objects(const Family& family) { return &family == &kJson || &family == &kDeepcopy || &family == &kPickles; }

// Locations at which the activity is most of what has a name: there it has what the interpreter does without a name,
// too. Interpreters that distributions ship are stripped of most names.
std::vector<bool> lines_of(const Evidence& evidence, const Family& family) {
  const auto& cpu = evidence.lines().self().cpu;
  std::vector<std::int64_t> its(evidence.symbols().location_count()), named(its.size());
  for (const std::uint32_t node : evidence.timed()) {
    const std::string& name = evidence.activity_name(node);
    const std::int64_t ns = cpu[node].ns;
    if (ns <= 0 || name == fold::kUnnamedActivity) continue;
    const std::uint32_t location = evidence.own_location(node);
    named[location] = model::saturated_sum(named[location], ns);
    if (name == family.activity) its[location] = model::saturated_sum(its[location], ns);
  }
  std::vector<bool> out(its.size());
  for (std::size_t i = 1; i < out.size(); ++i) out[i] = its[i] > named[i] / 2;
  return out;
}

// What the collector, which runs at that node, was called from in the midst of.
const std::string& collects_for(const Evidence& evidence, std::uint32_t node) {
  while (node != 0 && evidence.activity_name(node) == kGarbage.activity) node = evidence.lines().nodes()[node].parent;
  return evidence.activity_name(node);
}

// Own lines at which heaps are made anew, and those of the same functions that search lists for that or take something
// out of them. All of their time is meant: what compares the elements may be code of the user's own.
std::vector<bool> heap_lines(const Evidence& evidence) {
  const auto& cpu = evidence.lines().self().cpu;
  const auto function_of = [&](std::uint32_t location) { return evidence.symbols().location(location).function; };
  std::vector<bool> makers(evidence.symbols().function_count());
  std::vector<std::int64_t> its(evidence.symbols().location_count()), all(its.size());
  for (const std::uint32_t node : evidence.timed()) {
    const std::uint32_t location = evidence.own_location(node);
    const std::string& name = evidence.activity_name(node);
    all[location] = model::saturated_sum(all[location], cpu[node].ns);
    if (location == 0 || (name != kHeaps.activity && name != "lists")) continue;
    its[location] = model::saturated_sum(its[location], cpu[node].ns);
    if (name == kHeaps.activity) makers[function_of(location)] = true;
  }
  std::vector<bool> out(its.size());
  for (std::uint32_t i = 1; i < out.size(); ++i)
    out[i] = its[i] > 0 && makers[function_of(i)] && real(its[i]) >= kOfHeapLine * real(all[i]);
  return out;
}

// Where a thread has no code of the user's, as those of pools, it is a line of the library that answers: of no use
// where there is one of the user's.
void keep_own(const Evidence& evidence, std::vector<Place>& places) {
  const auto is_own = [&](const Place& place) { return evidence.is_own(place); };
  if (std::any_of(places.begin(), places.end(), is_own)) std::erase_if(places, std::not_fn(is_own));
}

// What a loop waits for because of pickling is told by waiting-for-data.
bool told_by_loading(const Evidence& evidence, const Family& family) {
  return &family == &kPickles &&
         std::any_of(evidence.loaders().begin(), evidence.loaders().end(), [](const fold::Loader& loader) {
           return loader.kind == fold::Loader::Kind::Torch && loader.cause != fold::Loader::Cause::FastEnough;
         });
}

// Modules that are imported for the first time, or that somebody compiles ahead of that.
bool compiles_modules(const symbols::Function& function) {
  static constexpr fold::FunctionAt kAhead[] = {
      {"/compileall.py", ""}, {"/py_compile.py", ""}, {"/zipimport.py", ""}, {"<frozen zipimport>", ""}};
  return symbols::is_import_system(function) || fold::is_any(function, kAhead);
}

bool compiles_pattern(const symbols::Function& function) {
  if (function.language == symbols::Language::Python)
    return std::any_of(std::begin(kPatternFiles), std::end(kPatternFiles),
                       [&](std::string_view file) { return function.file.ends_with(file); });
  return begins_with_any(function.name, kPatternFunctions);
}

// The re module's look for a pattern among those that it keeps, and its making: not needed with a pattern at hand.
bool asks_for_pattern(const symbols::Function& function) {
  static constexpr fold::FunctionAt kAsks[] = {{"/re.py", "_compile"}, {"/re/__init__.py", "_compile"}};
  return compiles_pattern(function) || fold::is_any(function, kAsks);
}

struct Pattern {
  std::string_view text;
  std::int64_t ns = 0;
};

// The pattern of JavaScript that has most of their time; nothing where none has.
std::optional<Pattern> slowest_pattern(const Evidence& evidence) {
  std::map<std::string_view, std::int64_t> by_pattern;
  std::int64_t all = 0;
  for (const std::uint32_t node : evidence.timed()) {
    const symbols::Function& function = evidence.lines().function(node);
    if (!symbols::is_pattern_of_v8(function)) continue;
    const std::int64_t ns = evidence.lines().self().cpu[node].ns;
    std::int64_t& its = by_pattern[function.name];
    its = model::saturated_sum(its, ns);
    all = model::saturated_sum(all, ns);
  }
  const auto most = std::max_element(by_pattern.begin(), by_pattern.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == by_pattern.end() || most->second <= all / 2) return std::nullopt;
  return Pattern{most->first.substr(symbols::kPatternOfV8.size()), most->second};
}

// Blanks up to the text's end, and nothing else: that is tried at each blank, up to the end of the blanks.
bool cuts_blanks(std::string_view pattern) {
  static constexpr std::string_view kBlanks[] = {"\\s+$",    "\\s*$",    " +$",     " *$",
                                                 "[ \\t]+$", "[ \\t]*$", "[\\s]+$", "(\\s+)$"};
  return std::find(std::begin(kBlanks), std::end(kBlanks), pattern) != std::end(kBlanks);
}

// What is wrong with a pattern depends on what is done with it, and on the language. Whether most of it need not be:
// patterns are compiled, or one is of a shape that is slow.
bool tell_of_patterns(const Evidence& evidence, CpuAt& cpu, Finding& finding) {
  const std::vector<bool> compiles = below_own(evidence, compiles_pattern);
  const CpuAt compiled = cpu_at(evidence, [&](std::uint32_t node) { return compiles[node]; });
  const bool python = no_python_frames(evidence) == nullptr;
  if (compiled.ns > cpu.ns / 2) {
    finding.title = kCompiledTitle;
    finding.advice = python ? kCompiledAdvice : kCompiledAdviceCxx;
    const std::vector<bool> asks = below_own(evidence, asks_for_pattern);
    cpu = cpu_at(evidence, [&](std::uint32_t node) { return asks[node]; });  // what is searched with them stays
    return true;
  }
  if (const auto slowest = slowest_pattern(evidence)) {
    finding.advice = kRegexAdviceJavaScript;
    finding.seen = fmt::format(" Most of it: /{}/, {}.", show::cut_middle(slowest->text, kLongestPattern),
                               show::duration(real(slowest->ns)));
    return cuts_blanks(slowest->text);
  }
  if (!python) finding.advice = kRegexAdviceCxx;
  return false;
}

// Whether json has called another library there, as a file that compresses what is written to it: that is no work of
// JSON's.
bool beyond_json(const Evidence& evidence, std::uint32_t node) {
  const fold::CallTree& tree = evidence.lines();
  bool another = false;
  for (; node != 0; node = tree.nodes()[node].parent) {
    const symbols::Function& function = tree.function(node);
    if (function.language != symbols::Language::Python) continue;
    if (evidence.own().function(tree.function_id(node))) return false;
    if (contains(function.file, "/json/")) return another;
    another = true;
  }
  return false;
}

bool encodes_in_python(const symbols::Function& function) {
  static constexpr fold::FunctionAt kEncoder[] = {{"/json/__init__.py", "dump"},
                                                  {"/json/encoder.py", "_iterencode"},
                                                  {"/json/encoder.py", "_iterencode_dict"},
                                                  {"/json/encoder.py", "_iterencode_list"}};
  return fold::is_any(function, kEncoder);
}

// json.dump() to a file, and indent=, leave the encoder in C aside. Whether most of it is that: then `cpu` is that
// alone.
bool tell_of_tokens(const Evidence& evidence, CpuAt& cpu, Finding& finding) {
  const std::vector<bool> encodes = below_own(evidence, encodes_in_python);
  const CpuAt encoded =
      cpu_at(evidence, [&](std::uint32_t node) { return encodes[node] && !beyond_json(evidence, node); });
  if (encoded.ns <= cpu.ns / 2) return false;
  finding.title = "JSON is written token by token, in Python";
  finding.advice =
      "json.dump(document, file) and indent= do not use the encoder in C: file.write(json.dumps(document)) does, or a "
      "faster library (orjson, msgspec).";
  cpu = encoded;
  return true;
}

bool reads_json(const symbols::Function& function) {
  static constexpr fold::FunctionAt kReads[] = {
      {"/json/__init__.py", "load"}, {"/json/__init__.py", "loads"}, {"/json/decoder.py", "decode"}};
  return fold::is_any(function, kReads) || contains(function.name, "JsonParse");
}
bool writes_json(const symbols::Function& function) {
  static constexpr fold::FunctionAt kWrites[] = {
      {"/json/__init__.py", "dump"}, {"/json/__init__.py", "dumps"}, {"/json/encoder.py", "encode"}};
  return fold::is_any(function, kWrites) || contains(function.name, "JsonString");
}

// Nearly all of it one way.
void tell_of_direction(const Evidence& evidence, Finding& finding) {
  constexpr double kOther = 0.05;
  const auto in = [&](bool (*is)(const symbols::Function&)) {
    const std::vector<bool> inside = all_below(evidence.lines(), is);
    return real(cpu_at(evidence, [&](std::uint32_t node) { return inside[node]; }).ns);
  };
  const double read = in(reads_json), written = in(writes_json);
  if (read > 0 && written < kOther * read) finding.title = "JSON is read";
  if (written > 0 && read < kOther * written) finding.title = "JSON is written";
}

// Where much of what makes objects is to walk those that live: that many live is the reason.
void tell_of_collector(const Evidence& evidence, const std::vector<bool>& counted, const CpuAt& cpu, Finding& finding) {
  const CpuAt collecting = cpu_at(
      evidence, [&](std::uint32_t node) { return counted[node] && evidence.activity_name(node) == kGarbage.activity; });
  if (real(collecting.ns) < kMuchOfALine * real(cpu.ns)) return;
  finding.advice =
      "Much of it is the garbage collector, which walks again and again what lives: keep fewer objects, or "
      "gc.freeze(), gc.disable() around it, a higher gc.set_threshold(). " +
      finding.advice;
}

std::vector<Finding> look_for(const Evidence& evidence, const Family& family) {
  if (told_by_loading(evidence, family)) return {};
  const std::vector<bool> lines = lines_of(evidence, family);
  const std::vector<bool> heaps = &family == &kHeaps ? heap_lines(evidence) : std::vector<bool>();
  std::vector<bool> counted(evidence.lines().nodes().size());
  const std::vector<bool> modules =
      &family == &kCompiling ? all_below(evidence.lines(), compiles_modules) : std::vector<bool>();
  const auto counts = [&](std::uint32_t node) {
    const std::string& name = evidence.activity_name(node);
    const std::uint32_t location = evidence.own_location(node);
    if (!heaps.empty() && heaps[location]) return true;
    if (!modules.empty() && modules[node]) return false;
    // It collects what such a line makes.
    if (makes_objects(family) && name == kGarbage.activity &&
        (lines[location] || collects_for(evidence, node) == family.activity))
      return true;
    if (&family == &kJson && name == kJson.activity && beyond_json(evidence, node)) return false;
    return name == family.activity || (name == fold::kUnnamedActivity && lines[location]);
  };
  CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) { return counted[node] = counts(node); });
  if (cpu.share() < kActivity || !is_enough(cpu)) return {};
  Finding finding;
  finding.rule = family.rule;
  finding.title = family.title;
  finding.advice = family.advice;
  const bool needless = &family == &kRegex && tell_of_patterns(evidence, cpu, finding);
  const bool by_tokens = &family == &kJson && tell_of_tokens(evidence, cpu, finding);
  // What is parsed again and again is no work that has to be done.
  const bool again = needless || by_tokens ||
                     (&family == &kJson && no_files(evidence) == nullptr && !files_used(evidence, read_again).empty());
  // Names of V8's functions make all else slower: who has asked for them must not lose the finding by that.
  const bool slower = &family == &kJson && any_javascript(evidence) && evidence.own().any();
  if (!again && cpu.share() < (slower ? kWithNamesOfV8 : 1) * family.least) return {};
  finding.seen = fmt::format("{}.{}", cpu_words(evidence, cpu), finding.seen);
  finding.places = cpu.places;
  for (Place& place : &family == &kPickles ? using_pools(evidence) : std::vector<Place>()) {
    if (std::find(finding.places.begin(), finding.places.end(), place) == finding.places.end()) {
      finding.places.insert(finding.places.begin(), std::move(place));
    }
  }
  keep_own(evidence, finding.places);
  if (&family == &kPickles) tell_of_methods(evidence, finding);
  if (&family == &kJson && !by_tokens) tell_of_direction(evidence, finding);
  if (makes_objects(family)) tell_of_collector(evidence, counted, cpu, finding);
  if (&family == &kJson) tell_of_v8(evidence, finding);
  if (finding.places.empty()) return {};
  if (&family == &kLogging) tell_of_handlers(evidence, finding);
  if (by_tokens) cpu.take(kSavedByEncoderInC);
  could_save(finding, evidence, cpu);
  return {finding};
}

// What is done in C, and not told by the line that asks for it: in an interpreter without names nobody knows of it.
const char* stripped(const Evidence& evidence) {
  // C++ has names for what it does.
  if (const char* why = no_python_frames(evidence)) return evidence.own().any() ? nullptr : why;
  // Its tables name its functions (symbols/python_tables.hpp): the names have the type or module in front. What it does
  // not export has a name of its own where it is not stripped.
  for (std::uint32_t id = 0; id < evidence.symbols().function_count(); ++id) {
    const symbols::Function& function = evidence.symbols().function(id);
    if (!function.interpreter || !function.named) continue;
    const std::string& name = function.name;
    if (name.find('.') != std::string::npos || !(name.starts_with("Py") || name.starts_with("_Py"))) return nullptr;
  }
  const CpuAt cpu =
      cpu_at(evidence, [&](std::uint32_t node) { return evidence.activity_name(node) == fold::kUnnamedActivity; });
  return cpu.share() < kActivity ? nullptr : kStripped;
}

template <const Family& family>
std::vector<Finding> look(const Evidence& evidence) {
  return look_for(evidence, family);
}

template <const Family& family>
const char* stripped_and_none(const Evidence& evidence) {
  const char* why = stripped(evidence);
  return why != nullptr && look_for(evidence, family).empty() ? why : nullptr;
}

}  // namespace
}  // namespace activities

const Rule kPicklingRule{activities::kPickles.rule, "pickling", no_python_frames,
                         activities::look<activities::kPickles>};
const Rule kRegexRule{activities::kRegex.rule, "regular expressions", activities::stripped_and_none<activities::kRegex>,
                      activities::look<activities::kRegex>};
const Rule kJsonRule{activities::kJson.rule, "JSON", no_json_seen, activities::look<activities::kJson>};
const Rule kDeepcopyRule{activities::kDeepcopy.rule, "deep copies", no_python_frames,
                         activities::look<activities::kDeepcopy>};
const Rule kGarbageRule{activities::kGarbage.rule, "the garbage collector",
                        activities::stripped_and_none<activities::kGarbage>, activities::look<activities::kGarbage>};
const Rule kLoggingRule{activities::kLogging.rule, "logging", no_python_frames, activities::look<activities::kLogging>};
const Rule kHeapsRule{activities::kHeaps.rule, "heaps that are made anew",
                      activities::stripped_and_none<activities::kHeaps>, activities::look<activities::kHeaps>};
const Rule kCompilingRule{activities::kCompiling.rule, "code that is compiled again", no_python_frames,
                          activities::look<activities::kCompiling>};

}  // namespace prof::findings
