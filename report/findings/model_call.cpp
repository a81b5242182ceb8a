#include "report/findings/model_call.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "report/findings/places.hpp"
#include "report/fold/function_match.hpp"
#include "report/model/text.hpp"

namespace prof::findings {

bool in_pytorch(const Evidence& evidence, std::uint32_t node) {
  const std::vector<fold::CallNode>& nodes = evidence.lines().nodes();
  while (node != 0 && evidence.activity_name(node) == fold::kReferenceBlas) node = nodes[node].parent;
  return node != 0 && evidence.activity_name(node) == "PyTorch";
}

bool is_product(std::string_view name) {
  constexpr std::string_view kProducts[] = {"aten::addmm", "aten::mm", "aten::bmm", "aten::convolution"};
  return std::find(std::begin(kProducts), std::end(kProducts), name) != std::end(kProducts);
}

bool calls_module(const symbols::Function& function) {
  static constexpr fold::FunctionAt kCalls[] = {{"/torch/nn/modules/module.py", ""}};
  return fold::is_any(function, kCalls);
}

std::optional<Place> model_call(const Evidence& evidence, std::uint32_t node) {
  const fold::CallTree& lines = evidence.lines();
  for (std::uint32_t at = node; at != 0; at = lines.nodes()[at].parent) {
    const symbols::Function& function = lines.function(at);
    if (function.language != symbols::Language::Python || !evidence.own().function(lines.function_id(at))) continue;
    const std::string_view name = function.name;
    if (last_part(name) != "forward") return place_of(evidence.symbols(), lines.nodes()[at].location);
  }
  return std::nullopt;
}

}  // namespace prof::findings
