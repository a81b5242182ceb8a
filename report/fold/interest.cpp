#include "report/fold/interest.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

namespace prof::fold {
namespace {

const symbols::Function& function_of(const symbols::Symbols& symbols, std::uint32_t location) {
  return symbols.function(symbols.location(location).function);
}

// Not code of the program, or what compilers put between a kernel's launch and the call of CUDA.
bool launches_only(const symbols::Function& function) {
  if (function.language != symbols::Language::Native || function.special) return true;
  const std::string_view name = function.short_name.empty() ? function.name : function.short_name;
  if (name.starts_with("__device_stub__") || name == "cudaLaunchKernel") return true;
  constexpr std::string_view kHeaders[] = {"/cuda_runtime.h", "/cuda_runtime_api.h", "/host_runtime.h"};
  return std::any_of(std::begin(kHeaders), std::end(kHeaders),
                     [&](std::string_view header) { return function.file.ends_with(header); });
}

}  // namespace

std::size_t first_frame_of_interest(const symbols::Symbols& symbols, std::span<const std::uint32_t> stack) {
  constexpr std::string_view kPlumbing[] = {"operator new", "std::", "__gnu_cxx::"};
  const bool python = first_python_frame(symbols, stack) != stack.size();
  for (std::size_t i = 0; i < stack.size(); ++i) {
    const symbols::Function& function = function_of(symbols, stack[i]);
    if (python && function.interpreter) continue;
    const std::string& name = function.short_name.empty() ? function.name : function.short_name;
    const auto begins = [&name](std::string_view start) { return name.starts_with(start); };
    if (std::none_of(std::begin(kPlumbing), std::end(kPlumbing), begins)) return i;
  }
  return 0;
}

std::size_t first_python_frame(const symbols::Symbols& symbols, std::span<const std::uint32_t> stack) {
  std::size_t importer = stack.size();
  for (std::size_t i = 0; i < stack.size(); ++i) {
    const symbols::Function& function = function_of(symbols, stack[i]);
    if (function.language != symbols::Language::Python) continue;
    if (!symbols::is_import_system(function)) return i;
    importer = std::min(importer, i);
  }
  return importer;
}

std::size_t first_own_python_frame(const OwnCode& own, std::span<const std::uint32_t> stack) {
  for (std::size_t i = 0; i < stack.size(); ++i) {
    if (own.location(stack[i]) && function_of(own.symbols(), stack[i]).language == symbols::Language::Python) return i;
  }
  return stack.size();
}

std::size_t own_or_python_frame(const OwnCode& own, std::span<const std::uint32_t> stack) {
  const std::size_t python = first_own_python_frame(own, stack);
  if (python != stack.size()) return python;
  const std::size_t innermost = own.innermost(stack);
  return innermost != stack.size() ? innermost : first_python_frame(own.symbols(), stack);
}

std::size_t answering_frame(const OwnCode& own, std::span<const std::uint32_t> stack) {
  const std::size_t frame = own_or_python_frame(own, stack);
  if (frame != stack.size()) return frame;
  for (std::size_t i = 0; i < stack.size(); ++i) {
    if (!launches_only(function_of(own.symbols(), stack[i]))) return i;
  }
  return stack.size();
}

}  // namespace prof::fold
