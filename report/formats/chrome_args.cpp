#include "report/formats/chrome_args.hpp"

#include <fmt/format.h>

#include "report/fold/training/trace_backward.hpp"
#include "report/formats/json_value.hpp"
#include "report/show/stack_text.hpp"
#include "report/show/text.hpp"

namespace prof::formats {
namespace {

// As JSON, where it is; empty: there are none.
std::string shapes_of(const model::Process& process, const model::TraceEvent& event) {
  const std::uint32_t id = process.tree.frames[event.frame].name;
  if (id == model::kNoName) return {};
  const std::string& group = process.names[id].group;
  const std::size_t blank = group.find(' ');
  if (blank == std::string::npos) return {};
  const std::string shapes = group.substr(blank + 1);
  return Json::accept(shapes) ? shapes : quoted(shapes);
}

}  // namespace

std::string quoted(const std::string& value) {
  return Json(show::printable(value)).dump(-1, ' ', true, Json::error_handler_t::replace);
}

void ChromeArgs::add(std::string_view key, const std::string& json) {
  text_ += fmt::format("{}\"{}\":{}", text_.empty() ? "" : ",", key, json);
}

void add_operator(const model::Process& process, const model::TraceEvent& event, ChromeArgs& args) {
  if (event.kind != log::TraceKind::Operator) return;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53;  // beyond, a number is not exact in JSON: the log is damaged
  if (event.sequence && *event.sequence < kMost) {
    args.add("Sequence number", *event.sequence);
    args.add("Fwd thread id", fold::is_backward(process, event) ? event.sequence_thread : 0);
  }
  if (const std::string shapes = shapes_of(process, event); !shapes.empty()) args.add("Input Dims", shapes);
}

const std::string& ChromeCallers::of(const model::TraceEvent& event) {
  const model::Process& process = subject_.run.processes[process_];
  const bool is_operator = event.kind == log::TraceKind::Operator;
  const auto [found, is_new] = (is_operator ? operators_ : called_).try_emplace(event.node);
  if (!is_new) return found->second;
  const std::vector<model::Node>& nodes = is_operator ? process.tree.operator_nodes : process.tree.nodes;
  for (std::uint32_t node = event.node; node != 0; node = nodes[node].parent) {
    const model::Frame::Kind kind = process.tree.frames[nodes[node].frame].kind;
    if (kind != model::Frame::Kind::Python && kind != model::Frame::Kind::PythonLine) continue;
    const auto locations = subject_.symbols.locations(process_, nodes[node].frame);
    if (locations.empty()) continue;
    found->second = quoted(fmt::format("{} ({})", show::location_label(subject_.symbols, locations.front(), false),
                                       show::location_place(subject_.symbols, locations.front(), false)));
    break;
  }
  return found->second;
}

}  // namespace prof::formats
