// The names behind all addresses of a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/model/profile.hpp"

namespace prof::symbols {

enum class Language {
  Native,
  Python,
  Api,       // a call of an API, as it was counted: no code of its own
  Gpu,       // a kernel or a copy
  Range,     // of the program's own: NVTX, ITT
  Operator,  // of a framework
  Wait,      // a blocking call of libc's
  Task,      // of an event loop: what its frames run for
  Shell,     // of a script that a shell runs
};
// The module of functions that were made at run time and announced, and the function that all others of them are.
inline constexpr const char* kMadeAtRunTime = "(made at run time)";
inline constexpr const char* kMadeByNumba = "(compiled by numba)";  // of those of Python functions
inline constexpr const char* kMadeByJava = "(compiled by Java)";    // of the methods of a Java VM
inline constexpr const char* kMadeByDotnet = "(compiled by .NET)";  // of methods; their file is their assembly's
inline constexpr const char* kMadeByLuajit = "(compiled by LuaJIT)";
inline constexpr const char* kMadeByPypy = "(compiled by PyPy)";
inline constexpr const char* kOutsideAnyFile = "(code outside any file)";
inline bool is_made_at_run_time(std::string_view module) {
  return module == kMadeAtRunTime || module == kMadeByNumba || module == kMadeByJava || module == kMadeByDotnet ||
         module == kMadeByLuajit || module == kMadeByPypy;
}
const char* to_string(Language language);  // "native", "python", "api", "gpu", "range", "operator", "wait", "task"

// True of what a call of an API, what a device does for it and a blocking call are: none is code of the program.
inline bool below_the_program(Language language) {
  return language == Language::Api || language == Language::Gpu || language == Language::Wait;
}

// The module of blocking calls that wait for `what`, a name of log::kWaitClassNames: "libc (file)".
std::string wait_module(const std::string& what);

// How a kind of copy reads: "memcpy HtoD (pinned)", "memset (device)".
std::string copy_label(const model::Name& name);

// Of Python: `name` is co_qualname (before 3.11 co_name; of "forward" with the class, where its source tells),
// `short_name` the same, `file` co_filename, `line` co_firstlineno, and `module` is empty. C functions that exact calls
// name are Python functions without a file.
// Of the languages that name no code: `name` is that of the API's function, the kernel (demangled), the copy, the range
// or the operator; `module` the library ("cuBLAS"), "GPU", "range" or the range's domain, "task" or the task's
// coroutine, the operator's input shapes. Of the operator that a native function runs (see OperatorNames) all but the
// name is that function's. Of blocking calls `name` is the function of libc and `module` says what it waited for.
struct Function {
  std::string name;        // demangled, whole; "module+0x1234" where nothing is known; "(unsampled)" and the like
  std::string short_name;  // without template arguments and parameters
  std::string file;        // where it is declared; empty: not known
  std::uint32_t line = 0;  // of the declaration; 0: not known
  std::string module;      // path of the executable or library; empty: none
  bool special = false;    // stands for no known code: (unsampled), (truncated), (no stack)
  Language language = Language::Native;
  bool interpreter = false;  // native, of a Python interpreter's own file
  bool named = true;         // false: `name` is no more than an address
  bool unoptimised = false;  // native, compiled without optimisation, as its debug information says

  std::string module_name() const;  // last part of the path
  // Whether its maker listed it with its file (perf_map.hpp): what is known of where it runs is where it begins, or not
  // even that.
  bool listed() const {
    return module == kMadeByDotnet || (line != 0 && is_made_at_run_time(module) && module != kMadeByJava &&
                                       module != kMadeByLuajit && module != kMadeByPypy);
  }
};

// Regular expressions that V8 compiled, by the name that it gives them: "RegExp:\s+$".
inline constexpr std::string_view kPatternOfV8 = "RegExp:";
inline bool is_pattern_of_v8(const Function& function) {
  return function.module == kMadeAtRunTime && function.name.starts_with(kPatternOfV8);
}

// What a call waits for, by its module: "file"; that module itself where it says nothing of the kind.
std::string_view waits_for(const Function& call);

// True for Python functions of the interpreter's import system: its tracebacks leave them out.
bool is_import_system(const Function& function);
bool is_import_system_file(std::string_view file);

// A place in a function: the line that is running or calling.
struct Location {
  std::uint32_t function = 0;
  std::uint32_t line = 0;  // 0: not known
  std::string file;        // differs from the function's only in odd cases (included code)
};

enum class SymbolSource {
  Dwarf,        // names, files, lines, inlined functions
  SymbolTable,  // names
  None,         // the file has no symbols for what was asked
  Missing,      // the file is not there any more
  WrongBuild,   // another file is there now: its names would be wrong, so they are not used
  NotAFile,     // [vdso] without an image, deleted files and the like
};
const char* to_string(SymbolSource source);  // "dwarf", "symtab", "none", "missing", "wrong build-id", "no file"

struct ModuleReport {
  std::string path;
  std::string build_id;
  SymbolSource source = SymbolSource::None;
  std::string symbol_file;       // where names came from, if not from `path`
  std::uint64_t addresses = 0;   // asked for
  std::uint64_t unresolved = 0;  // of these
};

struct Options {
  // Folders with debug files: PATH/.build-id/ab/cdef.debug, PATH/NAME.debug, PATH/NAME.
  std::vector<std::filesystem::path> search;
  std::filesystem::path maps;   // folder with lists of what runtimes made (perf_map.hpp)
  std::filesystem::path cache;  // folder of names found before (name_cache.hpp); empty: none is used
  bool inlines = true;          // inlined functions as frames of their own
  bool glue = false;            // functions that only hand a call on (call_glue.hpp) are frames, too
  bool hide_agent = true;       // leave libprof.so's own frames out of stacks
  unsigned threads = 0;         // 0: as many as there are processors
  // Told of modules; called from several threads, one at a time.
  std::function<void(std::size_t done, std::size_t all)> progress;
};

class Symbols {
 public:
  // Locations of one frame, innermost (inlined) first; empty for a hidden frame, and for those of files and locks.
  // `process` indexes Run::processes, `frame` that process's Tree::frames.
  std::span<const std::uint32_t> locations(std::size_t process, std::uint32_t frame) const;

  // Frames of any process that have the same locations have the same number, which is below 2^30.
  std::uint32_t chain(std::size_t process, std::uint32_t frame) const { return frames_[process][frame].first; }

  // What lies at the address of a lock, `frame` being that of one of the process's locks: "g_lock in libfoo.so",
  // "g_pool+0x28 in libfoo.so", "libfoo.so+0x4060" where no symbol covers it, "0x7f00deadbee0 (heap)" outside of all
  // files. Empty for other frames.
  const std::string& data_name(std::size_t process, std::uint32_t frame) const;

  const Location& location(std::uint32_t id) const { return locations_[id]; }
  const Function& function(std::uint32_t id) const { return functions_[id]; }
  std::size_t function_count() const { return functions_.size(); }
  std::size_t location_count() const { return locations_.size(); }
  const std::vector<ModuleReport>& modules() const { return modules_; }

  // The same place as that of the operator that the function runs; `location` itself where it runs none.
  std::uint32_t as_operator(std::uint32_t location) const {
    return location >= operators_.size() || operators_[location] == kNone ? location : operators_[location];
  }

  // The function of time that no sample covers.
  std::uint32_t unsampled() const { return unsampled_; }
  // Where contexts without a stack are.
  std::uint32_t no_stack_location() const { return no_stack_location_; }
  // What stands for frames of one language where those of the other alone are wanted.
  std::uint32_t native_location() const { return native_location_; }
  std::uint32_t python_location() const { return python_location_; }
  // What stands for the threads in which PyTorch runs backward().
  std::uint32_t backward_location() const { return backward_location_; }
  // What stands for a whole function where only one place of it is at hand, and is not meant: its first line.
  // Of functions of Python in programs that run backward(); of others the place itself.
  std::uint32_t whole_location(std::uint32_t location) const {
    const auto found = whole_locations_.find(locations_[location].function);
    return found == whole_locations_.end() ? location : found->second;
  }
  // What stands for all functions without a name in the file of a Python interpreter: kNone of any other file.
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::uint32_t internals_location(const std::string& module) const {
    const auto found = internals_.find(module);
    return found == internals_.end() ? kNone : found->second;
  }
  std::uint32_t internals_function(const std::string& module) const {
    const std::uint32_t location = internals_location(module);
    return location == kNone ? kNone : locations_[location].function;
  }

 private:
  friend class SymbolsBuilder;
  std::vector<Function> functions_;
  std::vector<Location> locations_;
  struct Chain {  // in chains_, where each stands once
    std::uint32_t first = 0, count = 0;
  };
  std::vector<std::uint32_t> chains_;                             // location ids, chain after chain
  std::vector<std::vector<Chain>> frames_;                        // [process][frame]
  std::vector<std::map<std::uint32_t, std::string>> data_names_;  // [process], by frame
  std::vector<ModuleReport> modules_;
  std::vector<std::uint32_t> operators_;                              // by location: kNone, like all behind it
  std::unordered_map<std::uint32_t, std::uint32_t> whole_locations_;  // by function
  std::map<std::string, std::uint32_t> internals_;                    // by path of the interpreter's file
  std::uint32_t unsampled_ = 0, no_stack_location_ = 0, native_location_ = 0, python_location_ = 0,
                backward_location_ = 0;
};

// Looks up every frame of the run, each address once per distinct module, modules in parallel. Never fails: what cannot
// be named is shown as module+0xoffset, and the ModuleReports say why.
Symbols symbolize(const model::Run& run, const Options& options = {});

}  // namespace prof::symbols
