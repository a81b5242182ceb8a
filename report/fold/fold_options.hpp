// Which frames of a stack are shown.
#pragma once

namespace prof::fold {

// Frames of the interpreter that only carry calls between Python functions, or from Python to other native code.
enum class InterpreterFrames { Fold, Show };

enum class Frames {
  Mixed,   // Python and native
  Python,  // native time goes to the Python line that called; stacks without Python are "(native)"
  Native,  // as a debugger without knowledge of Python shows them, the interpreter included
};

// Ranges that the program or its libraries marked, which are the outermost frames of stacks.
enum class Ranges { Show, Hide };

// Tasks of event loops, which stand outside the frames that run for them.
enum class Tasks { Show, Hide };

// What threads of PyTorch do for backward(): below who called it, or below the function that they began in. With
// Frames::Native always the latter.
enum class Backward { BelowCaller, Apart };

// What threads of OpenMP and OpenBLAS compute: below who shared it with them, or below the function that they began in.
// With Frames::Native always the latter.
enum class Teams { BelowCaller, Apart };

// Time and memory of frames that are not shown go to the nearest caller that is.
struct FoldOptions {
  InterpreterFrames interpreter = InterpreterFrames::Fold;
  Frames frames = Frames::Mixed;
  Ranges ranges = Ranges::Show;
  Tasks tasks = Tasks::Show;
  Backward backward = Backward::BelowCaller;
  Teams teams = Teams::BelowCaller;
};

}  // namespace prof::fold
