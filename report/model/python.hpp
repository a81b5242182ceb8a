// What a log says of a Python interpreter: itself, its code, its imports.
#pragma once

#include <cstdint>
#include <string>

#include "agent/contract/format.hpp"

namespace prof::model {

inline constexpr std::uint32_t kNoCode = UINT32_MAX;

// A code object, or a C function that exact calls name.
struct Code {
  log::CodeKind kind = log::CodeKind::Code;
  std::string name;                   // co_name; of a C function what cProfile calls it
  std::string qualname;               // co_qualname; empty before Python 3.11
  std::string file;                   // co_filename; empty: none
  std::int32_t first_line = 0;        // co_firstlineno
  std::uint32_t flags = 0;            // co_flags
  std::uint8_t major = 0, minor = 0;  // of the interpreter
  std::string line_table;             // bytes, encoded as that version does; empty: not kept

  const std::string& display_name() const { return qualname.empty() ? name : qualname; }
  bool operator==(const Code&) const = default;
};

// An import that loaded a module.
struct Import {
  std::string name;
  std::uint32_t slot = 0;   // of the thread
  std::uint32_t depth = 0;  // of nested imports; 0: by the program itself
  std::uint64_t start_monotonic_ns = 0;
  std::uint64_t total_ns = 0;   // what it imported included
  std::uint64_t nested_ns = 0;  // of that, in imports of its own
  bool failed = false;          // ended by an exception
  std::uint64_t self_ns() const { return total_ns - (nested_ns < total_ns ? nested_ns : total_ns); }
};

struct PythonInfo {
  std::string version;        // "3.11.2"; empty: not known
  std::string path;           // file that the interpreter's code is in; empty: not known
  bool frames = false;        // Python frames are in the stacks
  std::string reason;         // why they are not
  std::string mode;           // "frames", "calls" or "lines"; empty: not told
  std::string note;           // what else the user should know
  std::int64_t gathered = 0;  // most tasks that one asyncio.gather() waited for at once, as far as was seen
};

}  // namespace prof::model
