#include "report/symbols/module_symbols.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>
#include <utility>

#include "report/symbols/demangle.hpp"
#include "report/symbols/dwarf_index.hpp"
#include "report/symbols/frame_table.hpp"
#include "report/symbols/name_cache.hpp"
#include "report/symbols/plt.hpp"
#include "report/symbols/python_tables.hpp"
#include "report/symbols/symbol_files.hpp"
#include "report/symbols/symbol_table.hpp"

namespace prof::symbols {
namespace {

std::string hex(std::uint64_t value) {
  std::string digits;
  do {
    digits.insert(digits.begin(), "0123456789abcdef"[value & 15]);
    value >>= 4;
  } while (value != 0);
  digits.insert(0, "0x");
  return digits;
}

// What all names depend on besides the module: this program's own code. Empty: that cannot be told.
const std::string& own_build() {
  static const std::string build = [] {
    const auto self = ElfFile::open("/proc/self/exe");
    return self ? self->build_id() : std::string();
  }();
  return build;
}

// Of files that are known by their builds: all else may have changed since.
NameCache cache_of(const SymbolFiles& files, const std::string& name, const std::string& build_id,
                   const std::filesystem::path& folder) {
  if (build_id.empty() || own_build().empty() || (!files.main && !files.debug)) return {{}, {}};
  std::string key = own_build() + '\n' + build_id + '\n' + name + '\n' + (files.main ? "main" : "");
  if (files.debug) key += '\n' + files.debug_path.string();
  if (files.shared) key += "\nshared " + files.shared_path.string();
  return {folder, key};
}

class Resolver {
 public:
  Resolver(const std::string& path, const std::string& build_id, std::span<const std::filesystem::path> search,
           const std::filesystem::path& cache)
      : files_(find_symbol_files(path, build_id, search)),
        file_name_(std::filesystem::path(path).filename().string()),
        cache_(cache_of(files_, file_name_, build_id, cache)) {
    report_.path = path;
    report_.build_id = build_id;
    report_.source = files_.fault;
    if (files_.debug) report_.symbol_file = files_.debug_path.string();
  }

  ModuleSymbols run(std::span<const std::uint64_t> addresses) {
    const NameFile kept = cache_.read();
    KnownNames news;
    ModuleSymbols result;
    result.frames.reserve(addresses.size());
    for (const std::uint64_t address : addresses) {
      std::optional<AddressNames> names = kept.find(address);
      if (!names) {
        const auto [found, is_new] = news.try_emplace(address);
        if (is_new) found->second = names_of(address);
        names = found->second;
      }
      note(*names);
      result.frames.push_back(std::move(names->frames));
    }
    if (!news.empty()) {
      news.merge(kept.all());
      cache_.write(news);
    }
    report_.addresses = addresses.size();
    result.report = std::move(report_);
    return result;
  }

 private:
  void note(const AddressNames& names) {
    report_.unresolved += names.unresolved;
    if (names.source == SymbolSource::Dwarf) report_.source = SymbolSource::Dwarf;
    if (names.source == SymbolSource::SymbolTable && report_.source == SymbolSource::None)
      report_.source = SymbolSource::SymbolTable;
  }

  // Takes a second for a large library.
  void read_symbols() {
    if (symbols_) return;
    symbols_.emplace();
    if (files_.debug) symbols_->add(*files_.debug);
    if (files_.small) symbols_->add(*files_.small);
    if (files_.main) {
      symbols_->add(*files_.main);
      plt_.emplace(*files_.main);
      starts_.emplace(*files_.main);
    }
    symbols_->seal();
    if (files_.main && files_.main->has_dwarf()) {
      dwarf_.emplace(*files_.main, shared());
    } else if (files_.debug && files_.debug->has_dwarf()) {
      dwarf_.emplace(*files_.debug, shared());
    }
  }

  const ElfFile* shared() const { return files_.shared ? &*files_.shared : nullptr; }

  AddressNames names_of(std::uint64_t address) {
    read_symbols();
    AddressNames names;
    if (dwarf_) names.frames = dwarf_->frames_at(address);
    leave_out_nameless(names.frames);
    if (!names.frames.empty()) names.source = SymbolSource::Dwarf;
    if (names.frames.empty()) names.frames.emplace_back();
    for (SourceFrame& frame : names.frames) {
      if (frame.name.empty()) frame.name = name_without_dwarf(address, names);
    }
    return names;
  }

  // Inlined functions whose names stand in a file that is not there: the symbol table knows where they were inlined.
  static void leave_out_nameless(std::vector<SourceFrame>& frames) {
    if (frames.empty()) return;
    const auto last = std::prev(frames.end());
    frames.erase(std::remove_if(frames.begin(), last, [](const SourceFrame& frame) { return frame.name.empty(); }),
                 last);
  }

  std::string name_without_dwarf(std::uint64_t address, AddressNames& names) {
    std::string name;
    if (const SymbolTable::Symbol* symbol = symbols_->find(address); symbol != nullptr) {
      name = demangle(symbol->name);
    } else if (plt_) {
      name = plt_->find(address);
      if (name.empty()) name = python_name(address);
    }
    if (!name.empty()) {
      if (names.source == SymbolSource::None) names.source = SymbolSource::SymbolTable;
      return name;
    }
    names.unresolved = 1;  // an address, however many of the frames inlined there have no name
    return file_name_ + "+" + hex(starts_ ? starts_->function_start(address) : address);
  }

  // Read when the first function without a name asks: most modules have nothing to do with Python.
  const std::string& python_name(std::uint64_t address) {
    if (!python_) python_.emplace(*files_.main);
    return python_->find(starts_->function_start(address));
  }

  SymbolFiles files_;
  std::string file_name_;
  NameCache cache_;
  std::optional<SymbolTable> symbols_;
  std::optional<PltStubs> plt_;
  std::optional<FrameTable> starts_;
  std::optional<PythonTables> python_;
  std::optional<DwarfIndex> dwarf_;
  ModuleReport report_;
};

}  // namespace

ModuleSymbols resolve_module(const std::string& path, const std::string& build_id,
                             std::span<const std::uint64_t> addresses, std::span<const std::filesystem::path> search,
                             const std::filesystem::path& cache) {
  try {
    return Resolver(path, build_id, search, cache).run(addresses);
  } catch (const std::exception&) {
    // Out of memory over a damaged file, or the like: the other modules must not suffer.
    ModuleSymbols unnamed;
    unnamed.report = {path, build_id, SymbolSource::None, "", addresses.size(), addresses.size()};
    const std::string name = std::filesystem::path(path).filename().string();
    for (const std::uint64_t address : addresses)
      unnamed.frames.push_back({SourceFrame{name + "+" + hex(address), "", 0, "", 0}});
    return unnamed;
  }
}

}  // namespace prof::symbols
