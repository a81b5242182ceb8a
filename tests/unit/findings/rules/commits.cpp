#include "tests/support/catch.hpp"
#include "tests/unit/support/findings_run.hpp"
