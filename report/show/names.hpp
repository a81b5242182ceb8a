// Functions and files by the names that tables show.
#pragma once

#include <string>

#include "report/symbols/symbols.hpp"

namespace prof::show {

// A function's name in a table: short, or whole when `wide`.
std::string label(const symbols::Function& function, bool wide);

// Where a function is: "file.cpp:12" or, where that is not known, the name of its module; whole paths when `wide`.
std::string place(const symbols::Function& function, bool wide);

// The last part of a source file's path; with its folder where the name says nothing, as that of an __init__.py.
std::string short_file(const std::string& path);

}  // namespace prof::show
