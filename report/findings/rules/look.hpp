// The rules: each looks at a run for one fault. CONTRIBUTING.md says what one is made of.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/findings/finding.hpp"

namespace prof::findings {

struct Rule {
  const char* name;  // Finding::rule
  const char* what;  // what it looks for, a few words: "waiting for data"
  // Why it cannot tell of this run ("no steps were seen", "device time was not recorded"); null: it can.
  const char* (*cannot)(const Evidence&);
  std::vector<Finding> (*look)(const Evidence&);  // empty: all is well
};

std::span<const Rule> rules();

struct Outcome {
  std::vector<Finding> findings;                             // those that save most first, memory weighed against time
  std::vector<const Rule*> clear;                            // looked for and not found
  std::vector<std::pair<const Rule*, const char*>> unknown;  // and why
};
Outcome look_for_all(const Evidence& evidence);

}  // namespace prof::findings
