# Ordinary programs as people run them from PyPI and Debian (soak.d/hosts/table), bare and under libprof in several
# modes, again and again. Sourced by scripts/soak.

hosts=${here:?}/hosts

# host_rows: the rows of the table, or those that --hosts names: "name|from|packages|command", without blanks around.
host_rows() {
  sed -E '/^(#|$)/d; s/ *\| */|/g' "$hosts/table" |
    awk -F'|' -v only="${only_hosts:-}" 'BEGIN { n = split(only, names, ","); for (i = 1; i <= n; ++i) wanted[names[i]] }
                                         n == 0 || $1 in wanted'
}

# host_venv VENV PACKAGE...: the environment, made once and kept for later runs. What PyPI does not give, it says.
host_venv() {
  local python folder missing=()
  python=$("${HOSTS_PYTHON:-python3}" -c 'import sys; print(sys.executable)')
  folder=${HOSTS_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/prof-hosts}/$1-$("$python" -c \
    'import sys; print("%d.%d" % sys.version_info[:2])')
  shift
  [ -x "$folder/bin/pip" ] || "$python" -m venv "$folder" >&2 || return 1
  mapfile -t missing < <("$folder/bin/python" - "$@" <<'END'
import importlib.metadata, sys
for name in sys.argv[1:]:
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        print(name)
END
)
  if [ ${#missing[@]} -gt 0 ]; then
    "$folder/bin/pip" install -q --disable-pip-version-check "${missing[@]}" </dev/null >&2 || return 1
  fi
  echo "$folder/bin/python"
}

# host_once NAME MODE COMMAND...: runs it in a folder of its own and in a session of its own, of which nothing is left
# afterwards. Sets ended.
host_once() {
  local name=$1 mode=$2 settings=() session
  shift 2
  rm -rf "$name.$mode" "$name.$mode.run"
  mkdir "$name.$mode"
  if [ "$mode" != bare ]; then
    mapfile -t settings < <(mode_settings "$mode")
    settings+=(LD_PRELOAD="$tree/libprof.so" PROF_OUT="$work/$name.$mode.run" PROF_QUIET=on)
  fi
  (cd "$name.$mode" && exec setsid timeout -k 10 "${HOSTS_LIMIT:-300}" env HOME="$work/$name.$mode" \
    PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0 "${settings[@]}" "$@") >"$name.$mode.out" 2>"$name.$mode.err" </dev/null &
  session=$!
  ended=0
  wait $session || ended=$?
  pkill -KILL -s $session || true
}

# host_verdict NAME MODE BARE ENDED: prints what is different; nothing where all is the same.
host_verdict() {
  local name=$1 mode=$2
  [ "$3" = "$4" ] || echo "DIFFERENT status ($3 bare, $4)"
  cmp -s "$name.first.out" "$name.$mode.out" || echo "DIFFERENT output"
  [ -d "$name.$mode.run" ] || return 0
  if "$tree/prof" report "$name.$mode.run" --format json >hosts.json 2>hosts.err; then
    /usr/bin/python3 "$hosts/log_verdict.py" hosts.json "$name.$mode.run" || echo "UNREADABLE report"
  else
    echo "UNREADABLE run: $(tail -n 1 hosts.err)"
  fi
}

# host_stack RUNS NAME MODES COMMAND...: a row for each mode, and a line for each run that came out differently.
host_stack() {
  local runs=$1 name=$2 mode run ended first='' verdict began modes
  local -A bad=() seconds=()
  read -ra modes <<<"bare $3"
  shift 3
  for run in $(seq "$runs"); do
    for mode in "${modes[@]}"; do
      began=$EPOCHREALTIME
      host_once "$name" "$mode" "$@"
      seconds[$mode]=$(awk -v a="$began" -v b="$EPOCHREALTIME" -v s="${seconds[$mode]:-0}" 'BEGIN { print s + b - a }')
      if [ -z "$first" ]; then
        first=$ended
        cp "$name.$mode.out" "$name.first.out"
      fi
      verdict=$(host_verdict "$name" "$mode" "$first" "$ended")
      [ "$ended" = 0 ] || verdict="$verdict${verdict:+$'\n'}FAILED with $ended"
      [ -n "$verdict" ] || continue
      bad[$mode]=$((${bad[$mode]:-0} + 1))
      warn "hosts: $name, $mode, run $run: ${verdict//$'\n'/; }"
      mkdir -p "$name.bad"
      cp -r "$name.$mode" "$name.bad/$run.$mode"
      cp -r "$name.$mode".* "$name.first.out" "$name.bad/$run.$mode"
    done
  done
  for mode in "${modes[@]}"; do
    verdict=same
    [ "${bad[$mode]:-0}" = 0 ] || verdict="DIFFERENT: ${bad[$mode]} of $runs" failures=$((failures + 1))
    row "$name" "$mode" "$runs runs" - "$(awk -v s="${seconds[$mode]}" -v n="$runs" 'BEGIN { printf "%.1f", s / n }')" - \
      "$verdict"
  done
  rm -rf "$name.first.out" "$name".{bare,default,exact,calls}{,.*}
}

# Ten runs of each stack in each mode at full scale.
soak_hosts() {
  local name from packages command python words debian runs
  runs=$(scaled 10)
  for name in $(tr , " " <<<"${only_hosts:-}"); do
    grep -q "^$name  *|" "$hosts/table" || die "no such stack: $name"
  done
  while IFS='|' read -r name from packages command <&3; do
    read -ra words <<<"$command"
    if [[ $from = pypi-large:* && -z ${only_hosts:-} ]]; then
      row "$name" - - - - - "LEFT OUT: large; --hosts $name runs it"
      continue
    fi
    read -ra debian <<<"${packages_host[${name%%-*}]:-}"
    # A package that this system's archive does not have is no reason not to run the others.
    (require_packages "${debian[@]}") >&2 || {
      row "$name" - - - - - "SKIPPED: Debian does not give ${debian[*]}"
      continue
    }
    if [ "$from" = debian ]; then
      host_stack "$runs" "$name" "default exact" bash "$hosts/${words[0]}" "${words[@]:1}"
    else
      read -ra packages <<<"$packages"
      python=$(host_venv "${from#*:}" "${packages[@]}") || {
        row "$name" - - - - - "SKIPPED: PyPI does not give ${packages[*]}"
        continue
      }
      host_stack "$runs" "$name" "default exact calls" "$python" "$hosts/${words[0]}" "${words[@]:1}"
    fi
  done 3< <(host_rows)
}
