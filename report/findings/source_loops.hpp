// Whether lines of Python are run again and again, by their source and by who calls them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/findings/evidence.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {

// Whether line `number` (from 1) of a file of Python stands in a loop of its function, or is the head of one that asks
// for one thing after the other: not of one that goes through what is made at once (`for line in text.splitlines():`).
// A comprehension is no loop: all of it is one value.
bool in_loop(const std::vector<std::string>& lines, std::size_t number);

// Whether what line `number` (from 1) asks for is asked for each of many within one statement: in a comprehension, in
// map() or filter(). Of a statement of several lines, the line's own and the next three are looked at.
bool for_each_of_many(const std::vector<std::string>& lines, std::size_t number);

// Whether what own code does at that node of Evidence::lines() is done once, as far as the source tells: none of the
// lines on the way to it stands in a loop, no function calls itself, and no library calls back. False where it does not
// tell.
bool done_once(const Evidence& evidence, symbols::SourceFiles& files, std::uint32_t node);
// The same of a stack: locations, leaf first.
bool done_once(const Evidence& evidence, symbols::SourceFiles& files, std::span<const std::uint32_t> stack);

// The same of what a line asks for: once, too, unless a comprehension, map() or the like asks for each of many.
bool asked_once(const Evidence& evidence, symbols::SourceFiles& files, std::uint32_t node);

}  // namespace prof::findings
