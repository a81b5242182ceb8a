#!/usr/bin/env bash
# The arrows between folders, as scripts/lint judges them: none points upwards, and one that is planted is found.
# usage: layers.sh SOURCE_DIR
set -euo pipefail
source_dir=$1
"$source_dir/scripts/lint.d/arrows" "$source_dir"

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
planted() {
  rm -rf "${copy:?}/tree"
  mkdir "$copy/tree"
  cp -r "$source_dir/agent" "$source_dir/interpose" "$source_dir/report" "$copy/tree"
  printf '%s\n' "${3:-#include \"$2\"}" >>"$copy/tree/$1"
  if "$source_dir/scripts/lint.d/arrows" "$copy/tree" >"$copy/said"; then
    echo "an include of $2 in $1 was not found" >&2
    exit 1
  fi
  grep -qF "$1: may not include $2" "$copy/said"
}
planted agent/core/text.hpp agent/heap/heap.hpp
planted agent/log/file.cpp interpose/hook/hook.hpp
planted report/fold/memory/heap.cpp report/show/table.hpp
planted report/read/log_bytes.cpp agent/core/text.hpp
planted interpose/hook/hook.hpp interpose/wait/booking.hpp
# However it is written.
planted agent/core/gap.cpp agent/life/lifecycle.hpp '#include <agent/life/lifecycle.hpp>'
planted agent/core/gap.cpp agent/life/lifecycle.hpp '#include "../life/lifecycle.hpp"'
planted agent/core/gap.cpp agent/life/lifecycle.hpp '#include "./agent/core/../life/lifecycle.hpp"'
planted report/findings/claims.hpp report/findings/rules/all.hpp
planted agent/gpu/calls.cpp agent/gpu/cupti/session.hpp
planted report/cli/common/output.cpp report/cli/run/launch.hpp
planted agent/core/gap.cpp agent/life/lifecycle.hpp '#include \
"agent/life/lifecycle.hpp"'
planted agent/core/gap.cpp agent/life/lifecycle.hpp ' /* a */ # include"agent/life/lifecycle.hpp"'

# A folder that is not listed, and an include that may be any.
refused() {
  rm -rf "${copy:?}/tree"
  mkdir "$copy/tree"
  cp -r "$source_dir/agent" "$source_dir/interpose" "$source_dir/report" "$copy/tree"
  mkdir -p "$(dirname "$copy/tree/$1")"
  printf '%s\n' "$2" >>"$copy/tree/$1"
  if "$source_dir/scripts/lint.d/arrows" "$copy/tree" >"$copy/said"; then
    echo "$2 in $1 was not found" >&2
    exit 1
  fi
  grep -qF "$1: $3" "$copy/said"
}
refused report/compare/runs.cpp '#include "report/cli/arguments.hpp"' "report/compare is in no layer"
refused interpose/new/calls.cpp '#include "interpose/hook/hook.hpp"' "interpose/new is in no layer"
refused agent/core/gap.cpp '#include HEADER' "an include that names no file"
