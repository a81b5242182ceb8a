// Code of a loaded object that the program has mapped once more, from the object's own file: V8 has its built-in
// functions a second time, near the code that it makes. The loader knows nothing of it; what stands there is what
// stands in the object.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace prof::second_mapping {

extern std::atomic<std::uint32_t> known;  // how many there are

// The program has mapped a part of a file so, and may run but not write it. Ordinary code; reads /proc/self/maps.
void mapped(std::uintptr_t start, std::size_t bytes);
// Something else may stand there from now on.
void gone(std::uintptr_t start, std::size_t bytes);

// The address in the loaded object of what stands at `address`; false: it is in no such mapping. Any context.
bool original_of(std::uintptr_t address, std::uintptr_t& original);

}  // namespace prof::second_mapping
