// Texts that programs register once and name by a handle from then on: domains and messages. A handle is good for ever,
// on every thread, in forked children, and for all libraries of the process alike. Lock-free.
#pragma once

#include <string_view>

namespace prof::range {

struct Registered;

// The handle of a text, the same for equal ones; null when there is no room for another. At most 255 bytes are kept.
const Registered* text_handle(std::string_view text);

// The text of a handle; empty for null and for what is no handle of ours.
std::string_view text_of(const void* handle);

// UTF-8 of a text of wide characters, in `room`: what does not fit is cut. Null is the empty text.
std::string_view narrow(const wchar_t* wide, char* room, std::size_t bytes);

}  // namespace prof::range
