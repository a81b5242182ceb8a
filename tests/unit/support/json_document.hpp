// What prof report --format json says of a run.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "report/formats/json.hpp"
#include "tests/support/catch.hpp"

namespace prof::test {

inline nlohmann::json document(const show::Subject& subject, show::ViewOptions options = {}) {
  options.everything = true;
  return nlohmann::json::parse(formats::json(subject, options));
}

// The row of a section that has this; the test fails where there is none.
inline const nlohmann::json& row_with(const nlohmann::json& rows, const std::string& key, const nlohmann::json& value) {
  for (const nlohmann::json& row : rows) {
    if (row.at(key) == value) return row;
  }
  FAIL("no row with " << key << " " << value);
  throw std::logic_error(key);
}

}  // namespace prof::test
