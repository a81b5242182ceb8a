#!/bin/bash
# Mirror pull: fetches map tiles from (stand-ins for) slow mirrors, four at a time,
# then checks, packs and indexes them.
#
# What is wrong: pull_all starts four fetches and then waits for all four of them
# before it starts the next four; one slow mirror keeps three places empty.
# First screen should say: the script mostly waits, with one child left of four,
# at the `wait` in pull_all (line marked FAULT); on the average only some 1.7 of 4
# places are in use; no processor is busy meanwhile.
# Mend: wait -n as soon as four are running (or xargs -P 4).
set -eu
export LC_ALL=C

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
places=4
tiles=28

micros() {
    local t=$EPOCHREALTIME
    REPLY=${t/./}
}

# Seconds that the mirror of this tile takes to answer.
latency() {
    case $(($1 % 4)) in
        2) REPLY=0.$((62 + $1 % 7)) ;;
        *) REPLY=0.$((12 + $1 % 5)) ;;
    esac
}

fetch() {
    local tile=$1
    latency "$tile"
    sleep "$REPLY"
    awk -v seed="$tile" 'BEGIN { s = seed + 1
        for (i = 0; i < 4000; i++) { s = (s * 1103515245 + 12345) % 2147483648; print i % 64, int(i / 64), s % 5000 }
    }' > "$work/tile$tile.part"
    mv "$work/tile$tile.part" "$work/tile$tile.txt"
}

pull_all() {
    local tile
    for ((tile = 0; tile < tiles; tile++)); do
        fetch "$tile" &
        if (((tile + 1) % places == 0)); then
            wait # FAULT batch-waits
        fi
    done
    wait
}

check_all() {
    local tile sum
    for ((tile = 0; tile < tiles; tile++)); do
        read -r sum _ < <(cksum "$work/tile$tile.txt")
        printf '%s tile%s.txt\n' "$sum" "$tile"
    done > "$work/sums.txt"
}

index_all() {
    cat "$work"/tile*.txt |
        awk '{ h = int($3 / 10); n[h]++; x[h] += $1; y[h] += $2
               for (k = 1; k < 14; k++) slope[h % 50] += sin($3 * k / 900) / k }
             END { for (h in n) printf "%d %d %.2f %.2f %.3f\n", h, n[h], x[h] / n[h], y[h] / n[h], slope[h % 50] }' |
        sort -n > "$work/index.txt"
}

pack_all() {
    tar -C "$work" -cf - sums.txt index.txt $(cd "$work" && ls tile*.txt) | gzip -9 > "$work/tiles.tgz"
}

# What the pulls would take if each free place took the next tile at once.
packed_micros() {
    local tile slot best list='' free=(0 0 0 0) length last=0
    for ((tile = 0; tile < tiles; tile++)); do
        latency "$tile"
        length=$((10#${REPLY#0.} * 10000 + 14000))
        best=0
        for ((slot = 1; slot < places; slot++)); do
            ((free[slot] < free[best])) && best=$slot
        done
        free[best]=$((free[best] + length))
        ((free[best] > last)) && last=${free[best]}
    done
    REPLY=$last
}

micros; began=$REPLY
pull_all
micros; spent=$((REPLY - began))
check_all
index_all
pack_all
echo "$(wc -l < "$work/sums.txt") tiles, index $(cksum < "$work/index.txt"), packed $(($(stat -c %s "$work/tiles.tgz") / 1000)) kB"
packed_micros
saved=$((spent - REPLY > 0 ? spent - REPLY : 0))
printf 'truth %d.%03d\n' $((saved / 1000000)) $((saved / 1000 % 1000))
