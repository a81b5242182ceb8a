// Blocks of Python's `with`, by the source: what a lock is held for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "report/findings/evidence.hpp"
#include "report/findings/source_words.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {

// Lines are numbered from 1.
struct LineRange {
  std::size_t first = 0, last = 0;
};

// What is indented below the `with` or `async with` that line `number` is; nothing where it is none.
std::optional<LineRange> block_of_with(const Lines& lines, std::size_t number);

// The innermost `with` of a lock, by its name, whose block has line `number`; 0: there is none in the function.
std::size_t lock_around(const Lines& lines, std::size_t number);

// The line of a function below that `with` of its own which took most, with all below it and in all threads.
struct MostInBlock {
  Place place;
  std::int64_t ns = 0, all_ns = 0;  // of that line, and of the block: CPU time and time in blocking calls
};
std::optional<MostInBlock> most_in_block(const Evidence& evidence, symbols::SourceFiles& files, const Place& with);

}  // namespace prof::findings
