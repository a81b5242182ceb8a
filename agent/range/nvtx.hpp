// The door for NVTX: every library that uses NVTX loads what NVTX_INJECTION64_PATH names and has it put functions into
// a table of its own; libnvToolsExt.so.1, of older programs, as well.
#pragma once

#include <cstdint>

namespace prof::range {

// What such a library passes: `get_export_table(1)` gives its tables. 0: it is to go on without us. Ordinary code.
int attach_nvtx(const void* (*get_export_table)(std::uint32_t));

}  // namespace prof::range
