#!/bin/bash
# Nightly report over the access log: status mix, traffic per client, slowest request, and a
# compressed copy for the archive.
#
# What is wrong: Sorts the whole log to get its single slowest line.
# Mend: One awk pass keeping the maximum.
set -euo pipefail

rows=${1:-1100000}
work=$(mktemp -d /tmp/report.XXXXXX)
trap 'rm -rf "$work"' EXIT
log=$work/access.log

USUAL=0.14   # seconds per 620000 rows

make_log() {
    awk -v n="$rows" 'BEGIN {
        srand(42)
        for (i = 1; i <= n; i++) {
            ms = int(rand() * 9000) + rand() * rand() * 900
            if (i == int(n * 0.61)) ms = 31337.5
            printf "10.%d.%d.%d /api/v1/item/%d %d %.3f %d\n", rand() * 4, rand() * 9, rand() * 250, \
                rand() * 40000, (rand() < 0.97 ? 200 : 500), ms, rand() * 20000
        }
    }' > "$log"
}

status_mix() {
    awk '{ n[$3]++ } END { for (s in n) printf "status %s: %d\n", s, n[s] }' "$log" | LC_ALL=C sort
}

top_clients() {
    awk '{ b[$1] += $5; c[$1]++ } END { for (k in b) printf "%d %d %s\n", b[k], c[k], k }' "$log" |
        LC_ALL=C sort -k1,1nr -k3,3 | sed -n '1,5p' |
        while read -r bytes hits client; do
            printf '  %-14s %8d requests %12d bytes\n' "$client" "$hits" "$bytes"
        done
}

slowest_request() {
    LC_ALL=C sort -k4,4gr "$log" | sed -n 1p   # FAULT whole-sorts
}

error_paths() {
    awk '$3 >= 500 { split($2, p, "/"); e[p[5] % 10]++ } END { for (k in e) print k, e[k] }' "$log" | LC_ALL=C sort -n
}

archive() {
    gzip -2 -c "$log" > "$work/access.log.gz"
    gzip -t "$work/access.log.gz"
    printf 'archived %d lines\n' "$(wc -l < "$log")"
}

make_log
echo "== status"
status_mix
echo "== clients"
top_clients
echo "== slowest"
start=$EPOCHREALTIME
slowest=$(slowest_request)
stop=$EPOCHREALTIME
echo "$slowest"
echo "== errors by shard"
error_paths
archive
awk -v a="$start" -v b="$stop" -v u="$USUAL" -v n="$rows" 'BEGIN { printf "truth %.3f\n", b - a - u * n / 620000 }'
