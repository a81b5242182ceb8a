#include "report/findings/below_own.hpp"

#include <string_view>

namespace prof::findings {
namespace {

// Each function is asked once: names of the C++ library are long, and trees are large.
class Verdicts {
 public:
  Verdicts(const Evidence& evidence, const IsNode& is) : evidence_(evidence), is_(is) {
    verdicts_.resize(evidence.symbols().function_count());
  }
  bool of(std::uint32_t node) {
    const std::uint32_t id = evidence_.lines().function_id(node);
    Verdict& verdict = verdicts_[id];
    if (verdict == Verdict::Open) verdict = is_(evidence_.symbols().function(id)) ? Verdict::Yes : Verdict::No;
    return verdict == Verdict::Yes;
  }

 private:
  enum class Verdict : std::uint8_t { Open, Yes, No };
  const Evidence& evidence_;
  const IsNode& is_;
  std::vector<Verdict> verdicts_;
};

// "Posting::Posting", "Posting::~Posting", "Posting::operator=": what containers call to move and copy their elements
// is a part of what they do, whoever wrote it.
bool is_special_member(const symbols::Function& function) {
  if (function.language != symbols::Language::Native) return false;
  const std::string_view name = function.short_name.empty() ? function.name : function.short_name;
  const std::size_t colons = name.rfind("::");
  if (colons == std::string_view::npos) return false;
  std::string_view last = name.substr(colons + 2);
  if (last == "operator=") return true;
  if (last.starts_with('~')) last.remove_prefix(1);
  std::string_view of = name.substr(0, colons);
  if (const std::size_t outer = of.rfind("::"); outer != std::string_view::npos) of.remove_prefix(outer + 2);
  return of == last;
}

}  // namespace

std::vector<bool> below_own(const Evidence& evidence, const IsNode& is) {
  const fold::CallTree& lines = evidence.lines();
  Verdicts verdicts(evidence, is);
  std::vector<bool> out(lines.nodes().size());
  for (const std::uint32_t node : evidence.timed()) {
    const bool own = evidence.own().function(lines.function_id(node)) && !is_special_member(lines.function(node));
    out[node] = !own && (out[lines.nodes()[node].parent] || verdicts.of(node));
  }
  return out;
}

std::vector<bool> below_own(const Evidence& evidence, const IsNode& outer, const IsNode& is) {
  const fold::CallTree& lines = evidence.lines();
  const std::vector<bool> inside = below_own(evidence, outer);
  Verdicts verdicts(evidence, is), outers(evidence, outer);
  std::vector<bool> out(inside.size()), called(inside.size());
  for (const std::uint32_t node : evidence.timed()) {
    const std::uint32_t parent = lines.nodes()[node].parent;
    const bool here = inside[node] && (outers.of(node) || called[parent]);
    out[node] = inside[node] && (out[parent] || (here && verdicts.of(node)));
    called[node] = here && (outers.of(node) || lines.function(node).language != symbols::Language::Python);
  }
  return out;
}

}  // namespace prof::findings
