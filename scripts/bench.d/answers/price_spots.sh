#!/bin/bash
# Price spots: checks spots of a large price list (each 1500th article) against the
# rules of the till: check digit, price band, and a mark for the shelf.
#
# What is wrong: the whole list is taken into the shell with mapfile, though only
# 320 of its lines are wanted; the shell grows to some 45 MB, and each command
# substitution and each program it starts has to copy the page tables of that
# (fork takes some 2 ms instead of 0.5).
# First screen should say: the shell spends its time in fork (system time,
# copying a large address space) for the $(...) of check_spot, because the array
# `list` filled by mapfile (line marked FAULT) is large; mapfile itself takes some more.
# Mend: take only the wanted lines: mapfile -t list < <(awk 'NR % 1500 == 1' file).
set -eu
export LC_ALL=C

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
step=1500
articles=480000
spent=0
made=0

now() {
    local t=$EPOCHREALTIME
    REPLY=${t/./}
}

make_list() {
    awk -v n="$articles" 'BEGIN { s = 7
        for (i = 1; i <= n; i++) {
            s = (s * 1103515245 + 12345) % 2147483648
            printf "40%010d;%d.%02d;shelf %d\n", i * 7919 % 9999999967, s % 90 + 1, int(s / 97) % 100, int(s / 1009) % 400
        } }' > "$work/list.csv"
}

check_digit() {
    local code=$1 sum=0 i
    for ((i = 0; i < ${#code}; i++)); do
        ((sum += ${code:i:1} * (i % 2 ? 3 : 1))) || true
    done
    echo $(((10 - sum % 10) % 10))
}

band() {
    local cents=${1/./}
    if ((10#$cents < 1000)); then echo low
    elif ((10#$cents < 5000)); then echo middle
    else echo high
    fi
}

check_spot() {
    local code price shelf digit kind mark
    IFS=';' read -r code price shelf <<< "$1"
    digit=$(check_digit "$code")
    kind=$(band "$price")
    mark=$(printf '%s-%s' "${shelf#shelf }" "$kind" | cksum)
    printf '%s%s %s %s %s\n' "$code" "$digit" "$price" "$kind" "${mark%% *}" >> "$work/spots.txt"
    made=$((made + 1))
}

first_spots() {
    local line
    while read -r line; do
        check_spot "$line"
    done < <(head -n 60 "$work/list.csv")
}

take_spots() {
    local list n
    mapfile -t list < "$work/list.csv" # FAULT many-processes
    for ((n = 0; n < ${#list[@]}; n += step)); do
        check_spot "${list[n]}"
    done
}

shelf_totals() {
    awk -F';' '{ sum[$3] += $2; n[$3]++ }
        END { for (s in sum) printf "%s %.2f %d\n", s, sum[s] / n[s], n[s] }' "$work/list.csv" |
        sort -k3,3nr -k2,2n > "$work/totals.txt"
    sort -t';' -k2,2n "$work/list.csv" | tail -n 1 > "$work/dearest.txt"
}

make_list
now; began=$REPLY
first_spots
now; first=$((REPLY - began))
take_spots
now; spent=$((REPLY - began - first))
shelf_totals
echo "$made spots, $(sort -u "$work/spots.txt" | cksum), dearest $(< "$work/dearest.txt")"
base=$(((made - 60) * first / 60 + 60000))
saved=$((spent > base ? spent - base : 0))
printf 'truth %d.%03d\n' $((saved / 1000000)) $((saved / 1000 % 1000))
