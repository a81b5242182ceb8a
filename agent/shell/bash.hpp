// Lines of scripts that bash runs.
//
// bash exports its variables, for builtins that are loaded: the line of the command that it executes, the function that
// it is in, the file of its script. All stacks of such a process hang on that line, so that what the shell computes and
// waits for belongs to a line of the script as what Python does belongs to a line of Python. The variables are read as
// they are, at any moment: no function of bash's is called.
//
// Source: bash 4.4 to 5.3, variables.h, execute_cmd.c, shell.c. line_number_for_err_trap is set before each simple
// command, [[ and ((, and stays while the shell waits for it; line_number by then is that of what stands around it.
#pragma once

namespace prof::shell {

// Once at start: whether this process is a shell whose lines can be told. Process event.
void prepare();

}  // namespace prof::shell
