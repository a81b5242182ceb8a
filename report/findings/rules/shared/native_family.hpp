// Native work that is known by the names of its functions: what it takes, at which own lines. A family is a row; the
// files of rows are native_work.cpp (interpreters, libraries, C) and native_cpp.cpp (the C++ library).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"
#include "report/findings/program_time.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"

namespace prof::findings {

// Whether the name of a function of native code, without template arguments, begins as one of these.
template <const auto& names>
bool is_called(const symbols::Function& function) {
  return function.language != symbols::Language::Python &&
         begins_with_any(function.short_name.empty() ? function.name : function.short_name, names);
}

using Names = std::span<const std::string_view>;  // beginnings of names

struct Family {
  const char* rule;
  Names functions;
  Names inside;            // what such a function must have called; empty: anything
  std::string_view below;  // part of the path of a module, which must have called it; empty: anybody
  const char* title;
  const char* advice;
  double least = kActivity;  // of all CPU time
  // Functions of such names that are not meant; null: all are.
  bool (*spared)(const symbols::Function&) = nullptr;
  // Of what an own line does by itself: what functions of Python's libraries do with lists of theirs is theirs to mend.
  bool by_own_line = false;
  // Functions that need them for what else they do; null: none is known.
  bool (*needed_by)(const symbols::Function&) = nullptr;
};

// One finding where the family takes its part of the CPU time at own lines; else none.
std::vector<Finding> look_for(const Evidence& evidence, const Family& family);

// The same of CPU time that somebody else has found.
std::vector<Finding> tell_of(const Evidence& evidence, const Family& family, const CpuAt& cpu);

template <const Family& family>
std::vector<Finding> look_for_family(const Evidence& evidence) {
  return look_for(evidence, family);
}

// Why such rules cannot tell; null: they can.
const char* no_own_code(const Evidence& evidence);

}  // namespace prof::findings
