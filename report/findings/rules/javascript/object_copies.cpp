// JavaScript that copies large objects and arrays whole, for each part that it adds to them.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/javascript.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/process_tree.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace object_copies {
namespace {

// None of them runs code of the program's own, as what goes through an iterator does.
constexpr std::string_view kObjects[] = {"Builtins_CloneObjectIC",
                                         "Builtins_ObjectAssign",
                                         "Builtins_CopyDataProperties",
                                         "v8::internal::Runtime_CloneObjectIC_Miss",
                                         "v8::internal::Runtime_CopyData",
                                         "v8::internal::Runtime_SetDataProperties",
                                         "v8::internal::JSReceiver::SetOrCopyDataProperties"};
constexpr std::string_view kArrays[] = {"Builtins_CloneFastJSArray", "v8::internal::Builtin_ArrayConcat"};
// `[...list, x]` makes room for x in the copy, which copies it once more; push() does so now and then.
constexpr std::string_view kGrown = "v8::internal::Runtime_GrowArrayElements";

bool is_native(const symbols::Function& function) { return function.language == symbols::Language::Native; }

template <std::size_t N>
bool begins_with(const symbols::Function& function, const std::string_view (&names)[N]) {
  return is_native(function) && std::any_of(std::begin(names), std::end(names), [&](std::string_view name) {
           return std::string_view(function.name).starts_with(name);
         });
}

bool copies_object(const symbols::Function& function) { return begins_with(function, kObjects); }
bool copies_array(const symbols::Function& function) { return begins_with(function, kArrays); }
bool grows_array(const symbols::Function& function) { return is_native(function) && function.name.starts_with(kGrown); }

// V8 keeps objects of up to a thousand keys without a hash table.
bool is_of_large_object(const symbols::Function& function) {
  return is_native(function) && function.name.starts_with("v8::internal::") &&
         function.name.find("Dictionary") != std::string::npos;
}
// What copies such an object key by key, and the part of it that is about one key: the more keys, the less is the rest.
bool copies_by_key(const symbols::Function& function) {
  return is_native(function) && function.name == "Builtins_CloneObjectIC_Slow";
}
bool copies_key(const symbols::Function& function) {
  return is_native(function) && function.name == "Builtins_CreateDataProperty";
}
// Small arrays are copied by what V8 generates, in place.
bool is_of_large_array(const symbols::Function& function) {
  constexpr std::string_view kCopied[] = {"memmove", "memcpy"};
  if (!is_native(function)) return false;
  const std::string_view name = function.name;
  return name.find("NewFixedArrayWithFiller") != std::string_view::npos ||
         name.find("LargeObjectSpace") != std::string_view::npos ||
         std::any_of(std::begin(kCopied), std::end(kCopied),
                     [&](std::string_view copied) { return name.find(copied) != std::string_view::npos; });
}

using Nodes = std::vector<bool>;

Nodes both(const Nodes& a, const Nodes& b) {
  Nodes out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = a[i] && b[i];
  return out;
}
Nodes either(const Nodes& a, const Nodes& b) {
  Nodes out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = a[i] || b[i];
  return out;
}

CpuAt cpu_in(const Evidence& evidence, const Nodes& nodes) {
  return cpu_at(evidence, [&](std::uint32_t node) { return nodes[node]; });
}

// What copies took, where it is what copies of large things take; else nothing.
Nodes large_copies(const Evidence& evidence, const Nodes& copies, const Nodes& of_large) {
  const std::int64_t ns = cpu_in(evidence, copies).ns, large_ns = cpu_in(evidence, both(copies, of_large)).ns;
  return real(large_ns) >= kOfLargeCopies * real(ns) ? copies : Nodes(copies.size());
}

Nodes whole_objects(const Evidence& evidence) {
  Nodes copies = all_below(evidence.lines(), copies_object);
  const Nodes by_key = all_below(evidence.lines(), copies_by_key);
  const double ns = real(cpu_in(evidence, copies).ns), by_key_ns = real(cpu_in(evidence, by_key).ns),
               keys_ns = real(cpu_in(evidence, both(by_key, all_below(evidence.lines(), copies_key))).ns);
  if (by_key_ns >= kMostCopies * ns && keys_ns >= kOfManyKeys * by_key_ns) return copies;
  return large_copies(evidence, copies, all_below(evidence.lines(), is_of_large_object));
}

Nodes whole_arrays(const Evidence& evidence) {
  Nodes copies = all_below(evidence.lines(), copies_array);
  if (cpu_in(evidence, copies).share() >= kCopiedToGrow)
    copies = either(copies, all_below(evidence.lines(), grows_array));
  return large_copies(evidence, copies, all_below(evidence.lines(), is_of_large_array));
}

// ": 1.48 s in copies of objects with many keys".
std::string kinds(const CpuAt& objects, const CpuAt& arrays) {
  std::string out;
  const auto add = [&](const CpuAt& cpu, const char* what) {
    if (cpu.ns > 0)
      out += fmt::format("{} {} in copies of {}", out.empty() ? ":" : ",", show::duration(real(cpu.ns)), what);
  };
  add(objects, "objects with many keys");
  add(arrays, "long arrays");
  return out;
}

const char* cannot(const Evidence& evidence) { return any_javascript(evidence) ? nullptr : "no JavaScript was seen"; }

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<ThreadOf> program = program_thread(evidence);
  if (!program) return {};
  const model::Process& process = evidence.run().processes[program->process];
  if (!runs_javascript(process)) return {};
  const Nodes objects = whole_objects(evidence), arrays = whole_arrays(evidence);
  const CpuAt cpu = cpu_in(evidence, either(objects, arrays));
  if (cpu.share() < kObjectCopies || cpu.ns < kLeastActivityNs) return {};
  Finding finding;
  finding.rule = kObjectCopiesRule.name;
  finding.title = "Objects with many keys, or long arrays, are copied whole";
  finding.seen =
      fmt::format("{}{}.", cpu_words(evidence, cpu), kinds(cpu_in(evidence, objects), cpu_in(evidence, arrays)));
  finding.advice =
      "Copy only what changes, or what is needed. If it is a spread in reduce ({...acc, [key]: value}, "
      "Object.assign({}, acc), [...list, x], concat), all of it is copied for each element: change one object in a "
      "loop, take a Map or Object.fromEntries(), and list.push().";
  finding.places = cpu.places;
  const bool of_arrays = cpu_in(evidence, arrays).ns > cpu.ns / 2;
  const auto copies = [of_arrays](std::string_view code) {
    // "...all," on a line of its own may be of either.
    if (trimmed(code).starts_with("...")) return true;
    return of_arrays ? contains(code, "[...") || contains(code, ".concat(")
                     : contains(code, "{ ...") || contains(code, "{...") || contains(code, "Object.assign({}");
  };
  if (std::optional<Place> line = finding.places.empty() ? sole_line(evidence, process, copies) : std::nullopt)
    finding.places = {*std::move(line)};
  if (finding.places.empty()) {
    Whole whole;
    whole.last_image = program->process;
    finding.places = {place_of_command(evidence, whole)};
  }
  if (!names_javascript(process) && finding.places.front().line == 0)
    finding.advice = "Record with --js on: then lines have names. " + finding.advice;
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace object_copies

const Rule kObjectCopiesRule{"object-copies", "objects of JavaScript that are copied whole", object_copies::cannot,
                             object_copies::look};

}  // namespace prof::findings
