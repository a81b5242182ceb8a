#include "report/symbols/call_glue.hpp"

#include <algorithm>
#include <iterator>

#include "report/model/text.hpp"

namespace prof::symbols {
namespace {

constexpr std::string_view kThunks[] = {"non-virtual thunk to ", "virtual thunk to ", "covariant return thunk to "};
constexpr std::string_view kGlue[] = {"std::__invoke",
                                      "std::invoke",
                                      "std::__invoke_impl",
                                      "std::__invoke_r",
                                      "std::_Function_handler::_M_invoke",
                                      "std::function::operator()",
                                      "std::__apply_impl",
                                      "std::apply",
                                      "std::_Bind::operator()",
                                      "std::_Bind::__call",
                                      "std::_Bind_result::operator()",
                                      "std::reference_wrapper::operator()",
                                      "std::thread::_Invoker::operator()",
                                      "std::thread::_Invoker::_M_invoke",
                                      "std::thread::_State_impl::_M_run",
                                      "std::__future_base::_Task_setter::operator()",
                                      "std::__future_base::_State_baseV2::_M_do_set",
                                      "std::__1::__invoke",
                                      "std::__1::__function::__func::operator()",
                                      "std::__1::__function::__value_func::operator()",
                                      "std::__1::function::operator()",
                                      "std::__1::__thread_proxy",
                                      "std::__1::__thread_execute"};

}  // namespace

bool hands_call_on(std::string_view name, std::string_view short_name) {
  return begins_with_any(name, kThunks) || short_name.ends_with("::_FUN") ||
         std::find(std::begin(kGlue), std::end(kGlue), short_name) != std::end(kGlue);
}

}  // namespace prof::symbols
