#include "report/formats/folded.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "report/show/names.hpp"
#include "report/show/text.hpp"

namespace prof::formats {
namespace {

std::string frame_name(const symbols::Function& function, bool whole) {
  std::string name = show::printable(show::label(function, whole));
  std::replace(name.begin(), name.end(), ';', ':');
  return name.empty() ? "?" : name;
}

}  // namespace

void folded(const fold::CallTree& tree, model::Measure measure, bool whole_names, const Write& write) {
  std::vector<std::string> names(tree.symbols().function_count());
  std::string line;
  fold::for_each_stack(tree, measure, [&](std::span<const std::uint32_t> functions, std::int64_t value) {
    if (value <= 0 || functions.empty()) return;
    line.clear();
    for (std::size_t i = 0; i < functions.size(); ++i) {
      std::string& name = names[functions[i]];
      if (name.empty()) name = frame_name(tree.symbols().function(functions[i]), whole_names);
      if (i > 0) line += ';';
      line += name;
    }
    line += ' ';
    line += std::to_string(value);
    line += '\n';
    write(line);
  });
}

}  // namespace prof::formats
