# The host fuzzer (tests/hosts), seed after seed, bare and under libprof in all modes. Sourced by scripts/soak.

# What a name of a mode sets.
fuzz_mode() {
  case $1 in
    default) ;;
    exact) echo PROF_HEAP=exact ;;
    python-off) echo PROF_PYTHON=off ;;
    trace) echo PROF_TRACE=4M ;;
    often) echo PROF_CPU=5000 ;;
  esac
}

build_host() {
  local options=(-O1 -g -fno-inline -fno-optimize-sibling-calls -fno-builtin -D_GNU_SOURCE "-I$root" -pthread) source
  mkdir -p hosts
  for source in "$root"/tests/hosts/plugin_*.c; do
    cc "${options[@]}" -fPIC -shared -o "hosts/$(basename "$source" .c).so" "$source"
  done
  for source in "$root"/tests/hosts/*.c*; do
    case $source in
      */plugin_*) ;;
      *.c) cc "${options[@]}" -c -o "hosts/$(basename "$source").o" "$source" ;;
      *.cpp) c++ "${options[@]}" -fsized-deallocation -c -o "hosts/$(basename "$source").o" "$source" ;;
    esac
  done
  c++ -pthread -o hosts/host hosts/*.o -ldl
}

# fuzz_once SEED MODE: sets verdict. A failure keeps what was printed and the logs.
fuzz_once() {
  local seed=$1 mode=$2 bare=0 ended=0 arguments settings
  arguments=(--seed "$seed" --steps 150 --threads $((1 + seed % 6)))
  mapfile -t settings < <(fuzz_mode "$mode")
  rm -rf fuzz.run
  timeout -k 10 300 hosts/host "${arguments[@]}" >fuzz.bare.out 2>fuzz.bare.err </dev/null || bare=$?
  timeout -k 10 300 env LD_PRELOAD="$tree/libprof.so" PROF_OUT="$work/fuzz.run" PROF_QUIET=on "${settings[@]}" \
    hosts/host "${arguments[@]}" >fuzz.out 2>fuzz.err </dev/null || ended=$?
  verdict=same
  [ $bare = $ended ] || verdict="DIFFERENT status ($bare bare, $ended)"
  [ $bare = 0 ] || verdict="FAILED bare ($bare)"
  cmp -s fuzz.bare.out fuzz.out || verdict="$verdict, DIFFERENT outcome"
  readable "$work/fuzz.run" || verdict="$verdict, UNREADABLE log"
  [ "$verdict" != same ] || return 0
  mkdir -p "fuzz.$mode.$seed"
  mv fuzz.run fuzz.*out fuzz.*err "fuzz.$mode.$seed/" 2>/dev/null || true
  warn "fuzz: $verdict; settings: ${settings[*]:-none}; again: tests/hosts/host ${arguments[*]}"
}

# Two hours at full scale; each seed in one mode, the modes in turns.
soak_fuzz() {
  local modes=(default exact python-off trace often) verdict seed mode until n=0 began=$EPOCHREALTIME
  local -A runs=() bad=()
  build_host
  until=$((SECONDS + $(scaled 7200)))
  while [ $SECONDS -lt $until ]; do
    seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
    mode=${modes[n++ % ${#modes[@]}]}
    fuzz_once "$seed" "$mode"
    runs[$mode]=$((${runs[$mode]:-0} + 1))
    [ "$verdict" = same ] || bad[$mode]=$((${bad[$mode]:-0} + 1))
  done
  for mode in "${modes[@]}"; do
    verdict=same
    [ "${bad[$mode]:-0}" = 0 ] || verdict="DIFFERENT: ${bad[$mode]} seeds" failures=$((failures + 1))
    row "fuzz.$mode" - "${runs[$mode]:-0} seeds" - \
      "$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }')" - "$verdict"
  done
}
