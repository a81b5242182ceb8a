#include "report/page/page.hpp"

#include <array>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

#include "report/page/assets.hpp"
#include "report/page/bundle.hpp"
#include "report/page/first_screen.hpp"
#include "report/page/over_time.hpp"
#include "report/page/sheets.hpp"
#include "report/page/stack_columns.hpp"
#include "report/page/stacks.hpp"
#include "report/page/trace_lanes.hpp"
#include "report/read/in_parallel.hpp"
#include "report/show/trees.hpp"
#include "report/summary/facts.hpp"

namespace prof::page {
namespace {

constexpr std::size_t kNodes = 50'000;    // of the flame graph: a page that opens at once shows no more
constexpr std::size_t kRows = 1000;       // of a table
constexpr std::size_t kAllRows = 50'000;  // a browser holds no more
constexpr std::size_t kEvents = 50'000, kAllEvents = 1'000'000;  // of a trace
constexpr int kVersion = 1;                                      // of the header: web/main.js reads this one

show::ViewOptions table_options(const PageOptions& page, const model::Run& run) {
  show::ViewOptions options;
  options.limit = page.full ? kAllRows : kRows;
  options.wide = true;
  options.source_allowed = source_allowed(run, page.source);
  return options;
}

// "'sha256-...'", as a Content-Security-Policy names a script or a style (https://www.w3.org/TR/CSP3/).
std::string source_hash(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return "'sha256-" + base64(bytes) + "'";
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

// The frame with each {{NAME}} replaced; in one pass, so that what is put in is not looked at again.
std::string filled(std::string_view frame, const std::array<std::pair<std::string_view, std::string>, 6>& parts) {
  std::string out;
  while (true) {
    const std::size_t begin = frame.find("{{");
    out += frame.substr(0, begin);
    if (begin == std::string_view::npos) return out;
    const std::size_t end = frame.find("}}", begin);
    const std::string_view name = frame.substr(begin + 2, end - begin - 2);
    for (const auto& [key, text] : parts) {
      if (key == name) out += text;
    }
    frame.remove_prefix(end + 2);
  }
}

}  // namespace

std::string html(const show::Subject& subject, const PageOptions& options) {
  show::share_trees(subject);
  const show::ViewOptions tables = table_options(options, subject.run);
  show::ViewOptions first_options;
  first_options.source_allowed = tables.source_allowed;
  Bundle bundle;
  Json header;
  header["version"] = kVersion;
  header["prof"] = PROF_VERSION;
  StackTree stacks;
  Tables all_tables(subject, tables);
  // What takes longest begins first, and what others wait for before them.
  const std::function<void()> parts[] = {
      [&] { show::line_rows(subject); },
      [&] { show::function_rows(subject); },
      [&] { stacks = stack_tree(subject, show::mixed_line_tree(subject), options.full ? 0 : kNodes); },
      [&] { header["first"] = first_screen_json(subject, first_options, show::mixed_line_tree(subject)); },
  };
  read::in_parallel(std::size(parts) + all_tables.views(), 0, [&](std::size_t part) {
    if (part < std::size(parts)) return parts[part]();
    all_tables.make(part - std::size(parts));
  });
  header["stacks"] = stacks_json(subject, stacks, bundle);
  header["source"] = source_json(subject, show::mixed_line_tree(subject), options.source, bundle);
  header["time"] = time_json(subject, bundle);
  header["trace"] = trace_json(subject, options.full ? kAllEvents : kEvents, bundle);
  header["tables"] = all_tables.take();
  return filled(html_asset(), {{{"TITLE", escaped(shown_text(show::command_line(subject)))},
                                {"STYLE_HASH", source_hash(kStyleHash)},
                                {"SCRIPT_HASH", source_hash(kScriptHash)},
                                {"STYLE", style_asset()},
                                {"SCRIPT", script_asset()},
                                {"DATA", bundle.packed(std::move(header))}}});
}

}  // namespace prof::page
