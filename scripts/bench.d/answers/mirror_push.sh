#!/bin/bash
# Packs release folders and pushes them to the mirror, a few at a time. The mirror is a
# local stand-in that acknowledges a package after a time that depends on its size.
#
# What is wrong: Waits for the slowest of each batch of four before it starts the next four.
# Mend: Wait -n and refill the slot.
set -euo pipefail

jobs_max=4
packages=${1:-24}
work=$(mktemp -d /tmp/push.XXXXXX)
trap 'rm -rf "$work"' EXIT
mkdir "$work/src" "$work/mirror" "$work/log"

USUAL=0.03

# kilobytes per package, as in a typical release: a few large ones among many small ones
sizes=(40 900 60 50  30 45 1100 20  70 35 25 800  950 60 40 30  55 20 35 1000  30 860 45 65)

prepare() {
    local i
    for (( i = 0; i < packages; i++ )); do
        mkdir "$work/src/pkg$i"
        yes "package $i line of documentation and $(( i * 7919 % 1000 )) more" |
            head -c $(( sizes[i % ${#sizes[@]}] * 1024 )) > "$work/src/pkg$i/README" || true
        printf 'name=pkg%d\nversion=1.%d\n' "$i" $(( i % 5 )) > "$work/src/pkg$i/meta"
    done
}

mirror_ack() {
    local kb=$1
    sleep "$(( kb / 1000 )).$(printf %03d $(( kb % 1000 )))"
}

push_package() {
    local name=$1 kb from=$EPOCHREALTIME
    kb=$(( $(stat -c %s "$work/src/$name/README") / 1024 ))
    tar -C "$work/src" -czf "$work/mirror/$name.tar.gz.part" "$name"
    mirror_ack "$kb"
    mv "$work/mirror/$name.tar.gz.part" "$work/mirror/$name.tar.gz"
    echo "$name $kb $from $EPOCHREALTIME" > "$work/log/$name"
}

push_all() {
    local running=0 i
    for (( i = 0; i < packages; i++ )); do
        if (( running == jobs_max )); then
            wait   # FAULT batch-waits
            running=0
        fi
        push_package "pkg$i" &
        running=$(( running + 1 ))
    done
    wait
}

check_mirror() {
    local f n=0
    for f in "$work"/mirror/*.tar.gz; do
        tar -tzf "$f" > /dev/null
        sha256sum "$f" > "$f.sha256"
        n=$(( n + 1 ))
    done
    echo "$n packages on the mirror"
}

# Reference time from the logged pushes.
reference() {
    local i
    for (( i = 0; i < packages; i++ )); do cat "$work/log/pkg$i"; done |
        awk -v slots="$jobs_max" '{
            best = 0
            for (s = 1; s < slots; s++) if (free[s] < free[best]) best = s
            free[best] += $4 - $3
        } END { for (s = 0; s < slots; s++) if (free[s] > m) m = free[s]; printf "%.3f", m }'
}

prepare
start=$EPOCHREALTIME
push_all
stop=$EPOCHREALTIME
check_mirror
awk '{ kb += $2 } END { print kb " KB pushed" }' "$work"/log/*
awk -v a="$start" -v b="$stop" -v m="$(reference)" -v u="$USUAL" 'BEGIN { printf "truth %.3f\n", b - a - m - u }'
