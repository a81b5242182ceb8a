// Containers of the C++ library are copied element by element, from a line of the user's own.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "report/findings/below_own.hpp"
#include "report/findings/made_members.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/rules/all.hpp"
#include "report/findings/thresholds.hpp"
#include "report/show/numbers.hpp"

namespace prof::findings {
namespace container_copies {
namespace {

// The copy constructor and the assignment of a vector or a deque, which copy what they hold at once.
bool copies_vector(std::string_view name) {
  for (const std::string_view type : {"std::vector<", "std::deque<"}) {
    if (!name.starts_with(type) || !name.ends_with(" const&)")) continue;
    for (const std::string_view function : {"::vector(", "::deque(", "::operator=("}) {
      const std::size_t at = name.find(function);
      if (at != std::string_view::npos && name.substr(at + function.size()).starts_with(type)) return true;
    }
  }
  return false;
}

// A constructor of a vector whose elements are of a type without a name outside its file: no parameters are told of it.
// It copies where it makes elements of others itself; what is made of a range is asked for.
bool makes_vector(const symbols::Function& function) {
  return function.language == symbols::Language::Native && function.name.starts_with("std::vector<") &&
         function.name.ends_with("::vector");
}
bool copies_elements(const symbols::Function& function) {
  return function.name.starts_with("std::__uninitialized_copy_a<");
}
bool takes_range(const symbols::Function& function) {
  return function.name.find("::_M_range_initialize") != std::string::npos;
}

// The copy constructor of a string.
bool copies_text(const symbols::Function& function) {
  constexpr std::array<std::string_view, 3> kTypes = {"std::__cxx11::basic_string<", "std::basic_string<",
                                                      "std::__1::basic_string<"};
  const std::string_view name = function.name;
  if (function.language != symbols::Language::Native || !name.ends_with(" const&)")) return false;
  return std::any_of(kTypes.begin(), kTypes.end(), [&](std::string_view type) {
    const std::size_t at = name.find("::basic_string(");
    return name.starts_with(type) && at != std::string_view::npos &&
           name.substr(at + std::string_view("::basic_string(").size()).starts_with(type);
  });
}

// A function of the C++ library that keeps what it copies: what is put into a container has to be there twice.
bool keeps(const symbols::Function& function) {
  if (function.language != symbols::Language::Native || copies_text(function)) return false;
  const std::string_view name = function.name;
  return name.find("std::") != std::string_view::npos && !name.starts_with("std::pair<") &&
         !name.starts_with("std::tuple<") && !name.starts_with("std::_Tuple_impl<") &&
         !name.starts_with("std::_Head_base<");
}

// What an algorithm of the C++ library calls the user's comparison by: who takes its arguments by value copies each.
bool compares(const symbols::Function& function) {
  const std::size_t at = function.name.find("__gnu_cxx::__ops::");  // others have it among their types
  return function.language == symbols::Language::Native && at < function.name.find('<');
}

// What libstdc++ and libc++ call the copying of trees, hash tables and lists, as the standard library has it since
// GCC 4.1 (bits/stl_tree.h, bits/hashtable.h).
bool copies(const symbols::Function& function) {
  constexpr std::array<std::string_view, 6> kCopies = {"::_M_copy",       "::_M_assign",     "::_M_assign_elements",
                                                       "::_M_clone_node", "::_M_assign_aux", "::__assign_multi"};
  if (function.language != symbols::Language::Native) return false;
  if (!function.name.starts_with("std::") && function.name.find(" std::") == std::string::npos) return false;
  if (function.name.find("basic_string") < function.name.find('<')) return false;
  if (copies_vector(function.name)) return true;
  return std::any_of(kCopies.begin(), kCopies.end(),
                     [&](std::string_view part) { return function.name.find(part) != std::string::npos; });
}

// And the freeing of what was copied.
bool frees(const symbols::Function& function) {
  return function.language == symbols::Language::Native && function.name.find("std::") != std::string::npos &&
         (function.name.find("::_M_erase") != std::string::npos || function.name.find("::~") != std::string::npos);
}

const char* cannot(const Evidence& evidence) { return evidence.own().any() ? nullptr : "no code of your own was seen"; }

std::vector<Finding> look(const Evidence& evidence) {
  std::vector<bool> copied = below_own(evidence, copies);
  const std::vector<bool> freed = below_own(evidence, frees), text = below_own(evidence, copies_text),
                          kept = below_own(evidence, keeps, copies_text),
                          compared = below_own(evidence, compares, copies_text),
                          elements = below_own(evidence, makes_vector, copies_elements),
                          ranges = below_own(evidence, takes_range);
  const auto copies_string = [&](std::uint32_t node) { return text[node] && (!kept[node] || compared[node]); };
  for (const std::uint32_t node : evidence.timed()) {
    copied[node] = copied[node] || copies_string(node) || (elements[node] && !ranges[node]);
  }
  // What the compiler makes for a class, to copy it and to end it, stands on one line, in two functions.
  const auto line_of = [&](std::uint32_t node) {
    const symbols::Location& at = evidence.symbols().location(evidence.own_location(node));
    return std::pair<std::string_view, std::uint32_t>(at.file, at.line);
  };
  // A copy that a loop or an argument makes ends on another line of the same function.
  const auto function_of = [&](std::uint32_t node) {
    return evidence.symbols().location(evidence.own_location(node)).function;
  };
  std::set<std::pair<std::string_view, std::uint32_t>> copying;
  std::set<std::uint32_t> copying_text;
  for (const std::uint32_t node : evidence.timed()) {
    if (copied[node]) copying.insert(line_of(node));
    if (copies_string(node)) copying_text.insert(function_of(node));
  }
  const CpuAt cpu = cpu_at(evidence, [&](std::uint32_t node) {
    return copied[node] ||
           (freed[node] && (copying.contains(line_of(node)) || copying_text.contains(function_of(node))));
  });
  if (cpu.share() < kActivity || cpu.ns < kLeastActivityNs || cpu.places.empty()) return {};
  Finding finding;
  finding.rule = kContainerCopiesRule.name;
  const CpuAt of_text = cpu_at(evidence, copies_string);
  const CpuAt of_all = cpu_at(evidence, [&](std::uint32_t node) { return static_cast<bool>(copied[node]); });
  const bool strings = of_text.ns > of_all.ns / 2;
  finding.title = strings ? "Strings are copied where a reference would do" : "Containers are copied whole";
  finding.seen = fmt::format("{}, went by in copying {} of the C++ library and in freeing the copies.",
                             cpu_words(evidence, cpu), strings ? "strings" : "containers");
  finding.advice =
      "Pass and keep references (const T&, const auto& in loops: another type than that of the elements makes a copy "
      "of each), std::string_view for text, move what is no longer needed (std::move), or share it "
      "(std::shared_ptr<const T>).";
  finding.places = cpu.places;
  name_callers_of_made(evidence, finding.places);
  could_save(finding, evidence, cpu);
  return {finding};
}

}  // namespace
}  // namespace container_copies

const Rule kContainerCopiesRule{"container-copies", "containers of C++ that are copied whole", container_copies::cannot,
                                container_copies::look};

}  // namespace prof::findings
