// Whose bytecode the interpreter is busy with.
#pragma once

#include <cstdint>
#include <map>

#include "report/findings/evidence.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {

// Time of the interpreter, charged to functions of the user's own.
class InterpretedFunctions {
 public:
  // `with_small`: what a function of a few lines, a comprehension or a lambda takes is its caller's, as if it stood
  // there.
  InterpretedFunctions(const Evidence& evidence, bool with_small)
      : evidence_(evidence), files_(evidence.sources()), with_small_(with_small) {}

  // The node of the own line that the interpreter works for, at or above that node of lines(); 0 where something else
  // is at work.
  std::uint32_t line_of(std::uint32_t node);

  static constexpr std::uint32_t kNone = UINT32_MAX;
  // Of the functions whose bytecode takes a good part of their time, the one with most of it. Elsewhere it is one
  // function of the interpreter that works: a sort, a search, a regular expression; where the interpreter is stripped
  // nobody knows which.
  std::uint32_t hottest();

 private:
  bool small(std::uint32_t function);

  const Evidence& evidence_;
  symbols::SourceFiles& files_;
  bool with_small_;
  std::map<std::uint32_t, bool> small_;
};

}  // namespace prof::findings
