#include "report/cli/run/how_to_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
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

}  // namespace

std::string how_to_run(const std::filesystem::path& file) {
  const std::string word = show::shell_word(file.string());
  if (access(file.c_str(), X_OK) == 0) return fmt::format("prof run {}{}", file.has_parent_path() ? "" : "./", word);
  const std::string ending = file.extension().string();
  const auto* const found =
      std::find_if(std::begin(kInterpreters), std::end(kInterpreters), [&](auto& one) { return one.first == ending; });
  if (found != std::end(kInterpreters)) return fmt::format("prof run {} {}", found->second, word);
  if (!is_program(file)) return {};
  return fmt::format("chmod +x {}, then prof run {}{}", word, file.has_parent_path() ? "" : "./", word);
}

}  // namespace prof::cli
