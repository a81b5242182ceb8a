// Which functions of Python are actions of a trainer: of PyTorch Lightning, of Hugging Face's Trainer and Accelerate.
#pragma once

#include <string>
#include <string_view>

namespace prof::fold {

// A function of Python: its qualified name, or its name alone where the interpreter knows no more (before 3.11), and
// its file.
struct PythonFunction {
  std::string_view name, file;
};

// The action that `callee` is when `caller` calls it, by the words of Lightning's profilers:
// "[LightningModule]Net.training_step", "run_training_batch". The class is the one that the function is written in.
// Empty: it is none.
std::string action_of(const PythonFunction& caller, const PythonFunction& callee);

// Whether a function only passes a call on, as decorators do: its caller calls what it calls.
bool passes_on(const PythonFunction& function);

// Whether what is below `function` is the life of another process: of a forked child, whose outer frames are those of
// the program that made it.
bool begins_process(const PythonFunction& function);

}  // namespace prof::fold
