// What most unit tests of prof include, compiled once. Files include what they use all the same.
#pragma once

#include <nlohmann/json.hpp>

#include "tests/support/log_builder.hpp"
#include "tests/support/sheets.hpp"
#include "tests/unit/support/findings_run.hpp"
#include "tests/unit/support/python_run.hpp"
#include "tests/unit/support/sheet_cells.hpp"
#include "tests/unit/support/show_run.hpp"
