// Functions of libraries that take much of the time where another way is known to be faster: what such rules have in
// common. Which functions they are stands in tables (library_data.cpp, library_standard.cpp).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"
#include "report/fold/function_match.hpp"

namespace prof::findings {

// What went by below the functions.
struct LibrarySpent {
  std::int64_t ns = 0;
  std::int64_t allocated_bytes = 0, peak_bytes = 0;  // of malloc and mmap
  model::MemoryMetric most;                          // of the path that malloc gave the most bytes
};

struct LibraryFamily {
  const char* rule;
  std::span<const fold::FunctionAt> functions;
  const char* title;
  const char* advice;
  // Whether it was asked for more than a few times; null: always.
  bool (*again)(const Evidence&, const LibrarySpent&) = nullptr;
  bool in_steps = false;                          // where there are steps it is done in them
  std::span<const fold::FunctionAt> beside = {};  // what the same functions of one's own ask for because of it
  bool files_beside = false;                      // and the lines of these functions that wait for files
  bool anywhere = false;                          // in workers: of the thread that lost most by it
  bool calls_back = false;                        // it calls functions of one's own, whose time is meant
  double interpreted = 0;                         // of its time, at least so much in the interpreter: small pieces
  const char* not_by = nullptr;                   // part of the path of a module that calls it for reasons of its own
  // Names of functions inside, or beginnings of them: where they take much of the time, that is what it is asked for.
  std::span<const std::string_view> unless = {};
  // Functions that take most of the time where another rule tells of it.
  std::span<const fold::FunctionAt> rather = {};
  bool alone = false;             // the rest of a line that has most of its time in them is wanted without them, too
  bool computing = false;         // what the thread waits in them is what they are for
  bool repeated = false;          // what the program asks for once, by its source, is left out
  bool starts_processes = false;  // what the thread waits in vfork() is in no call that is seen
};

std::vector<Finding> look_for_family(const Evidence& evidence, const LibraryFamily& family);

// The function of a rule about that family.
template <const LibraryFamily& family>
std::vector<Finding> look(const Evidence& evidence) {
  return look_for_family(evidence, family);
}

}  // namespace prof::findings
