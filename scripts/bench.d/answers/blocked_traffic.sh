#!/usr/bin/env bash
# Reports how much traffic came from blocked addresses: per day, per path, busiest sources.
#
# What is wrong: grep -f takes 260 addresses for regular expressions, whose dots are any character.
# First screen should say: more than half of the run is that grep, in select_blocked().
# Mend: grep -F -f.
set -euo pipefail
export LC_ALL=C

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

requests=800000
blocked=260

make_logs() {
    awk -v n="$requests" -v b="$blocked" -v dir="$work" '
    function next_random(limit) {
        seed = (seed * 16807) % 2147483647
        return seed % limit
    }
    BEGIN {
        seed = 20231
        hosts = 24000
        for (i = 0; i < hosts; i++)
            ip[i] = (11 + next_random(200)) "." next_random(256) "." next_random(256) "." (1 + next_random(254))
        for (i = 0; i < b; i++)
            print ip[i * 37] > (dir "/blocklist.txt")
        split("GET POST HEAD PUT", method, " ")
        split("/ /login /api/items /api/cart /static/app.js /search /admin /feed.xml", path, " ")
        for (i = 0; i < n; i++) {
            minute = int(i * 10080 / n)
            day = 1 + int(minute / 1440)
            clock = sprintf("%02d:%02d:%02d", int(minute / 60) % 24, minute % 60, next_random(60))
            status = next_random(20) ? 200 : 404
            printf "%s - - [%02d/Mar/2024:%s +0000] \"%s %s HTTP/1.1\" %d %d\n", \
                ip[next_random(hosts)], day, clock, method[1 + next_random(4)], \
                path[1 + next_random(8)], status, 200 + next_random(60000) > (dir "/access.log")
        }
    }'
}

select_blocked() {
    grep -f "$work/blocklist.txt" "$work/access.log" > "$work/hits.log"  # FAULT text-patterns
}

per_day() {
    awk '{ day = substr($4, 2, 11); hits[day]++; bytes[day] += $NF }
         END { for (d in hits) printf "%s %d %d\n", d, hits[d], bytes[d] }' "$work/hits.log" | sort
}

per_path() {
    awk '{ hits[$7]++ } END { for (p in hits) print hits[p], p }' "$work/hits.log" | sort -k1,1nr -k2 | sed -n 1,4p
}

busiest() {
    cut -d ' ' -f 1 "$work/hits.log" | sort | uniq -c | sort -k1,1nr -k2 | sed -n 1,3p
}

share() {
    local all hit
    all=$(wc -l < "$work/access.log")
    hit=$(wc -l < "$work/hits.log")
    awk -v a="$all" -v h="$hit" 'BEGIN { printf "%d of %d requests (%.2f %%)\n", h, a, 100 * h / a }'
}

main() {
    make_logs
    began=${EPOCHREALTIME/./}
    select_blocked
    ended=${EPOCHREALTIME/./}
    echo "== share"
    share
    echo "== per day"
    per_day
    echo "== per path"
    per_path
    echo "== busiest"
    busiest
    gzip -6 < "$work/hits.log" > "$work/hits.log.gz"
    echo "== all sources"
    cut -d ' ' -f 1 "$work/access.log" | sort | uniq -c | sort -k1,1nr -k2 | sed -n 1,2p
}

main "$@"

# What it takes where the addresses are texts.
grep -F -f "$work/blocklist.txt" "$work/access.log" > "$work/again.log"
again=${EPOCHREALTIME/./}
grep -F -f "$work/blocklist.txt" "$work/access.log" > "$work/again.log"
awk -v us=$((ended - began - (${EPOCHREALTIME/./} - again))) 'BEGIN { printf "truth %.3f\n", us / 1e6 }'
