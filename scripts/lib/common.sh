# What the scripts of this folder share. Sourced by them, not run.
#
# Defines: root (the repository's top folder), tree (the build folder: build/, or $BUILD_DIR), jobs (cores),
# say, warn, die, require_packages, build_tree, another_compiler, build_tools.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
tree=$(realpath -m "${BUILD_DIR:-$root/build}")
jobs=$(nproc)
# shellcheck source=packages.sh
source "$root/scripts/lib/packages.sh"

# A PROF_ variable or a preload of the caller's shell would end up in everything that is measured or tested here.
unset LD_PRELOAD "${!PROF_@}"

say() { printf '%s\n' "== $*"; }
warn() { printf '%s\n' "$(basename "$0"): $*" >&2; }
die() {
  warn "$*"
  exit 1
}

# missing_packages NAME...: prints those that are not installed, one a line.
missing_packages() {
  local name
  for name in "$@"; do
    case $(dpkg-query -W -f='${db:Status-Abbrev}' "$name" 2>/dev/null || true) in
      ii*) ;;
      *) printf '%s\n' "$name" ;;
    esac
  done
}

# packages_cost NAME...: " (512 MB to fetch, 2,345 MB on disk)", by apt-get's own account; nothing where it does not say.
packages_cost() {
  { LC_ALL=C apt-get install --no-install-recommends --assume-no "$@" 2>/dev/null </dev/null || true; } |
    sed -nE 's/^Need to get ([0-9.,]+ [kMG]?B).* of archives\.$/\1 to fetch/p
             s/^After this operation, (.*) of additional disk space will be used\.$/\1 on disk/p' |
    paste -sd, | sed -E 's/,([0-9.]+ [kMG]?B to|[0-9.]+ [kMG]?B on)/, \1/; s/^(.+)$/ (\1)/'
}

# require_packages NAME...: installs what is missing with apt-get, as root or by sudo. Without apt-get, or without the
# right to use it, says what is missing and goes on: the libraries may be there under other names, and if they are not,
# CMake says which one it misses. Touches the network only when something is missing.
require_packages() {
  local missing
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    if command -v dnf >/dev/null; then
      local name names=()
      for name in "$@"; do names+=("${packages_fedora[$name]:-$name}"); done
      warn "these must be there: dnf install ${names[*]}"
    else
      warn "not a Debian-like system; these must be there (Debian's names): $*"
    fi
    return 0
  fi
  mapfile -t missing < <(missing_packages "$@" | sort -u)
  [ ${#missing[@]} -eq 0 ] && return 0

  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
      warn "missing packages, and neither root nor sudo to install them: ${missing[*]}"
      return 0
    fi
    as_root=(sudo)
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y
    -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120)
  # Package lists may be old or absent; a source that does not answer must not stop us while the others do.
  "${apt[@]}" update </dev/null >/dev/null || warn "apt-get update complained; trying with the lists at hand"
  say "installing with apt-get$(packages_cost "${missing[@]}"): ${missing[*]}"
  "${apt[@]}" install --no-install-recommends "${missing[@]}" </dev/null >"${TMPDIR:-/tmp}/prof-apt.$$" 2>&1 || {
    cat "${TMPDIR:-/tmp}/prof-apt.$$" >&2
    rm -f "${TMPDIR:-/tmp}/prof-apt.$$"
    die "apt-get could not install: ${missing[*]}"
  }
  rm -f "${TMPDIR:-/tmp}/prof-apt.$$"
}

# build_tree DIR [CMAKE OPTION...] [-- TARGET...]: configures the repository into DIR (Ninja where there is one, else
# Make) and builds all of it, or the targets named.
build_tree() {
  local folder=$1 options=() targets=()
  shift
  # Said now and not after the minutes of a build: there is no way to quote them in LD_PRELOAD.
  case $folder in
    *[[:space:]:\$]*) die "$folder: no library can be preloaded from a path with blanks, colons or dollar signs" ;;
  esac
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  if [ $# -gt 0 ]; then
    shift
    targets=("$@")
  fi
  # A tree that was configured before keeps its generator: CMake refuses another one.
  local generator=()
  if [ ! -e "$folder/CMakeCache.txt" ] && command -v ninja >/dev/null; then generator=(-G Ninja); fi
  cmake -S "$root" -B "$folder" "${generator[@]}" "${options[@]}" >"$folder.configure.log" 2>&1 || {
    cat "$folder.configure.log" >&2
    die "cmake could not configure $folder"
  }
  rm -f "$folder.configure.log"
  cmake --build "$folder" --parallel "$jobs" ${targets[@]:+--target "${targets[@]}"}
}

# another_compiler TREE: a C++ compiler other than the one of that build folder: clang++, or else the newest g++-N, or g++.
# Nothing where there is none.
another_compiler() {
  local used candidate
  used=$(realpath "$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$1/CMakeCache.txt")")
  for candidate in clang++ $(compgen -c g++- | grep -E '^g\+\+-[0-9]+$' | sort -t- -k2 -n -r -u) g++; do
    if command -v "$candidate" >/dev/null && [ "$(realpath "$(command -v "$candidate")")" != "$used" ]; then
      echo "$candidate"
      return
    fi
  done
}

# build_tools: builds libprof.so and prof in $tree, and nothing else. A tree that was configured with the tests keeps them.
build_tools() {
  local options=()
  [ -e "$tree/CMakeCache.txt" ] || options=(-DBUILD_TESTING=OFF)
  build_tree "$tree" "${options[@]}" -- prof prof_agent
}
