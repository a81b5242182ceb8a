#include "report/symbols/module_symbols.hpp"

#include <exception>
#include <optional>

#include "report/symbols/demangle.hpp"
#include "report/symbols/dwarf_index.hpp"
#include "report/symbols/frame_table.hpp"
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

class Resolver {
 public:
  Resolver(const std::string& path, const std::string& build_id, std::span<const std::filesystem::path> search)
      : files_(find_symbol_files(path, build_id, search)), file_name_(std::filesystem::path(path).filename().string()) {
    report_.path = path;
    report_.build_id = build_id;
    report_.source = files_.fault;
    if (files_.debug) {
      report_.symbol_file = files_.debug_path.string();
      symbols_.add(*files_.debug);
    }
    if (files_.main) {
      symbols_.add(*files_.main);
      plt_.emplace(*files_.main);
      starts_.emplace(*files_.main);
    }
    symbols_.seal();
    if (files_.main && files_.main->has_dwarf()) {
      dwarf_.emplace(*files_.main);
    } else if (files_.debug && files_.debug->has_dwarf()) {
      dwarf_.emplace(*files_.debug);
    }
  }

  ModuleSymbols run(std::span<const std::uint64_t> addresses) {
    ModuleSymbols result;
    for (const std::uint64_t address : addresses) result.frames.push_back(frames_at(address));
    report_.addresses = addresses.size();
    result.report = std::move(report_);
    return result;
  }

 private:
  std::vector<SourceFrame> frames_at(std::uint64_t address) {
    std::vector<SourceFrame> frames;
    if (dwarf_) frames = dwarf_->frames_at(address);
    if (!frames.empty()) report_.source = SymbolSource::Dwarf;
    if (frames.empty()) frames.emplace_back();
    for (SourceFrame& frame : frames) {
      if (frame.name.empty()) frame.name = name_without_dwarf(address);
    }
    return frames;
  }

  std::string name_without_dwarf(std::uint64_t address) {
    std::string name;
    if (const SymbolTable::Symbol* symbol = symbols_.find(address); symbol != nullptr) {
      name = demangle(symbol->name);
    } else if (plt_) {
      name = plt_->find(address);
      if (name.empty()) name = python_name(address);
    }
    if (!name.empty()) {
      if (report_.source == SymbolSource::None) report_.source = SymbolSource::SymbolTable;
      return name;
    }
    ++report_.unresolved;
    return file_name_ + "+" + hex(starts_ ? starts_->function_start(address) : address);
  }

  // Read when the first function without a name asks: most modules have nothing to do with Python.
  const std::string& python_name(std::uint64_t address) {
    if (!python_) python_.emplace(*files_.main);
    return python_->find(starts_->function_start(address));
  }

  SymbolFiles files_;
  std::string file_name_;
  SymbolTable symbols_;
  std::optional<PltStubs> plt_;
  std::optional<FrameTable> starts_;
  std::optional<PythonTables> python_;
  std::optional<DwarfIndex> dwarf_;
  ModuleReport report_;
};

}  // namespace

ModuleSymbols resolve_module(const std::string& path, const std::string& build_id,
                             std::span<const std::uint64_t> addresses, std::span<const std::filesystem::path> search) {
  try {
    return Resolver(path, build_id, search).run(addresses);
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
