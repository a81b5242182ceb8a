# Every interpreter found, kept busy in all ways. Sourced by scripts/soak.

# The interpreters that the tests would find, too: those of /usr/bin, then pyenv's, from 3.8 on, by their versions.
python_interpreters() {
  local program
  for program in /usr/bin/python3.[0-9]* $(printf '%s\n' "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/python3 | sort -V); do
    [[ $program =~ -config$ ]] && continue
    "$program" -I -c 'import sys; sys.exit(sys.version_info < (3, 8))' 2>/dev/null && echo "$program"
  done
}

soak_python() {
  local programs program load seconds name began verdict bare ended figures logs
  mapfile -t programs < <(python_interpreters)
  for program in "${programs[@]}"; do
    for load in pure threads generators asyncio exec fork; do
      seconds=3
      [[ $program = "${programs[0]}" || $program = "${programs[-1]}" ]] && seconds=30
      seconds=$(awk -v n=$seconds -v s="$scale" 'BEGIN { print n * s }')
      name=python.$("$program" -I -c 'import platform; print(platform.python_version())').$load
      bare=0 ended=0 verdict=same began=$EPOCHREALTIME
      # What a load prints does not depend on how long it runs.
      "$program" -W ignore "$root/tests/victims/python/loads.py" $load 0.1 >"$name.bare.out" 2>&1 || bare=$?
      LD_PRELOAD=$tree/libprof.so PROF_OUT=$work/$name.run PROF_QUIET=on PROF_CPU=10000 timeout -k 10 1800 \
        "$program" -W ignore "$root/tests/victims/python/loads.py" $load "$seconds" >"$name.out" 2>&1 || ended=$?
      [ $bare = $ended ] || verdict="DIFFERENT status"
      cmp -s "$name.bare.out" "$name.out" || verdict="DIFFERENT output"
      readable "$work/$name.run" || verdict="$verdict, UNREADABLE log"
      figures=$(/usr/bin/python3 "$here/python_figures.py" "$work/report.json") || verdict="$verdict, MISPLACED frames"
      logs=$(find "$work/$name.run" -name '*.proflog' | wc -l)
      if [ "$verdict" = same ]; then rm -rf "$work/$name".*; else failures=$((failures + 1)); fi
      row "$name" "exit $bare" "exit $ended" - "$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')" \
        "$logs" "$verdict: samples, groups, unplaced, rejected: $figures"
    done
  done
}
