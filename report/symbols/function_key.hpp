// What tells the functions of a run apart.
#pragma once

#include <cstdint>
#include <string_view>

#include "report/symbols/numbered.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::symbols {

// Its texts are another's. Python knows many functions of one name in a file (<lambda>), by their lines; so do scripts
// whose functions a list names. Of other native code the line is not always known.
struct FunctionKey {
  std::string_view name, file, module;
  Language language = Language::Native;
  std::uint32_t line = 0;

  FunctionKey(std::string_view name_, std::string_view file_, std::string_view module_, Language language_,
              std::uint32_t line_)
      : name(name_),
        file(file_),
        module(module_),
        language(language_),
        line(language_ == Language::Python || is_made_at_run_time(module_) ? line_ : 0) {}
  explicit FunctionKey(const Function& of) : FunctionKey(of.name, of.file, of.module, of.language, of.line) {}

  bool operator==(const FunctionKey&) const = default;
  std::uint64_t hash() const {
    return Hash().add(name).add(file).add(module).add(static_cast<std::uint64_t>(language)).add(line).value();
  }
};

}  // namespace prof::symbols
