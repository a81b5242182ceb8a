// Blocking calls: by function, and by the place that made them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/fold/line_tree.hpp"

namespace prof::fold {

// All calls of one function that waited for one class of things, exact, over the selected processes and threads. Of a
// nested call (a name server's client inside of getaddrinfo) the time is in the outer one's too: see nested_ns.
struct WaitRow {
  std::string name;
  log::WaitClass what = log::WaitClass::Other;
  model::WaitTotal total;
  std::optional<double> median_ns, deviation_ns;
};
// By time. Totals have no stacks: where stacks were selected, `tree`'s contexts are added up instead, estimates without
// a least, a most, a median and bytes.
std::vector<WaitRow> wait_calls(const model::Run& run, const CallTree& tree, const Selection& selection);

// The standard deviation of a distribution whose classes are taken to be evenly filled; nothing where nothing was
// counted. A class is a quarter of an octave wide: where all times are alike, up to 8 % of them may be told though
// there is no deviation at all; bounds make it less.
std::optional<double> deviation_ns(const model::Spread& spread, const model::Extremes& bounds);

// A place that waited, and for what.
struct WaitPlace {
  std::uint32_t location = 0;  // kNobody: not known
  log::WaitClass what = log::WaitClass::Other;
  model::WaitMetric wait;
};
// `tree` is that of the run and selection with Frames::Mixed and Granularity::Line. The place is the innermost line of
// the program's own Python code, else of Python, else the innermost function of code.
std::vector<WaitPlace> wait_places(const CallTree& tree);  // by blocked time

// What a function of the tree that has blocking calls waits for: of a call of libc by its class; devices of all others.
log::WaitClass class_of(const symbols::Function& function);

}  // namespace prof::fold
