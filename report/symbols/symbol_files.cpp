#include "report/symbols/symbol_files.hpp"

#include <sys/auxv.h>

#include <array>
#include <charconv>
#include <fstream>
#include <utility>

#include "report/symbols/debuginfod.hpp"
#include "report/symbols/unpacked_xz.hpp"

namespace prof::symbols {
namespace {

namespace fs = std::filesystem;

const fs::path kSystemDebug = "/usr/lib/debug";

bool is_vdso(const std::string& path) { return path == "[vdso]" || path.starts_with("linux-vdso.so"); }

// This process's own vdso, which is that of the log if the build ids agree.
std::optional<ElfFile> own_vdso() {
  const std::uint64_t base = ::getauxval(AT_SYSINFO_EHDR);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; base != 0 && std::getline(maps, line);) {
    std::uint64_t start = 0, end = 0;
    const char* last = line.data() + line.size();
    const auto [dash, error] = std::from_chars(line.data(), last, start, 16);
    if (error != std::errc() || dash == last || start != base) continue;
    std::from_chars(dash + 1, last, end, 16);
    if (end > start) return ElfFile::of_memory({reinterpret_cast<char*>(base), end - start});
  }
  return std::nullopt;
}

// CRC-32 as .gnu_debuglink uses it.
std::uint32_t crc_of(const fs::path& path) {
  static const auto kTable = [] {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      table[i] = i;
      for (int bit = 0; bit < 8; ++bit) table[i] = (table[i] & 1) != 0 ? 0xedb88320U ^ table[i] >> 1 : table[i] >> 1;
    }
    return table;
  }();
  std::ifstream file(path, std::ios::binary);
  std::array<char, 65536> block{};
  std::uint32_t crc = ~0U;
  while (file.read(block.data(), block.size()), file.gcount() > 0) {
    for (std::streamsize i = 0; i < file.gcount(); ++i) {
      crc = kTable[(crc ^ static_cast<unsigned char>(block[static_cast<std::size_t>(i)])) & 0xff] ^ crc >> 8;
    }
  }
  return ~crc;
}

void add_by_build_id(std::vector<fs::path>& to, const fs::path& folder, const std::string& build_id) {
  if (build_id.size() > 2) to.push_back(folder / ".build-id" / build_id.substr(0, 2) / (build_id.substr(2) + ".debug"));
}

std::vector<fs::path> debug_candidates(const fs::path& module, const std::string& build_id,
                                       std::span<const fs::path> search,
                                       const std::optional<ElfFile::DebugLink>& link) {
  std::vector<fs::path> candidates;
  const fs::path name = module.filename();
  for (const fs::path& folder : search) {
    add_by_build_id(candidates, folder, build_id);
    candidates.push_back(folder / (name.string() + ".debug"));
    candidates.push_back(folder / name);
    if (link) candidates.push_back(folder / fs::path(link->file).filename());
  }
  add_by_build_id(candidates, kSystemDebug, build_id);
  if (link) {
    const fs::path folder = module.parent_path();
    candidates.push_back(folder / link->file);
    candidates.push_back(folder / ".debug" / link->file);
    candidates.push_back(kSystemDebug / folder.relative_path() / link->file);
  }
  return candidates;
}

void find_debug(SymbolFiles& files, const fs::path& module, const std::string& build_id,
                std::span<const fs::path> search) {
  const auto link = files.main ? files.main->debug_link() : std::nullopt;
  for (const fs::path& candidate : debug_candidates(module, build_id, search, link)) {
    std::error_code ignored;
    if (files.main && fs::equivalent(candidate, module, ignored)) continue;
    auto file = ElfFile::open(candidate);
    if (!file || file->build_id() != build_id) continue;
    // Without a build id only the checksum in the link tells that the two belong together.
    if (build_id.empty() && !(link && crc_of(candidate) == link->crc)) continue;
    files.debug = std::move(file);
    files.debug_path = candidate;
    return;
  }
}

void find_on_servers(SymbolFiles& files, const std::string& build_id) {
  const fs::path fetched = fetched_debug_file(build_id);
  if (fetched.empty()) return;
  auto file = ElfFile::open(fetched);
  if (!file || file->build_id() != build_id) return;
  files.debug = std::move(file);
  files.debug_path = fetched;
}

void find_shared(SymbolFiles& files, const fs::path& module, std::span<const fs::path> search) {
  const bool in_main = files.main && files.main->has_dwarf();
  if (!in_main && !(files.debug && files.debug->has_dwarf())) return;
  const auto link = (in_main ? *files.main : *files.debug).shared_link();
  if (!link) return;
  std::vector<fs::path> candidates;
  for (const fs::path& folder : search) {
    add_by_build_id(candidates, folder, link->build_id);
    candidates.push_back(folder / fs::path(link->file).filename());
  }
  std::error_code ignored;
  candidates.push_back(fs::weakly_canonical(in_main ? module : files.debug_path, ignored).parent_path() / link->file);
  add_by_build_id(candidates, kSystemDebug, link->build_id);
  candidates.push_back(kSystemDebug / ".dwz" / fs::path(link->file).filename());
  for (const fs::path& candidate : candidates) {
    auto file = ElfFile::open(candidate);
    if (!file || file->build_id() != link->build_id) continue;
    files.shared = std::move(file);
    files.shared_path = candidate;
    return;
  }
}

bool has_symbol_table(const ElfFile& file) {
  const ElfFile::Section* table = file.section(".symtab");
  return table != nullptr && table->header.sh_type == SHT_SYMTAB && table->header.sh_size != 0;
}

// Fedora's stripped modules have their functions' names in a packed image of their own.
void find_small(SymbolFiles& files) {
  if (!files.main || files.debug || has_symbol_table(*files.main)) return;
  const ElfFile::Section* packed = files.main->section(".gnu_debugdata");
  const Elf_Data* data = packed != nullptr ? files.main->data(*packed) : nullptr;
  if (data == nullptr) return;
  files.small_image = unpacked_xz({static_cast<const char*>(data->d_buf), data->d_size});
  if (!files.small_image.empty()) files.small = ElfFile::of_memory(files.small_image);
}

}  // namespace

SymbolFiles find_symbol_files(const std::string& path, const std::string& build_id, std::span<const fs::path> search) {
  SymbolFiles files;
  if (is_vdso(path)) {
    files.main = own_vdso();
    if (!files.main || files.main->build_id() != build_id) {
      files.main.reset();
      files.fault = SymbolSource::NotAFile;
    }
    return files;
  }
  if (!path.starts_with('/')) {
    files.fault = SymbolSource::NotAFile;
    return files;
  }
  files.main = ElfFile::open(path);
  if (!files.main) {
    std::error_code ignored;
    files.fault = fs::exists(path, ignored) ? SymbolSource::WrongBuild : SymbolSource::Missing;
  } else if (files.main->build_id() != build_id) {
    files.main.reset();
    files.fault = SymbolSource::WrongBuild;
  }
  if (!files.main || !files.main->has_dwarf()) find_debug(files, path, build_id, search);
  if (!files.debug && !(files.main && files.main->has_dwarf()) && files.fault != SymbolSource::NotAFile)
    find_on_servers(files, build_id);
  find_small(files);
  find_shared(files, path, search);
  if (files.debug) files.fault = SymbolSource::None;
  return files;
}

}  // namespace prof::symbols
