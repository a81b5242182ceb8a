// What `prof run` can know of a program before it starts it: whether it is there, and whether a preloaded library will
// get into it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace prof::cli {

// Which processor and word size an ELF file is for, and how it is loaded.
struct ElfKind {
  unsigned char elf_class = 0;  // ELFCLASS64 and the like
  unsigned machine = 0;         // EM_X86_64 and the like
  bool dynamic = false;         // has a program interpreter, or is one
  std::string interpreter;      // path; empty: none
};

// Reads the headers of `path`; without a value when it is no ELF file that could be understood.
std::optional<ElfKind> read_elf(const std::filesystem::path& path);

struct Finding {
  std::filesystem::path program;      // the file that will be executed in the end: scripts lead to their interpreter
  std::vector<std::string> warnings;  // sentences: why libprof.so will not get into it, or not well
};

struct CannotRun {
  int status;          // as a shell has it: 127 not found, 126 cannot be executed
  std::string reason;  // sentence
};

// Looks for `command` as execvp would: by path if it has a slash, else along `search_path` (as PATH; null: the system's
// default). `library`: libprof.so, to compare what it was built for with the program.
struct Inspection {
  std::optional<CannotRun> problem;
  Finding finding;
};
Inspection inspect(const std::string& command, const char* search_path, const std::filesystem::path& library);

}  // namespace prof::cli
