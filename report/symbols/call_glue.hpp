// Functions of C++ that only hand a call on: to what a std::function, a std::thread or a table of virtual functions
// holds.
#pragma once

#include <string_view>

namespace prof::symbols {

// Whether the function is such a one. `name`: demangled, whole; `short_name`: without template arguments and parameters
// (demangle.hpp). Sources: libstdc++'s bits/invoke.h, bits/std_function.h, std_thread.h, functional, tuple, future;
// GCC's and Clang's names of thunks, of lambdas' plain functions, and libc++'s of the same.
bool hands_call_on(std::string_view name, std::string_view short_name);

}  // namespace prof::symbols
