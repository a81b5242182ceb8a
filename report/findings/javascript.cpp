#include "report/findings/javascript.hpp"

namespace prof::findings {

std::vector<std::string> scripts_of(const Evidence& evidence, const model::Process& process) {
  std::vector<std::string> out;
  for (std::size_t i = 1; i < process.argv.size() && out.empty(); ++i) {
    if (!process.argv[i].starts_with('-')) out.push_back(process.argv[i]);
  }
  for (std::uint32_t id = 0; id < evidence.symbols().function_count(); ++id) {
    const std::string& file = evidence.symbols().function(id).file;
    if (evidence.own().function(id) && file.find(".js") != std::string::npos &&
        std::find(out.begin(), out.end(), file) == out.end())
      out.push_back(file);
  }
  return out;
}

}  // namespace prof::findings
