#include "report/formats/folded.hpp"

#include <algorithm>
#include <vector>

#include "report/show/text.hpp"
#include "report/show/words.hpp"

namespace prof::formats {
namespace {

std::string frame_name(const symbols::Function& function, bool whole) {
  std::string name = show::printable(show::label(function, whole));
  std::replace(name.begin(), name.end(), ';', ':');
  return name.empty() ? "?" : name;
}

}  // namespace

std::string folded(const fold::CallTree& tree, model::Measure measure, bool whole_names) {
  std::vector<std::string> names(tree.symbols().function_count());
  std::string out;
  fold::for_each_stack(tree, measure, [&](std::span<const std::uint32_t> functions, std::int64_t value) {
    if (value <= 0 || functions.empty()) return;
    for (std::size_t i = 0; i < functions.size(); ++i) {
      std::string& name = names[functions[i]];
      if (name.empty()) name = frame_name(tree.symbols().function(functions[i]), whole_names);
      if (i > 0) out += ';';
      out += name;
    }
    out += ' ';
    out += std::to_string(value);
    out += '\n';
  });
  return out;
}

}  // namespace prof::formats
