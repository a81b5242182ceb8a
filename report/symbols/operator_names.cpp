#include "report/symbols/operator_names.hpp"

#include <algorithm>
#include <optional>

namespace prof::symbols {
namespace {

constexpr std::string_view kLibrary = "aten::";  // all that at::_ops has

// What stands between a beginning and an end, if it is one name.
std::optional<std::string_view> between(std::string_view text, std::string_view begin, std::string_view end) {
  if (!text.starts_with(begin) || !text.ends_with(end) || text.size() <= begin.size() + end.size()) return {};
  const std::string_view name = text.substr(begin.size(), text.size() - begin.size() - end.size());
  return name.find(':') == std::string_view::npos ? std::optional(name) : std::nullopt;
}

}  // namespace

OperatorNames::OperatorNames(const model::Run& run) {
  for (const model::Process& process : run.processes) {
    for (const model::Name& name : process.names) {
      if (name.kind == log::NameKind::Operator) counted_.insert(name.name);
    }
  }
}

std::string OperatorNames::of(std::string_view function) const {
  if (const auto name = between(function, "at::_ops::", "::call")) return forward(*name);
  if (const auto name = between(function, "torch::autograd::generated::", "::apply")) return std::string(*name);
  // Those that are written by hand carry their namespace.
  if (const auto name = between(function, "torch::autograd::", "::apply")) {
    std::string whole = "torch::autograd::" + std::string(*name);
    if (counted_.contains(whole)) return whole;
  }
  return {};
}

std::string OperatorNames::forward(std::string_view name) const {
  const std::string whole = std::string(kLibrary) + std::string(name);
  for (std::size_t end = whole.size(); end > kLibrary.size(); end = whole.rfind('_', end - 1)) {
    if (end == std::string::npos) break;
    const auto found = counted_.find(std::string_view(whole).substr(0, end));
    if (found != counted_.end()) return *found;
  }
  return whole;
}

}  // namespace prof::symbols
