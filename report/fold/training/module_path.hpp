// Modules of PyTorch (nn.Module) by the Python frames that run them: where Module.__call__ calls a forward(), a module
// begins, and it is called what the class is called that defines the forward().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "report/symbols/symbols.hpp"

namespace prof::fold {

// What a stack has told so far. Its Python frames are to be passed on from the outside inwards; a copy goes on from
// where it was made.
class ModulePath {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // True if the frame is a module's forward(): then class_of() names it, and called_from() is where it was called.
  // Frames of other languages are passed over.
  bool enter(const symbols::Symbols& symbols, std::uint32_t location);

  // Location of the Python frame that called the module that began last; kNone: there was none.
  std::uint32_t called_from() const { return called_from_; }

 private:
  bool called_ = false;           // Module.__call__ has been entered, and no forward() since
  bool in_call_ = false;          // the innermost Python frame is one of Module.__call__'s
  std::uint32_t caller_ = kNone;  // the innermost Python frame that is none of Module.__call__'s
  std::uint32_t called_from_ = kNone;
};

// True of PyTorch's file that has Module.__call__.
bool is_module_file(std::string_view file);

// "Conv2d" of "Conv2d.forward", "Net" of "make.<locals>.Net.forward"; empty: `function` is no forward(). The class of
// one that could not be told is "Module".
std::string class_of_forward(const symbols::Function& function);

}  // namespace prof::fold
