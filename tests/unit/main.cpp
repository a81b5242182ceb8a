// The runner of all test programs. Catch2 version 3 brings its own in a library.
#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_MAIN
#endif
#include "tests/support/catch.hpp"
