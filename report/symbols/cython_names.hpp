// Names of functions that Cython made of those of a module.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prof::symbols {

// "app.orders.Order.total" of "__pyx_pw_3app_6orders_5Order_3total": what Python calls it. Wrappers that take the
// arguments apart have the name of what they wrap, bodies of generators that of the function, the code of a module
// itself is "app.orders.<module>", slots are "app.orders.Order.tp_dealloc". Nothing where it is none of Cython's, or
// one of its own helpers ("__Pyx_...").
// Source: Cython's Compiler/Naming.py and Symtab.py (mangle, mangle_internal).
std::optional<std::string> cython_name(std::string_view symbol);

// Whether the function is Cython's own, which every module brings along, and nobody's source.
bool is_cython_helper(std::string_view symbol, std::string_view file);

}  // namespace prof::symbols
