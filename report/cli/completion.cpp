#include "report/cli/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace prof::cli {
namespace {

using Words = std::vector<std::string>;

std::vector<const CLI::App*> commands_of(const CommandLine& line) { return line.app.get_subcommands({}); }

// With their dashes: "--view", "-v"; none of what has no name but a place.
Words names_of(const CLI::Option& option) {
  Words out;
  for (const std::string& name : option.get_lnames()) out.push_back("--" + name);
  for (const std::string& name : option.get_snames()) out.push_back("-" + name);
  return out;
}

Words command_names(const CommandLine& line) {
  Words out;
  for (const CLI::App* command : commands_of(line)) out.push_back(command->get_name());
  return out;
}

// Of "findings,st" the last is completed, and what stands before it stays.
constexpr const char* kLastOfMany = "[[ $cur == *,* ]] && put=$put${cur%,*}, cur=${cur##*,}; ";

bool takes_value(const CLI::Option& option) { return option.get_items_expected_min() > 0; }

// In bash the word before the cursor decides. COMP_WORDS is used as it is: bash-completion's helpers may not be there.
// "--view=lo" is three words, since "=" is one of bash's COMP_WORDBREAKS, or one, where it was taken out of them.
std::string bash(const CommandLine& line) {
  std::string values, options;
  for (const CLI::App* command : commands_of(line)) {
    Words names;
    for (const CLI::Option* option : command->get_options()) {
      const Words own = names_of(*option);
      names.insert(names.end(), own.begin(), own.end());
      const auto words = line.words.find(option);
      if (words == line.words.end() || words->second.empty()) continue;
      Words patterns;
      for (const std::string& name : own) patterns.push_back(fmt::format("'{} {}'", command->get_name(), name));
      if (patterns.empty()) patterns.push_back(fmt::format("'{0} {0}'", command->get_name()));
      const char* const last = option->get_delimiter() == ',' ? kLastOfMany : "";
      values += fmt::format("    {}) {}COMPREPLY=($(compgen -P \"$put\" -W '{}' -- \"$cur\")); return ;;\n",
                            fmt::join(patterns, "|"), last, fmt::join(words->second, " "));
    }
    options += fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$cur\")) ;;\n", command->get_name(),
                           fmt::join(names, " "));
  }
  return fmt::format(R"(_prof() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} put= i
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$cur"))
    return
  fi
  # What comes behind -- is the command line of another program.
  for ((i = 2; i < COMP_CWORD; i++)); do
    if [ "${{COMP_WORDS[i]}}" = -- ]; then
      [ "$i" -eq $((COMP_CWORD - 1)) ] && COMPREPLY=($(compgen -c -- "$cur"))
      return
    fi
  done
  if [ "$cur" = = ]; then
    cur=
  elif [ "$before" = = ] && [ "$COMP_CWORD" -gt 2 ]; then
    before=${{COMP_WORDS[COMP_CWORD-2]}}
  elif [[ $cur == --*=* ]]; then
    before=${{cur%%=*}} put=${{cur%%=*}}= cur=${{cur#*=}}
  fi
  case "${{COMP_WORDS[1]}} $before" in
{}  esac
  [ "${{cur:0:1}}" = - ] || return
  case "${{COMP_WORDS[1]}}" in
{}  esac
}}
complete -o default -F _prof prof
)",
                     fmt::join(command_names(line), " "), values, options);
}

// Inside of single quotes.
std::string fish_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string fish(const CommandLine& line) {
  std::string out;
  const std::string names = fmt::format("{}", fmt::join(command_names(line), " "));
  for (const CLI::App* command : commands_of(line)) {
    out += fmt::format("complete -c prof -n 'not __fish_seen_subcommand_from {}' -f -a {} -d '{}'\n", names,
                       command->get_name(), fish_text(command->get_description()));
  }
  for (const CLI::App* command : commands_of(line)) {
    for (const CLI::Option* option : command->get_options()) {
      std::string row = fmt::format("complete -c prof -n '__fish_seen_subcommand_from {}'", command->get_name());
      for (const std::string& name : option->get_lnames()) row += " -l " + name;
      for (const std::string& name : option->get_snames()) row += " -s " + name;
      const auto words = line.words.find(option);
      const bool has_words = words != line.words.end() && !words->second.empty();
      if (has_words) row += fmt::format(" -x -a '{}'", fmt::join(words->second, " "));
      if (option->get_positional() && !has_words) continue;  // the shell's own: a file
      if (!has_words && takes_value(*option)) row += " -r";
      if (!option->get_positional()) row += fmt::format(" -d '{}'", fish_text(option->get_description()));
      out += row + '\n';
    }
  }
  return out;
}

}  // namespace

const Choices<Shell>& shell_choices() {
  static const Choices<Shell> choices{{"bash", Shell::Bash}, {"zsh", Shell::Zsh}, {"fish", Shell::Fish}};
  return choices;
}

std::string completion(const CommandLine& line, Shell shell) {
  switch (shell) {
    case Shell::Fish:
      return fish(line);
    case Shell::Zsh:
      return "autoload -U +X compinit bashcompinit && compinit && bashcompinit\n" + bash(line);
    case Shell::Bash:
      break;
  }
  return bash(line);
}

}  // namespace prof::cli
