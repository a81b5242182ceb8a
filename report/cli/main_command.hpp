// All of prof but main().
#pragma once

#include <string>
#include <vector>

namespace prof::cli {

// Does what `words` (the command line without the program's name) ask for and returns the exit status: 0 done, 1 the
// logs cannot be used, 2 wrong usage. `prof run` ends as its program ended and does not return then.
int main_command(const std::vector<std::string>& words);

}  // namespace prof::cli
