// Which code is the user's own, and which came with the system, the interpreter or a package.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/fold/selection.hpp"
#include "report/model/profile.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::fold {

// Whether a file of Python code, as the code names it, belongs to an installed package, the standard library, or to
// nobody: "<frozen ...>", no file.
bool is_installed_python(std::string_view file);

// Whether a path is that of a folder, or of something in it.
bool is_below(std::string_view path, std::string_view folder);

// Whether a program or library came with the distribution, a package, or the standard library.
bool is_installed_file(std::string_view path);

// Whether it is a library of .NET's runtime, wherever it lies.
bool is_of_dotnet_runtime(std::string_view path);

// Whether a program is one that runs other programs, in their own language: people run it, and do not compile it.
bool is_runtime(std::string_view path);

// The folder of packages that a path lies in ("/usr/lib/python3/dist-packages/"), and the path below it:
// "numpy/fft.py". Empty where it lies in none.
std::string_view below_packages(std::string_view path);
// The same below the standard library: "json/decoder.py".
std::string_view below_standard_library(std::string_view path);

// Own code is Python outside of installed packages and of the standard library, what `python -c` was given and what was
// typed in included; and native code of a process's executable, or of a library outside the system's folders, that has
// lines, is no header of the system's, and belongs to no interpreter. Selection::own_paths adds what lies below them;
// with Selection::all_own everything that has a file and a line is own. Keeps references to what it was made with.
class OwnCode {
 public:
  OwnCode(const model::Run& run, const symbols::Symbols& symbols, const Selection& selection);

  bool function(std::uint32_t id) const { return id < own_.size() && own_[id]; }
  bool location(std::uint32_t id) const { return function(symbols_->location(id).function); }
  const model::Run& run() const { return *run_; }
  const symbols::Symbols& symbols() const { return *symbols_; }
  bool any() const;  // of the functions that were seen
  // Of a stack, leaf first: the innermost frame of own code; the stack's size where there is none.
  std::size_t innermost(std::span<const std::uint32_t> stack) const;

 private:
  const model::Run* run_;
  const symbols::Symbols* symbols_;
  std::vector<bool> own_;  // by function
};

}  // namespace prof::fold
