// The Python side of a log: code by content, imports, the interpreter.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/model/python.hpp"
#include "report/read/raw_log.hpp"

namespace prof::model {

// The writer's code ids -> indices into Process::codes.
using CodeIndex = std::unordered_map<std::uint32_t, std::uint32_t>;

// Appends each different code to `codes` once, under whatever ids it was recorded, and returns where each id's code is.
// Of two records with one id the first counts. Names and files longer than 4096 bytes are cut.
CodeIndex build_codes(const std::vector<read::RawCode>& raw, std::vector<Code>& codes);

std::vector<Import> build_imports(const std::vector<read::RawImport>& raw);

// At most 4096 bytes of a text that any program may have chosen, whole characters.
std::string cut_text(const std::string& text);

// Calls each(name, value) for each line `name=value` of an info's text.
template <typename Each>
void each_setting(std::string_view text, Each each) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (const std::size_t sign = line.find('='); sign != std::string_view::npos) {
      each(line.substr(0, sign), line.substr(sign + 1));
    }
  }
}

// Adds what the lines `name=value` of one log::InfoKey::Python text say; unknown names are skipped. Where frames
// are on, there is no reason why they should not be.
void read_python_info(std::string_view text, PythonInfo& python);

}  // namespace prof::model
