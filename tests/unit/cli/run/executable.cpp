#include "report/cli/run/executable.hpp"

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "report/cli/run/library.hpp"
#include "tests/support/catch.hpp"

using namespace prof::cli;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() {
    char pattern[] = "/tmp/prof-elf-XXXXXX";
    path_ = mkdtemp(pattern);
    library = add("libprof.so", elf(EM_X86_64, ELFCLASS64, ""));
  }
  ~Folder() { fs::remove_all(path_); }

  fs::path add(const std::string& name, const std::string& content, mode_t mode = 0755) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    chmod((path_ / name).c_str(), mode);
    return path_ / name;
  }

  // The headers of a 64-bit program; without an interpreter it is a static one.
  static std::string elf(unsigned machine, unsigned char elf_class, const std::string& interpreter) {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = elf_class;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_DYN;
    header.e_machine = static_cast<Elf64_Half>(machine);
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = interpreter.empty() ? 0 : 1;
    std::string out(reinterpret_cast<const char*>(&header), sizeof header);
    if (interpreter.empty()) return out;
    Elf64_Phdr program{};
    program.p_type = PT_INTERP;
    program.p_offset = sizeof header + sizeof program;
    program.p_filesz = interpreter.size() + 1;
    out.append(reinterpret_cast<const char*>(&program), sizeof program);
    return out + interpreter + '\0';
  }

  std::string obstacle(const std::string& command) const {
    const Inspection inspection = inspect(command, path_.c_str(), library);
    REQUIRE(inspection.problem);
    return inspection.problem->reason;
  }

  std::string warning(const std::string& command) const {
    const Inspection inspection = inspect(command, path_.c_str(), library);
    REQUIRE_FALSE(inspection.problem);
    std::string all;
    for (const std::string& text : inspection.finding.warnings) all += text + '\n';
    return all;
  }
  int status(const std::string& command) const {
    const Inspection inspection = inspect(command, path_.c_str(), library);
    return inspection.problem ? inspection.problem->status : 0;
  }
  const fs::path& path() const { return path_; }

  fs::path library;

 private:
  fs::path path_;
};

constexpr const char* kLoader = "/lib64/ld-linux-x86-64.so.2";

}  // namespace

TEST_CASE("a dynamic program gives no warning, a static one does") {
  const Folder folder;
  folder.add("dynamic", Folder::elf(EM_X86_64, ELFCLASS64, kLoader));
  folder.add("static", Folder::elf(EM_X86_64, ELFCLASS64, ""));
  CHECK(folder.warning("dynamic").empty());
  CHECK(folder.warning("static").find("statically linked") != std::string::npos);
}

TEST_CASE("programs of another kind give a warning") {
  const Folder folder;
  folder.add("arm", Folder::elf(EM_AARCH64, ELFCLASS64, "/lib/ld-linux-aarch64.so.1"));
  folder.add("musl", Folder::elf(EM_X86_64, ELFCLASS64, "/lib/ld-musl-x86_64.so.1"));
  folder.add("data", std::string("\0\1\2\3", 4));
  CHECK(folder.warning("arm").find("another kind of processor") != std::string::npos);
  CHECK(folder.warning("musl").find("musl") != std::string::npos);
  CHECK(folder.warning("data").find("neither an ELF program nor a script") != std::string::npos);
}

TEST_CASE("scripts lead to their interpreter") {
  const Folder folder;
  folder.add("static", Folder::elf(EM_X86_64, ELFCLASS64, ""));
  folder.add("script", "#! " + (folder.path() / "static").string() + " -x\necho\n");
  folder.add("through-env", "#!/usr/bin/env -S A=b static\n");
  folder.add("no-first-line", "echo hello\n");
  folder.add("lost", "#!/no/such/interpreter\n");
  folder.add("ring", "#!" + (folder.path() / "ring").string() + "\n");
  CHECK(folder.warning("script").find("statically linked") != std::string::npos);
  CHECK(folder.warning("through-env").find("statically linked") != std::string::npos);
  CHECK(folder.warning("no-first-line").empty());
  CHECK(folder.status("lost") == 126);
  CHECK(folder.status("ring") == 126);
}

TEST_CASE("what cannot be run has the status that a shell gives") {
  const Folder folder;
  folder.add("plain", "text", 0644);
  CHECK(folder.status("nothing-of-that-name") == 127);
  CHECK(folder.status("/no/such/path") == 127);
  CHECK(folder.status(folder.path().string()) == 126);
  CHECK(folder.status("plain") == 126);
  CHECK(folder.status("") == 127);
}

// Catches a dead end for who names the script and not the interpreter.
TEST_CASE("a file that is no command is told with the command that runs it") {
  const Folder folder;
  const std::string python = folder.add("svc.py", "print(1)\n", 0644).string();
  const std::string script = folder.add("svc", "#!/bin/sh\n", 0644).string();
  const std::string notes = folder.add("notes", "text", 0644).string();
  CHECK(folder.obstacle(python) == python + ": is not executable; try: prof run python3 " + python);
  CHECK(folder.obstacle(script) == script + ": is not executable; try: prof run sh " + script);
  const std::string bash = folder.add("job.sh", "#!/usr/bin/env -S bash -e\nset -o pipefail\n", 0644).string();
  CHECK(folder.obstacle(bash) == bash + ": is not executable; try: prof run bash " + bash);
  const std::string strange = folder.add("odd.sh", "#!/bin/ba;sh\n", 0644).string();
  CHECK(folder.obstacle(strange) == strange + ": is not executable; try: prof run sh " + strange);
  CHECK(folder.obstacle(notes) == notes + ": is not executable");
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  folder.add("here", "#!/bin/sh\n");
  const Inspection inspection = inspect("here", "/nowhere", folder.library);
  const Inspection python_here = inspect("svc.py", "/nowhere", folder.library);
  fs::current_path(before);
  REQUIRE((inspection.problem && python_here.problem));
  CHECK(inspection.problem->reason == "here: command not found; try: prof run ./here");
  CHECK(python_here.problem->reason == "svc.py: command not found; try: prof run python3 svc.py");
}

TEST_CASE("damaged programs do no harm") {
  const Folder folder;
  const std::string whole = Folder::elf(EM_X86_64, ELFCLASS64, kLoader);
  for (std::size_t size = 0; size < whole.size(); size += 3) {
    const fs::path cut = folder.add("cut", whole.substr(0, size));
    const auto kind = read_elf(cut);
    if (kind && size < sizeof(Elf64_Ehdr)) FAIL("understood " << size << " bytes");
  }
  std::string wild = whole;
  std::memset(wild.data() + offsetof(Elf64_Ehdr, e_phoff), 0xff, 8);
  CHECK_FALSE(read_elf(folder.add("wild", wild)));
}

TEST_CASE("setuid programs of other owners give a warning") {
  if (getuid() != 0) return;
  const Folder folder;
  const fs::path program = folder.add("setuid", Folder::elf(EM_X86_64, ELFCLASS64, kLoader));
  REQUIRE(chown(program.c_str(), 65534, 65534) == 0);
  REQUIRE(chmod(program.c_str(), 04755) == 0);
  CHECK(folder.warning("setuid").find("is setuid") != std::string::npos);
}

TEST_CASE("what was preloaded before stays behind libprof.so") {
  CHECK(preload_value("/x/libprof.so", nullptr) == "/x/libprof.so");
  CHECK(preload_value("/x/libprof.so", "") == "/x/libprof.so");
  CHECK(preload_value("/x/libprof.so", "liba.so libb.so") == "/x/libprof.so:liba.so libb.so");
}
