// The arguments of an event in a Chrome trace.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "report/show/view.hpp"

namespace prof::formats {

// As a word of JSON, in ASCII; what is no character of text is replaced.
std::string quoted(const std::string& value);

class ChromeArgs {
 public:
  // `json`: the value as JSON.
  void add(std::string_view key, const std::string& json);
  void add(std::string_view key, std::uint64_t value) { add(key, std::to_string(value)); }
  // Without the braces.
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// What PyTorch tells of an operator's event: shapes of its inputs, and which backward function comes of which operator.
void add_operator(const model::Process& process, const model::TraceEvent& event, ChromeArgs& args);

// The innermost Python line above each context of one process.
class ChromeCallers {
 public:
  ChromeCallers(const show::Subject& subject, std::size_t process) : subject_(subject), process_(process) {}

  // Of an event's context, quoted; empty: there is none. Of a backward function the line of the operator that made it.
  const std::string& of(const model::TraceEvent& event);

 private:
  const show::Subject& subject_;
  std::size_t process_;
  std::unordered_map<std::uint32_t, std::string> called_, operators_;  // by node, of the tree and of operators
};

}  // namespace prof::formats
