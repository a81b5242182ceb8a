// Names of functions for people.
#pragma once

#include <string>
#include <string_view>

namespace prof::symbols {

// The C++ name behind a mangled symbol, whole; anything else comes back as it is, and what would become unreadably
// long.
std::string demangle(const std::string& symbol);

// A demangled name without return type, template arguments and parameters: "ns::Stack::push" for
// "void ns::Stack<int>::push<long>(long const&) const". Names that are no C++ come back as they are.
std::string shorten(std::string_view name);

// The name of a file, or of code in it, without the ABI tag of Python's extension modules: "_json.so+0x10" for
// "_json.cpython-311-x86_64-linux-gnu.so+0x10".
std::string without_abi_tag(std::string name);

}  // namespace prof::symbols
