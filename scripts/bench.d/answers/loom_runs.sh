#!/bin/bash
# Loom runs: reads the punched strip of a loom (one long line of signs), finds the
# runs of the same sign, and draws up the thread list.
#
# What is wrong: read_strip walks over the strip by ${strip:i:1} in a UTF-8 locale
# (the strip has a few signs outside of ASCII): for each sign bash has to walk
# through the strip from its start (and measure it), so the work grows with the
# square of its length.
# First screen should say: the shell itself burns the processor, no child runs, in
# read_strip at the line with ${strip:i:1} (marked FAULT), over all 12500 rounds;
# the time per round depends on the length of the strip.
# Mend: while IFS= read -r -n1 sign; do ...; done <<< "$strip" (or cut it in pieces first).
set -eu
export LC_ALL=C.UTF-8

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
length=12500
declare -A names=([.]=weft ['#']=warp [o]=hook [=]=float [·]=rest [×]=knot)
declare -A used=()
runs=()

clock() {
    local t=$EPOCHREALTIME
    REPLY=${t/./}
}

make_strip() {
    awk -v n="$length" 'BEGIN { split(". # o = · ×", sign, " "); s = 3
        while (done < n) {
            s = (s * 1103515245 + 12345) % 2147483648
            k = int(s / 65536) % 6 + 1; r = int(s / 4096) % 5 + 1
            for (i = 0; i < r && done < n; i++) { printf "%s", sign[k]; done++ }
        }
        print "" }' > "$work/strip.txt"
}

close_run() {
    local sign=$1 count=$2
    ((count > 0)) || return 0
    runs+=("${names[$sign]} $count")
    used[$sign]=$((${used[$sign]:-0} + count))
}

read_strip() {
    local strip last='' count=0 i sign
    read -r strip < "$work/strip.txt"
    for ((i = 0; i < length; i++)); do
        sign=${strip:i:1} # FAULT none
        if [[ $sign == "$last" ]]; then
            count=$((count + 1))
        else
            close_run "$last" "$count"
            last=$sign
            count=1
        fi
    done
    close_run "$last" "$count"
}

thread_list() {
    local pass run name count metres=0 row=0 knots=0
    for ((pass = 0; pass < 14; pass++)); do
        for run in "${runs[@]}"; do
            name=${run% *}
            count=${run#* }
            case $name in
                warp) metres=$((metres + count * 14 + row % 3)) ;;
                weft) metres=$((metres + count * 11)) ;;
                float) metres=$((metres + count * 17 - row % 2)) ;;
                knot) knots=$((knots + count)) ;;
                *) metres=$((metres + count * 3)) ;;
            esac
            row=$((row + 1))
            printf '%05d %-6s %3d %8d %6d\n' "$row" "$name" "$count" "$metres" "$knots"
        done
    done > "$work/threads.txt"
}

summary() {
    local sign
    for sign in '.' '#' o = · ×; do
        printf '%s=%d ' "${names[$sign]}" "${used[$sign]:-0}"
    done
    awk '{ for (k = 1; k < 60; k++) w[$2] += sin($4 * k) / k } END { for (n in w) printf "%s %.4f\n", n, w[n] }' "$work/threads.txt" |
        sort > "$work/wobble.txt"
    sort -k2,2 -k3,3nr "$work/threads.txt" | cksum
}

make_strip
clock; began=$REPLY
read_strip
clock; spent=$((REPLY - began))
thread_list
summary
base=$((length * 12))
saved=$((spent > base ? spent - base : 0))
printf 'truth %d.%03d\n' $((saved / 1000000)) $((saved / 1000 % 1000))
