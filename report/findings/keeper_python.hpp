// Lines of Python that keep more than they should, by their text. Of all: the number of the line; 0: there is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "report/findings/source_words.hpp"

namespace prof::findings {

// Slices of arrays that are put into a container: the line that does, or, where they have names meanwhile, the one that
// makes them.
std::size_t keeping_slices(const Lines& lines);
// Exceptions that are.
std::size_t keeping_exceptions(const Lines& lines);
// Matches of regular expressions that are: each has the whole text that it was found in.
std::size_t keeping_matches(const Lines& lines);
// Elements of XML that are read one by one, and never cleared.
std::size_t keeping_trees(const Lines& lines);
// Results of a training step that are, with the graph that backward() went through: "losses.append(loss)".
std::size_t keeping_losses(const Lines& lines);
// Methods of an object that it gives to somebody else, who calls them and is never told to forget them.
std::size_t keeping_listeners(const Lines& lines);

// Of the decorators that begin at line `first`, the one that keeps results, of whatever library.
std::size_t cache_among_decorators(const Lines& lines, std::size_t first);
// The decorator of functools that keeps results of the function in which line `number` lies.
std::size_t cache_around(const Lines& lines, std::size_t number);
// The same where it keeps them for all arguments that it ever had, and nobody empties it: functools.cache, or lru_cache
// with maxsize=None.
std::size_t keeping_cache(const Lines& lines, std::size_t number);

// Whether a program that loaded arrays at all has them in a file of this line. Slices of anything else are copies.
bool imports_arrays(const std::string& line);

// Whether the line with that number puts what it makes into a container: then that is what keeps it.
bool keeps_what_it_makes(const Lines& lines, std::int64_t number);

// The function that the line with that number lies in.
std::string function_around(const Lines& lines, std::size_t number);

}  // namespace prof::findings
