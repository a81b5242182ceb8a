// What code below a line of the user's own does, in a word or two: a package, or something that the interpreter does.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/fold/call_tree.hpp"
#include "report/fold/own_code.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::fold {

// How much a frame says about what the stack is doing.
enum class Says : std::uint8_t {
  Nothing,  // frames that carry calls
  Little,   // stands where nothing below says more: the interpreter's own work, code that only hands on
  Name,     // the outermost one names it: a package
  All,      // whatever is around it: the garbage collector, imports
};

// That of products of matrices by the BLAS that Netlib wrote as a reference: one thread, many times slower than others.
inline constexpr std::string_view kReferenceBlas = "reference BLAS";

struct Activity {
  std::uint32_t name = 0;  // of Activities::name(); 0: none
  Says says = Says::Nothing;

  // What a stack is doing whose outer frames do `this`, and whose next frame does `inner`.
  Activity below(Activity inner) const { return inner.says > says ? inner : *this; }
};

// What an interpreter does that tells no more, as those do that distributions ship, stripped of most names.
inline constexpr std::string_view kUnnamedActivity = "interpreter";

class Activities {
 public:
  explicit Activities(const symbols::Symbols& symbols);

  Activity of(std::uint32_t function);          // id in Symbols
  Activity of_program(std::uint32_t function);  // the same of a module that is run and not imported: `python -m`
  const std::string& name(std::uint32_t id) const { return names_[id]; }
  Activity named(std::string_view name, Says says);
  std::uint32_t own_code() const { return own_code_; }  // the name of what own code does itself

 private:
  Activity found(const symbols::Function& function, bool program);

  const symbols::Symbols& symbols_;
  std::vector<std::string> names_{""};
  std::map<std::string, std::uint32_t, std::less<>> ids_;
  struct CachedActivity {
    bool found = false;
    Activity activity;
  };
  std::vector<CachedActivity> cache_;  // by function
  std::uint32_t own_code_ = 0;
};

// By node of the tree, what its stack is doing below the innermost frame of own code; none at own code itself.
std::vector<Activity> activities_below_own(const CallTree& tree, Activities& activities);

}  // namespace prof::fold
