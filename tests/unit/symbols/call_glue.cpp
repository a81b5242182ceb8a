#include "report/symbols/call_glue.hpp"

#include "report/symbols/demangle.hpp"
#include "tests/support/catch.hpp"

using namespace prof;

TEST_CASE("functions of C++ that only hand a call on", "[symbols]") {
  const auto hands_on = [](const std::string& name) { return symbols::hands_call_on(name, symbols::shorten(name)); };
  for (const char* glue :
       {"std::_Function_handler<void (int), main::{lambda(int)#1}>::_M_invoke(std::_Any_data const&, int&&)",
        "void std::__invoke_impl<void, main::{lambda()#1}>(std::__invoke_other, main::{lambda()#1}&&)",
        "std::function<void (int)>::operator()(int) const", "non-virtual thunk to Shape::area() const",
        "std::thread::_State_impl<std::thread::_Invoker<std::tuple<main::{lambda()#1}> > >::_M_run()",
        "work::{lambda(int)#1}::_FUN(int)"})
    CHECK(hands_on(glue));
  for (const char* own :
       {"main", "Shape::area() const", "main::{lambda()#1}::operator()() const", "std::sort<int*>(int*, int*)",
        "mine::invoke(int)", "mine::function<int>::operator()(int)", ""})
    CHECK_FALSE(hands_on(own));
}
