#include "report/findings/rules/shared/statements.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <vector>

#include "report/model/text.hpp"

namespace prof::findings {
namespace {

// A statement's text begins where it is executed, or in the lines below; a call's last line stands below it.
constexpr std::int64_t kBelow = 3, kAbove = 2;

bool begins_statement(const std::string& line) {
  constexpr std::array<std::string_view, 3> kBeginnings = {"SELECT ", "UPDATE ", "DELETE FROM "};
  return std::any_of(kBeginnings.begin(), kBeginnings.end(),
                     [&](std::string_view word) { return line.find(word) != std::string::npos; });
}

// A file of Python and the statements in it. Lines are in capitals, counted from 1.
class Statements {
 public:
  Statements(symbols::SourceFiles& files, const std::string& name) : lines_(files.file(name).lines) {}

  // The statement that the line executes; empty: none was found.
  std::string statement_at(std::int64_t number) const {
    for (std::int64_t below = number; below <= number + kBelow; ++below) {
      if (below > number && line(below).find(kCall) != std::string::npos) break;
      if (begins_statement(line(below))) return statement_from(below);
    }
    // What is executed above is fetched here.
    for (std::int64_t above = number; above >= number - kAbove; --above) {
      if (begins_statement(line(above))) return statement_from(above);
      if (const std::int64_t constant = line_of_constant(line(above)); constant != 0) return statement_from(constant);
    }
    return {};
  }

  // Whether the call at the line takes a single row of what is executed.
  bool fetches_one_at(std::int64_t number) const {
    for (std::int64_t at = number; at <= number + kBelow; ++at) {
      if (at > number && line(at).find(kCall) != std::string::npos) break;
      if (line(at).find(".FETCHONE(") != std::string::npos) return true;
    }
    return false;
  }

 private:
  static constexpr std::string_view kCall = "EXECUTE";

  std::string line(std::int64_t number) const {
    const bool there = number >= 1 && number <= static_cast<std::int64_t>(lines_.size());
    return there ? in_capitals(lines_[static_cast<std::size_t>(number) - 1]) : std::string();
  }

  // The statement that begins in that line, to the next one or the next call.
  std::string statement_from(std::int64_t first) const {
    std::string text = line(first);
    for (std::int64_t next = first + 1; next <= first + kBelow; ++next) {
      const std::string more = line(next);
      if (more.find(kCall) != std::string::npos || begins_statement(more)) break;
      text += ' ' + more;
    }
    return text;
  }

  // Of execute(NAME, ...): where the text begins that NAME stands for; 0: nowhere.
  std::int64_t line_of_constant(const std::string& call) const {
    const std::string name = name_in(call);
    for (std::int64_t number = 1; !name.empty() && number <= static_cast<std::int64_t>(lines_.size()); ++number) {
      const std::string text = line(number);
      const std::size_t from = std::min(text.find_first_not_of(' '), text.size());
      if (text.compare(from, name.size(), name) != 0) continue;
      const std::size_t equals = text.find_first_not_of(' ', from + name.size());
      if (equals == std::string::npos || text[equals] != '=') continue;
      for (std::int64_t below = number; below <= number + kBelow; ++below) {
        if (begins_statement(line(below))) return below;
      }
    }
    return 0;
  }

  // The first argument, where it is a name: of self.find the last part.
  static std::string name_in(const std::string& call) {
    const std::size_t at = call.find(kCall), open = at == std::string::npos ? at : call.find('(', at);
    if (open == std::string::npos) return {};
    const auto in_name = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
    };
    const auto end = std::find_if_not(call.begin() + static_cast<std::ptrdiff_t>(open) + 1, call.end(), in_name);
    const std::string name(call.begin() + static_cast<std::ptrdiff_t>(open) + 1, end);
    return std::string(last_part(name));
  }

  const std::vector<std::string>& lines_;
};

}  // namespace

std::string in_capitals(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return text;
}

std::string statement_at(symbols::SourceFiles& files, const Place& place) {
  return place.line > 0 ? Statements(files, place.file).statement_at(place.line) : std::string();
}

bool fetches_one(symbols::SourceFiles& files, const Place& place) {
  return place.line > 0 && Statements(files, place.file).fetches_one_at(place.line);
}

bool of_sqlite(const symbols::Function& function) { return function.module.find("/libsqlite3") != std::string::npos; }

}  // namespace prof::findings
