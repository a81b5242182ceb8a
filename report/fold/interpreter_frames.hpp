// Which frames of a stack are shown, and which are only the interpreter's way from one to the next.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "report/fold/fold_options.hpp"
#include "report/model/profile.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::fold {

// A stack is read in parts: its Python frames, and what stands around them.
enum class Part {
  Before,   // outside the outermost Python frame
  Between,  // of two Python frames
  After,    // inside the innermost Python frame
  Alone,    // the whole stack: no Python frame is in it
};

// Frames of the interpreter are hidden unless FoldOptions ask for them. They are native frames of the interpreter's own
// file (its path is in model::PythonInfo), Python frames of its import system, which Python's tracebacks leave out,
// too, and how threads and the process begin:
//  * Between: all of them, and the interpreter's trampolines that have no file.
//  * Before: all of them; if nothing else is there, then libc's start frames and the program around libpython too.
//  * After: functions that carry calls (a table of names), and functions without a name from which another module was
//    called. What the interpreter does itself - sorts, looks up, allocates, collects - stays; functions without a name
//    are one there (Symbols::internals_location), since their addresses would tell nothing.
//  * Alone: nothing.
// With Frames::Mixed a native function that runs an operator is shown as that operator.
class FrameFilter {
 public:
  FrameFilter(const model::Run& run, const symbols::Symbols& symbols, const FoldOptions& options);

  // What follows is about frames of this process.
  void enter(std::size_t process);

  // True for frames that part a stack. None does when native frames alone are wanted.
  bool parts(std::uint32_t frame) const { return roles_[frame] == Role::Python; }
  // True for Python frames then.
  bool hides(std::uint32_t frame) const { return roles_[frame] == Role::Hidden; }

  // True if all frames of such a part are shown, whatever they are.
  bool shows_all(Part part) const {
    if (options_.frames == Frames::Python) return false;
    return options_.frames == Frames::Native || options_.interpreter == InterpreterFrames::Show || part == Part::Alone;
  }

  // Appends the locations to show of the frames of a part, outermost first, both. Not of Part::After but with
  // Frames::Python.
  void show(std::span<const std::uint32_t> frames, Part part, std::vector<std::uint32_t>& locations);

  // How one frame is shown of which that can be said without those around it: of parts that are shown whole, and of
  // Part::After.
  enum class How : std::uint8_t {
    Whole,
    Through,    // on the way to a frame of another module
    Innermost,  // no frame of another module is inside it
  };
  // Whether the frame is one of another module than the interpreter's, for what is outside it.
  bool foreign(std::uint32_t frame) const;
  // The location that is all there is to show of the frame, below whatever it stands; nothing: it is not that simple.
  std::optional<std::uint32_t> sole(std::uint32_t frame, How how) const;
  // Frames of all processes with the same key are shown alike below the same location. Nothing: not at all.
  std::optional<std::uint32_t> key(std::uint32_t frame, How how) const;
  // Appends its locations, outermost first. `caller` is the location below which they will stand.
  void show(std::uint32_t frame, How how, std::uint32_t caller, std::vector<std::uint32_t>& locations);

 private:
  enum class Role : std::uint8_t {
    Python,
    Importer,     // Python frames of the import system: they part no stack, unless the interpreter is shown
    Interpreter,  // native
    Start,        // of a module in which threads and programs begin
    Anonymous,    // has no file
    Other,
    Special,
    Device,  // calls of APIs as they were counted, kernels and copies: like native code
    Hidden,  // Python frames when native ones alone are wanted
    Range,   // when none are wanted, and tasks when they are not
  };
  enum class Task : std::uint8_t { Open, Work, Carries, Unnamed };  // of a function of the interpreter

  Role role_of(const model::Process& process, const model::Frame& frame) const;
  void show_python_only(std::span<const std::uint32_t> frames, Part part, std::vector<std::uint32_t>& locations) const;
  void show_all(std::uint32_t frame, std::vector<std::uint32_t>& locations) const;
  void show_work(std::uint32_t frame, How how, std::uint32_t caller, std::vector<std::uint32_t>& locations);
  bool shown(std::uint32_t frame) const { return roles_[frame] != Role::Hidden && roles_[frame] != Role::Range; }
  bool as_operator(std::uint32_t frame) const {
    return options_.frames == Frames::Mixed && roles_[frame] == Role::Other;
  }
  Task task_of(std::uint32_t function);

  const model::Run& run_;
  const symbols::Symbols& symbols_;
  FoldOptions options_;
  std::size_t process_ = 0;
  std::vector<Role> roles_;  // of the process's frames
  std::vector<Task> tasks_;  // of all functions
};

}  // namespace prof::fold
