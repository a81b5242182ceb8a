// Which functions a user chose: by name, by module or by file.
//
// PATTERN[,PATTERN...], with * for any characters and ? for one. A pattern with a slash in it or .py at its end is of
// files and matches the end of a path from some directory on: train.py, pkg/*.py. Any other is of names and matches the
// end of FILE.QUALNAME, both with dots, from some part on: load, Reader.load, pkg.reader, pkg.*. Before Python 3.11
// code has no qualified name, and its plain name stands for it.
#pragma once

#include <string_view>

namespace prof::python::calls {

bool matches(std::string_view patterns, std::string_view file, std::string_view qualname);

// Whether the file is the program's own: below `directory` and not of an installed package or the standard library.
bool is_own_file(std::string_view file, std::string_view directory);

}  // namespace prof::python::calls
