// Locations and stacks as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "report/symbols/symbols.hpp"

namespace prof::show {

// The function of a location, short or (wide) whole.
std::string location_label(const symbols::Symbols& symbols, std::uint32_t location, bool wide);

// "file.cpp:34" of the line itself, or the module's name where no line is known.
std::string location_place(const symbols::Symbols& symbols, std::uint32_t location, bool wide);

// Whole names, in the order given, with `separator` between them (and replaced by ':' within names).
std::string stack_text(const symbols::Symbols& symbols, std::span<const std::uint32_t> locations, char separator);

// "Model.forward (model.py:42)" or, of native code, "run <- main" without the rest; "(not known)" for fold::kNobody.
std::string place_name(const symbols::Symbols& symbols, std::uint32_t location, bool wide);

}  // namespace prof::show
