#include "report/formats/json_own.hpp"

#include <optional>
#include <span>

#include "report/formats/json_rows.hpp"
#include "report/show/own/own_text.hpp"
#include "report/show/trees.hpp"

namespace prof::formats {

Json own_json(const show::Subject& subject, const show::ViewOptions& options) {
  const fold::CallTree& tree = show::mixed_line_tree(subject);
  const fold::OwnLines lines = fold::own_lines(tree);
  if (!lines.any_own()) return {};
  const std::size_t shown = options.rows_of(lines.rows.size(), lines.rows.size());
  return rows_json(std::span(lines.rows).first(shown), show::own_figures(subject, lines, tree, options),
                   "file line function cpu_s samples blocked_s idle_s gpu_s allocated_bytes peak_bytes live_bytes "
                   "copied_bytes spent held",
                   [](Json& out, const fold::OwnLine& row) {
                     Json spent = Json::array(), held = Json::array();
                     for (const fold::Part& part : row.spent) {
                       spent.push_back({{"name", text_or_null(part.name)}, {"s", seconds(part.amount)}});
                     }
                     for (const fold::Part& part : row.held) {
                       held.push_back({{"name", text_or_null(part.name)}, {"bytes", part.amount}});
                     }
                     out["spent"] = std::move(spent);
                     out["held"] = std::move(held);
                   });
}

}  // namespace prof::formats
