#include "report/findings/made_members.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "report/findings/finding.hpp"
#include "report/symbols/source_files.hpp"

namespace prof::findings {
namespace made_members {
namespace {

bool is_head_of_class(std::string_view code) {
  code.remove_prefix(indent_of(code));
  return code.starts_with("struct ") || code.starts_with("class ");
}

// "Market" of "Market::Market" and "shop::Market::~Market".
std::string_view class_of(std::string_view function) {
  const std::size_t end = function.rfind("::");
  if (end == std::string_view::npos) return {};
  const std::size_t before = function.rfind("::", end - 1);
  return end == 0 ? std::string_view()
                  : function.substr(before == std::string_view::npos ? 0 : before + 2,
                                    end - (before == std::string_view::npos ? 0 : before + 2));
}

// Whether what follows the name of a type is the name of a parameter and its end.
bool names_parameter(std::string_view rest) {
  std::size_t at = indent_of(rest);
  if (at == 0) return false;
  const std::size_t begin = at;
  while (at < rest.size() && is_name(rest[at])) ++at;
  return at > begin && at < rest.size() && (rest[at] == ',' || rest[at] == ')');
}

}  // namespace
}  // namespace made_members

std::size_t parameter_by_value(const Lines& lines, std::string_view name) {
  if (name.empty()) return 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view code = code_of(lines[i], "//");
    for (std::size_t at = find_word(code, name); at != std::string_view::npos; at = find_word(code, name, at + 1)) {
      const std::string_view before = code.substr(0, at);
      const bool inside = std::count(before.begin(), before.end(), '(') > std::count(before.begin(), before.end(), ')');
      if (inside && made_members::names_parameter(code.substr(at + name.size()))) return i + 1;
    }
  }
  return 0;
}

void name_callers_of_made(const Evidence& evidence, std::vector<Place>& places) {
  if (places.empty() || places.front().line <= 0 || places.front().callers.empty()) return;
  symbols::SourceFiles& files = evidence.sources();
  const Lines& lines = files.file(places.front().file).lines;
  const auto at = static_cast<std::size_t>(places.front().line);
  if (at > lines.size() || !made_members::is_head_of_class(lines[at - 1])) return;
  Place head = std::move(places.front());
  Place user = head.callers.front();
  user.callers.assign(head.callers.begin() + 1, head.callers.end());
  head.callers.clear();
  std::vector<Place> out{std::move(user)};
  if (const std::size_t line = parameter_by_value(lines, made_members::class_of(head.function)))
    out.push_back({head.file, static_cast<std::int64_t>(line), {}});
  out.push_back(std::move(head));
  for (std::size_t i = 1; i < places.size() && out.size() < 3; ++i) {
    if (std::find(out.begin(), out.end(), places[i]) == out.end()) out.push_back(std::move(places[i]));
  }
  places = std::move(out);
}

}  // namespace prof::findings
