// All addresses of one module, named.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "report/symbols/source_frame.hpp"
#include "report/symbols/symbols.hpp"

namespace prof::symbols {

struct ModuleSymbols {
  std::vector<std::vector<SourceFrame>> frames;  // for each address: innermost first, never empty
  ModuleReport report;
};

// What has no name becomes "module+0xstart" of its function, as far as that can be told.
// `cache`: as Options::cache.
ModuleSymbols resolve_module(const std::string& path, const std::string& build_id,
                             std::span<const std::uint64_t> addresses, std::span<const std::filesystem::path> search,
                             const std::filesystem::path& cache = {});

}  // namespace prof::symbols
