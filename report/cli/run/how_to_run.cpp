#include "report/cli/run/how_to_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "report/show/commands.hpp"

namespace prof::cli {
namespace {

constexpr std::pair<std::string_view, std::string_view> kInterpreters[] = {
    {".py", "python3"}, {".js", "node"}, {".mjs", "node"}, {".cjs", "node"},      {".rb", "ruby"},
    {".pl", "perl"},    {".php", "php"}, {".sh", "sh"},    {".jar", "java -jar"}, {".lua", "lua"}};

bool is_program(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  char first[4] = {};
  stream.read(first, sizeof first);
  const std::string_view begin(first, static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
  return begin.substr(0, 2) == "#!" || begin ==
                                           "\x7f"
                                           "ELF";
}

// What a script's first line asks for: "bash" of "#!/usr/bin/env bash"; empty: it asks for nothing.
std::string asked_for(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string line;
  if (!std::getline(stream, line) || !line.starts_with("#!")) return {};
  std::istringstream words(line.substr(2));
  for (std::string word; words >> word;) {
    const std::string name = std::filesystem::path(word).filename().string();
    const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_';
    });
    if (!plain) return {};
    if (name != "env" && !word.starts_with('-')) return name;
  }
  return {};
}

}  // namespace

std::string how_to_run(const std::filesystem::path& file) {
  const std::string word = show::shell_word(file.string());
  if (access(file.c_str(), X_OK) == 0) return fmt::format("prof run {}{}", file.has_parent_path() ? "" : "./", word);
  if (const std::string interpreter = asked_for(file); !interpreter.empty())
    return fmt::format("prof run {} {}", interpreter, word);
  const std::string ending = file.extension().string();
  const auto* const found =
      std::find_if(std::begin(kInterpreters), std::end(kInterpreters), [&](auto& one) { return one.first == ending; });
  if (found != std::end(kInterpreters)) return fmt::format("prof run {} {}", found->second, word);
  if (!is_program(file)) return {};
  return fmt::format("chmod +x {}, then prof run {}{}", word, file.has_parent_path() ? "" : "./", word);
}

}  // namespace prof::cli
