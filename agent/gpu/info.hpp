// What InfoKey::Cuda says of this process: lines that are appended to the log as they become known.
#pragma once

#include <string_view>

namespace prof::gpu {

// A value; a later one of the same name replaces it. Does nothing while there is no log. Ordinary code.
void tell(std::string_view name, std::string_view value);
// What the user should know: each text once, and the first few dozen of them. Ordinary code.
void tell_note(std::string_view text);

// Before the first note, once; again is harmless.
void prepare_info();

}  // namespace prof::gpu
