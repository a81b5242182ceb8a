#!/usr/bin/env bash
# scripts/lint.d/headers finds each header that leans on another one, also where one before it in its row would help it,
# and looks again at what has changed alone.
# usage: lone_headers.sh ROOT COMPILER
set -euo pipefail
root=$1 compiler=$2
place=$(mktemp -d "${TMPDIR:-/tmp}/prof-headers.XXXXXX")
trap 'rm -rf "$place"' EXIT
mkdir -p "$place/scripts" "$place/report" "$place/build"
cp -r "$root/scripts/lint.d" "$place/scripts/"

header() { printf '#pragma once\n%s\n' "$2" >"$place/report/$1.hpp"; }
check() { "$place/scripts/lint.d/headers" "$place/build"; }
fail() { echo "$*" >&2 && exit 1; }

header first $'#include <string>\nnamespace a { struct First { std::string text; }; }'
header second $'#include <string>\n#include <vector>\nnamespace a { using Second = std::vector<std::string>; }'
header third $'#include <vector>\n#include "report/first.hpp"\nnamespace a { using Third = std::vector<First>; }'
cat >"$place/build/compile_commands.json" <<END
[{"directory": "$place/build", "file": "$place/report/x.cpp",
  "command": "$compiler -std=c++20 -I$place -o report/CMakeFiles/prof_report.dir/x.cpp.o -c $place/report/x.cpp"}]
END

check || fail "complains of headers that are in order"
[[ $(check) == "3 headers in "*", 0 of them compiled; "* ]] || fail "compiles again what has not changed"

header first $'namespace a { struct First { std::string text; }; }'
said=$(check) && fail "overlooks a header without its standard header: $said"
[[ $said == *report/first.hpp* ]] || fail "does not name it: $said"
header first $'#include <string>\nnamespace a { struct First { std::string text; }; }'

for others in '' $'#include "report/second.hpp"'; do
  header fourth "#include <string>
#include <vector>
$others
namespace a { using Fourth = First; }"
  said=$(check) && fail "overlooks a header that uses a name of another one: $said"
  [[ $said == *report/fourth.hpp* && $said != *report/third.hpp* ]] || fail "does not name it alone: $said"
done
