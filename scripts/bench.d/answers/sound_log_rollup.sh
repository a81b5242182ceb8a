#!/usr/bin/env bash
# Rolls up service logs of a day: merges four servers' files by time, counts errors, slowest calls, sessions.
#
# Sound: nothing is wrong. One awk pass per question, sorted inputs are merged with sort -m, sort runs on
#   both cores with enough memory, no process is started per line. The time goes to awk and sort.
set -euo pipefail
export LC_ALL=C
work=$(mktemp -d /tmp/log_rollup.XXXXXX)
trap 'rm -rf "$work"' EXIT

now() { echo "${EPOCHREALTIME/[.,]/}"; }
seconds() { printf '%d.%02d' $(($1 / 1000000)) $(($1 % 1000000 / 10000)); }

make_log() { # server number, lines: time server user call ms status
    awk -v s="$1" -v n="$2" 'BEGIN { srand(s); split("list get put search login pay", c, " "); t = 1710000000
        for (i = 0; i < n; i++) {
            t += rand() * 0.4
            printf "%.3f srv%d user%05d %s %d %d\n", t, s, rand() * 20000, c[int(rand() * 6) + 1],
                -log(1 - rand()) * 80, rand() < .985 ? 200 : 500 + int(rand() * 4) } }' > "$work/srv$1.log"
}

merge() { sort -m -k1,1n "$work"/srv?.log > "$work/day.log"; }

errors_by_call() {
    awk '$6 >= 500 { e[$4]++ } { n[$4]++ }
        END { for (c in n) printf "%-7s %7d calls %5.2f %% errors\n", c, n[c], 100 * e[c] / n[c] }' "$work/day.log" | sort -k2,2nr
}

quantiles() { # per call, from one sort by call and time
    sort -S 256M --parallel=2 -k4,4 -k5,5n "$work/day.log" > "$work/by_call"
    awk 'function show() { printf "%-7s p50 %4d p95 %4d p99 %4d ms\n", c, v[int(n * .5)], v[int(n * .95)], v[int(n * .99)] }
        $4 != c { if (n) show(); c = $4; n = 0 } { v[n++] = $5 } END { show() }' "$work/by_call"
}

sessions() { # a pause of ten minutes ends a session
    awk '{ if ($1 - last[$3] > 600) s[$3]++; last[$3] = $1 }
        END { for (u in s) { k += s[u]; if (s[u] > m) m = s[u] } printf "%d sessions, at most %d for one user\n", k, m }' "$work/day.log"
}

slowest() { awk '$5 > 600' "$work/day.log" | sort -k5,5nr | awk 'NR <= 5 { print $3, $4, $5 " ms" }'; }

begin=$(now)
make_log 1 260000 & a=$!
make_log 2 260000 & b=$!
wait "$a"; wait "$b"
make_log 3 260000 & a=$!
make_log 4 260000 & b=$!
wait "$a"; wait "$b"
merge
errors_by_call
quantiles
sessions
slowest
echo "total $(seconds $(($(now) - begin)))"
