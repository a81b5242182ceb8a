#include "report/read/schema.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace prof::read {
namespace {

// Header words of records have eight bits for each.
constexpr std::uint32_t kMostClasses = 255, kMostWords = 255;

class Text {
 public:
  explicit Text(std::string_view rest) : rest_(rest) {}

  bool empty() const { return rest_.empty(); }

  // Whether `what` comes next, which is then passed.
  bool take(std::string_view what) {
    if (!rest_.starts_with(what)) return false;
    rest_.remove_prefix(what.size());
    return true;
  }
  // What comes before the next mark; may be empty.
  std::string_view word() {
    const std::string_view word = rest_.substr(0, rest_.find_first_of(" :;\n"));
    rest_.remove_prefix(word.size());
    return word;
  }
  // Units have colons.
  std::string_view unit() {
    const std::string_view unit = rest_.substr(0, rest_.find_first_of(" ;\n"));
    rest_.remove_prefix(unit.size());
    return unit;
  }

 private:
  std::string_view rest_;
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_number(std::string_view word) { return !word.empty() && is_digit(word.front()); }
bool is_name(std::string_view word) {
  const auto of_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
  };
  return !word.empty() && !is_number(word) && std::all_of(word.begin(), word.end(), of_name);
}

// From 1 to `most`; nothing if it is anything else.
std::optional<std::uint32_t> number(std::string_view word, std::uint32_t most) {
  std::uint32_t value = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || stop != end || value == 0 || value > most) return std::nullopt;
  return value;
}

using Classes = std::map<std::uint32_t, std::vector<DescribedField>>;

// "calls count sum; total_ns nanoseconds sum", with the blank before it. Nothing if it is no such list.
std::optional<std::vector<DescribedField>> read_fields(Text& text) {
  std::vector<DescribedField> fields;
  std::uint32_t words = 0;
  do {
    if (!text.take(" ")) return std::nullopt;
    DescribedField field{text.word(), words};
    if (is_number(field.name)) {
      const auto count = number(field.name, kMostWords);
      if (!count) return std::nullopt;
      field.name = {};
      field.words = *count;
    } else if (!is_name(field.name) || std::any_of(fields.begin(), fields.end(), [&](const DescribedField& other) {
                 return other.name == field.name;
               })) {
      return std::nullopt;
    }
    words += field.words;
    if (words > kMostWords || !text.take(" ") || text.unit().empty()) return std::nullopt;
    if (text.take(" ") && text.word().empty()) return std::nullopt;
    fields.push_back(field);
  } while (text.take(";"));
  return fields;
}

// One line; false if it is none, or says of a class what was said before.
bool read_class(Text& text, Classes& classes) {
  if (!text.take("class ")) return false;
  const auto id = number(text.word(), kMostClasses);
  if (!id || classes.contains(*id) || !text.take(" ") || !is_name(text.word()) || !text.take(":")) return false;
  if (text.take(" as class ")) {
    const auto like = number(text.word(), kMostClasses);
    const auto found = like ? classes.find(*like) : classes.end();
    if (found == classes.end()) return false;
    classes.emplace(*id, found->second);
  } else {
    auto fields = read_fields(text);
    if (!fields) return false;
    classes.emplace(*id, std::move(*fields));
  }
  return text.take("\n");
}

}  // namespace

bool Schema::read(std::string_view text) {
  layouts_.clear();
  text = text.substr(0, text.find('\0'));
  if (text == std::string_view(log::kSchema.data(), log::kSchema.size())) return true;
  // A process may end while it writes its description: what lines are whole count.
  text = text.substr(0, text.rfind('\n') + 1);
  Classes classes;
  for (Text rest(text); !rest.empty();) {
    if (!read_class(rest, classes)) return false;
  }
  const auto lay_out = [&](std::span<const log::RecordFields> records) {
    for (const log::RecordFields& record : records) {
      const auto found = classes.find(static_cast<std::uint32_t>(record.id));
      if (found == classes.end()) continue;
      Layout layout(record.fields, found->second);
      if (!layout.is_own()) layouts_.emplace(record.id, std::move(layout));
    }
  };
  lay_out(log::kRecordFields);
  lay_out(log::kEntryFields);
  return true;
}

}  // namespace prof::read
