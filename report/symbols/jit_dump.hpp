// jitdump files, jit-PID.dump: what runtimes write for `perf inject`, with the code itself (Node --perf-prof, CPython
// -X perf_jit, LLVM's listener for perf).
#pragma once

#include <string>
#include <string_view>

namespace prof::symbols {

// Whether it is one, of this byte order.
bool is_jit_dump(std::string_view bytes);

// The functions of a dump as lines of a perf-PID.map (perf_map.hpp), in the order in which they were made or moved;
// those with line tables as "Function:NAME FILE:LINE:1", where the name does not say it. Records that are cut or hold
// nothing are passed over. Layout: perf's jitdump-specification.txt, version 1.
std::string map_of_jit_dump(std::string_view bytes);

}  // namespace prof::symbols
