// Files of text, as tests look at them.
#pragma once

#include <filesystem>
#include <string>

namespace prof::test {

// All of it; empty where there is no such file.
std::string content(const std::filesystem::path& file);

// The number of the first line that holds a text; the test fails where there is none.
int line_of(const std::filesystem::path& file, const std::string& text);
// The same within a function of Python that stands at the outermost level.
int line_of(const std::filesystem::path& file, const std::string& function, const std::string& text);

}  // namespace prof::test
