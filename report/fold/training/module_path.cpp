#include "report/fold/training/module_path.hpp"

#include "report/model/text.hpp"

namespace prof::fold {
namespace {

constexpr std::string_view kForward = "forward";

bool is_module_call(const symbols::Function& function) {
  if (!is_module_file(function.file)) return false;
  // 2.x has an inner function in _call_impl where a module has hooks.
  return function.name.find("_call_impl") != std::string::npos || last_part(function.name) == "_slow_forward";
}

}  // namespace

bool is_module_file(std::string_view file) { return file.ends_with("torch/nn/modules/module.py"); }

bool ModulePath::enter(const symbols::Symbols& symbols, std::uint32_t location) {
  const symbols::Function& function = symbols.function(symbols.location(location).function);
  if (function.language != symbols::Language::Python) return false;
  if (is_module_call(function)) {
    if (!in_call_) called_from_ = caller_;
    called_ = in_call_ = true;
    return false;
  }
  in_call_ = false;
  const bool begins = called_ && last_part(function.name) == kForward;
  if (begins) called_ = false;
  caller_ = location;
  return begins;
}

std::string class_of_forward(const symbols::Function& function) {
  const std::string_view name = function.name;
  if (function.language != symbols::Language::Python || last_part(name) != kForward) return {};
  if (name.size() == kForward.size()) return "Module";
  return std::string(last_part(name.substr(0, name.size() - kForward.size() - 1)));
}

}  // namespace prof::fold
