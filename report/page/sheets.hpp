// Sheets as the page has them: the same that the report prints as tables.
#pragma once

#include <cstddef>
#include <vector>

#include "report/formats/json_value.hpp"
#include "report/show/view.hpp"

namespace prof::page {

using formats::Json;

// Title, captions, columns, rows and notes. Figures are whole: the page chooses their units.
Json sheet_json(const show::Sheet& sheet);

// The sheets of each view that the run has anything for; not of those that the page shows in its own way.
class Tables {
 public:
  // Keeps references to both.
  Tables(const show::Subject& subject, const show::ViewOptions& options);

  std::size_t views() const { return views_.size(); }
  // The sheets of one of them; of several on several threads at once when the subject's trees are shared.
  void make(std::size_t view);
  // What was made, once; views without rows are left out.
  Json take();

 private:
  const show::Subject& subject_;
  const show::ViewOptions& options_;
  std::vector<const show::View*> views_;
  std::vector<Json> made_;  // by view
};

}  // namespace prof::page
