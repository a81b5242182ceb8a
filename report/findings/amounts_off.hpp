// How far the amounts of findings were off where they were tried.
//
// What a finding counts is what was seen at its lines; what mending the fault saves was measured by the programs of
// `scripts/bench answers`, by their own clocks and by their mended twins. Where the two differed by more than samples
// explain, the rule says so with each of its amounts.
#pragma once

#include <span>
#include <string_view>

#include "report/findings/finding.hpp"

namespace prof::findings {

struct AmountOff {
  std::string_view rule;
  double part;  // of an amount of the rule, that nearly all trials were within
};

// By name. Of rules that are not among them, no trial was off by more than what else is stated.
std::span<const AmountOff> amounts_off();

// Adds it to the errors of the finding's amounts, as one that has nothing to do with those.
void state_amount_off(Finding& finding);

}  // namespace prof::findings
