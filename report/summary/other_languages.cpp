#include "report/summary/other_languages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "report/model/text.hpp"
#include "report/show/numbers.hpp"
#include "report/show/processes.hpp"

namespace prof::show {
namespace {

constexpr double kMuchOfAll = 0.2;              // of the CPU time
constexpr std::int64_t kWorthALine = 50000000;  // ns

struct Language {
  std::string_view program;  // without its version
  std::string_view name;
  std::string_view how;
};
// Sources: perlpod of Devel::NYTProf; the pages of rbspy, Xdebug and LuaJIT; R's manual of Rprof; Lua's of
// debug.sethook.
constexpr Language kLanguages[] = {
    {"perl", "Perl", "perl -d:NYTProf SCRIPT"},
    {"ruby", "Ruby", "rbspy record -- ruby SCRIPT"},
    {"php", "PHP", "Xdebug's profiler (XDEBUG_MODE=profile)"},
    {"php-fpm", "PHP", "Xdebug's profiler (XDEBUG_MODE=profile)"},
    {"R", "R", "Rprof() and summaryRprof()"},
    {"lua", "Lua", "a hook (debug.sethook)"},
    {"luajit", "Lua", "prof run --lua on"},
};

// "ruby" of "/usr/bin/ruby3.1", "luajit" of "luajit-2.1.0-beta3".
std::string_view program_of(std::string_view exe) {
  std::string_view name = base_name(exe);
  if (const std::size_t dash = name.find('-'); dash != std::string_view::npos && dash + 1 < name.size() &&
                                               std::isdigit(static_cast<unsigned char>(name[dash + 1])) != 0)
    return name.substr(0, dash);
  while (!name.empty() && (std::isdigit(static_cast<unsigned char>(name.back())) != 0 || name.back() == '.'))
    name.remove_suffix(1);
  return name;
}

std::int64_t cpu_of(const model::Process& process) {
  std::int64_t ns = 0;
  for (const auto& row : process.tree.cpu) ns = model::saturated_sum(ns, row.metric.ns);
  return ns;
}

// In what LuaJIT made, and in what that calls.
std::int64_t named_in_lua(const Subject& subject, const model::Process& process) {
  const auto index = static_cast<std::size_t>(&process - subject.run.processes.data());
  const model::Tree& tree = process.tree;
  std::vector<bool> inside(tree.nodes.size(), false);
  std::int64_t ns = 0;
  for (std::uint32_t node = 1; node < tree.nodes.size(); ++node) {
    inside[node] = inside[tree.nodes[node].parent];
    for (const std::uint32_t location : subject.symbols.locations(index, tree.nodes[node].frame))
      inside[node] = inside[node] || subject.symbols.function(subject.symbols.location(location).function).module ==
                                         symbols::kMadeByLuajit;
  }
  for (const auto& row : tree.cpu) {
    if (inside[row.node]) ns = model::saturated_sum(ns, row.metric.ns);
  }
  return ns;
}

}  // namespace

std::string other_languages(const Subject& subject) {
  std::int64_t all = 0;
  bool lua_named = false;
  std::vector<std::int64_t> by_language(std::size(kLanguages));
  for (const std::size_t i : selected_processes(subject)) {
    const model::Process& process = subject.run.processes[i];
    const std::int64_t ns = cpu_of(process);
    all = model::saturated_sum(all, ns);
    const auto* const found = std::find_if(std::begin(kLanguages), std::end(kLanguages), [&](const Language& known) {
      return known.program == program_of(process.exe);
    });
    if (found == std::end(kLanguages)) continue;
    const bool asked = process.options.find("PROF_LUA=on") != std::string::npos;
    lua_named |= asked;
    std::int64_t& sum = by_language[static_cast<std::size_t>(found - std::begin(kLanguages))];
    sum = model::saturated_sum(sum, asked ? model::saturated_difference(ns, named_in_lua(subject, process)) : ns);
  }
  const auto most = std::max_element(by_language.begin(), by_language.end());
  if (*most < kWorthALine || static_cast<double>(*most) < kMuchOfAll * static_cast<double>(all)) return {};
  const Language& its = kLanguages[most - by_language.begin()];
  if (lua_named && its.name == "Lua")
    return fmt::format(
        "{} % of CPU time is in what LuaJIT interprets and in its library, where functions of Lua have no names: "
        "luajit -jp=f SCRIPT tells.",
        percent(static_cast<double>(*most), static_cast<double>(all)));
  return fmt::format("{} % of CPU time is in programs of {}, whose own functions have no names here: take {}.",
                     percent(static_cast<double>(*most), static_cast<double>(all)), its.name, its.how);
}

}  // namespace prof::show
