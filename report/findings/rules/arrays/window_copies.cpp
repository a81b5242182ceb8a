// All windows of a series are copied into one array, which overlap: it holds each value as often as a window is long.
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/findings/rules/all.hpp"
#include "report/findings/rules/shared/peak_statement.hpp"
#include "report/findings/source_words.hpp"
#include "report/findings/thresholds.hpp"
#include "report/model/text.hpp"

namespace prof::findings {
namespace window_copies {
namespace {

std::string without_spaces(std::string_view code) {
  std::string out(code);
  out.erase(std::remove(out.begin(), out.end(), ' '), out.end());
  return out;
}

// Whether a loop over the range, "i in range(0, n, w)" of "for i in ...", goes on by less than the width of a window.
bool overlaps(std::string_view code, std::string_view counter, std::string_view width) {
  // After "for i in" the spaces between words are what is left out, too.
  const std::string head = "for" + std::string(counter) + "inrange(";
  const std::size_t at = code.find(head);
  if (at == std::string_view::npos) return false;
  int depth = 0;
  std::size_t commas = 0, last = at + head.size();
  for (std::size_t i = at + head.size(); i < code.size(); ++i) {
    if (code[i] == '(' || code[i] == '[') ++depth;
    if (code[i] == ')' || code[i] == ']') --depth;
    if (depth < 0) {
      if (commas < 2) return true;
      const std::string_view step = code.substr(last, i - last);
      return step == "1" || (step.starts_with(width) && step.substr(width.size()).starts_with("//"));
    }
    if (code[i] == ',' && depth == 0) {
      ++commas;
      last = i + 1;
    }
  }
  return false;
}

// Whether the statement makes one array of "series[i:i + width]" for each i: "np.stack([...])", "torch.stack(...)".
bool copies_windows(std::string_view statement) {
  const std::string code = without_spaces(statement);
  constexpr std::string_view kMakers[] = {".stack([", ".array([", ".asarray([", ".vstack([", ".stack(list("};
  if (std::none_of(std::begin(kMakers), std::end(kMakers),
                   [&](std::string_view maker) { return contains(code, maker); })) {
    return false;
  }
  for (std::size_t open = code.find('['); open != std::string::npos; open = code.find('[', open + 1)) {
    const std::size_t colon = code.find(':', open), close = code.find(']', open);
    if (open == 0 || !is_name(code[open - 1]) || colon >= close || close == std::string::npos) continue;
    const std::string_view index = std::string_view(code).substr(open + 1, colon - open - 1);
    std::string_view end = std::string_view(code).substr(colon + 1, close - colon - 1);
    end = end.substr(0, end.find(','));
    if (index.empty() || !std::all_of(index.begin(), index.end(), is_name)) continue;
    if (!end.starts_with(index) || !end.substr(index.size()).starts_with('+')) continue;
    if (overlaps(code, index, end.substr(index.size() + 1))) return true;
  }
  return false;
}

std::vector<Finding> look(const Evidence& evidence) {
  const std::optional<PeakStatement> at = peak_statement(evidence, kWindowCopies, kWindowsOfPeak);
  if (!at || !copies_windows(at->code)) return {};
  Finding finding = at_peak(evidence, *at, "holds each value once for each window that it is in.");
  finding.rule = kWindowCopiesRule.name;
  finding.title = "All windows of a series are copied, which overlap";
  finding.advice =
      "Keep the series, and cut out the windows of a batch when it is made; or make views of it, where nothing writes "
      "to them: series.unfold(0, width, 1) of PyTorch, numpy.lib.stride_tricks.sliding_window_view.";
  return {finding};
}

}  // namespace
}  // namespace window_copies

const Rule kWindowCopiesRule{"window-copies", "overlapping windows that are copied", no_peak_statement,
                             window_copies::look};

}  // namespace prof::findings
