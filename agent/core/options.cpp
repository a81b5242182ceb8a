#include "agent/core/options.hpp"

#include <array>
#include <iterator>

#include "agent/contract/option_table.hpp"

namespace prof {
namespace {

// Of the table what is needed here: help is for other programs.
struct Setting {
  std::string_view name, grammar;
  bool (*set)(std::string_view value, Options& options);
  void (*write)(const Options& options, TextBuilder& text);
};
constexpr auto kSettings = [] {
  std::array<Setting, std::size(option::kOptions)> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = {option::kOptions[i].variable, option::kOptions[i].grammar, option::kOptions[i].set,
              option::kOptions[i].write};
  }
  return all;
}();

}  // namespace

void read_options(const char* const* environment, Options& options, TextBuilder& complaint) {
  for (const char* const* e = environment; e != nullptr && *e != nullptr; ++e) {
    const std::string_view entry = *e;
    if (!entry.starts_with("PROF_")) continue;
    const std::size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = first(entry, equals);
    const std::string_view value = from(entry, equals + 1);
    const Setting* found = nullptr;
    for (const Setting& s : kSettings) {
      if (s.name == name) found = &s;
    }
    if (found != nullptr && found->set(value, options)) continue;
    if (complaint.size() > 0) complaint << "; ";
    if (found == nullptr) {
      complaint << "unknown option " << name << " ignored";
    } else {
      complaint << name << '=' << first(value, 80) << " ignored: it takes ";
      option::write_values(found->grammar, [&complaint](std::string_view part) { complaint << part; });
    }
  }
}

void describe_options(const Options& options, TextBuilder& text) {
  for (const Setting& s : kSettings) {
    if (s.write == nullptr) continue;
    const std::size_t before = text.size();
    if (before > 0) text << '\n';
    text << s.name << '=';
    const std::size_t named = text.size();
    s.write(options, text);
    if (text.size() == named) text.shorten(before);
  }
}

}  // namespace prof
