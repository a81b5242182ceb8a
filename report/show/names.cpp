#include "report/show/names.hpp"

#include <fmt/format.h>

#include "report/model/text.hpp"
#include "report/symbols/demangle.hpp"

namespace prof::show {

std::string short_file(const std::string& path) {
  std::string name(base_name(path));
  if (name.size() == path.size() || (name != "__init__.py" && name != "__main__.py")) return name;
  const std::string folder = path.substr(0, path.size() - name.size() - 1);
  return std::string(base_name(folder)) + '/' + name;
}

std::string label(const symbols::Function& function, bool wide) {
  return wide || function.short_name.empty() ? function.name : function.short_name;
}

std::string place(const symbols::Function& function, bool wide) {
  if (function.file.empty())
    return wide ? function.module : symbols::without_abi_tag(std::string(base_name(function.module)));
  const std::string file = wide ? function.file : short_file(function.file);
  return function.line == 0 ? file : fmt::format("{}:{}", file, function.line);
}

}  // namespace prof::show
