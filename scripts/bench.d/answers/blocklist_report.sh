#!/bin/bash
# Reports on the requests of blocked hosts in a web log: requests, bytes and
# last seen hour for each host of a block list.
#
# What is wrong: the report greps through the whole log once for every host
# of the list (and so reads the 20 MB log 130 times over).
# First screen should say: most of the time is in grep children, one per host
# of the list, each reading the whole log; own line the grep in report_hosts;
# some 40 % of the run.
# Mend: one awk pass over the log that knows all hosts.
set -u

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

make_log() {
    awk -v lines=260000 'BEGIN {
        srand(7)
        for (i = 0; i < lines; i++) {
            host = int(rand() * 180) "." int(rand() * 8) ".7." int(rand() * 250)
            printf "host=%s [%02d:%02d] \"GET /item/%d HTTP/1.1\" %d %d \"Mozilla/5.0 (X11)\"\n",
                host, i * 24 / lines, rand() * 60, rand() * 9000,
                rand() < 0.05 ? 404 : 200, 200 + rand() * 9000
        }
    }' > "$work/access.log"
}

make_list() {
    sed 's/^host=\([0-9.]*\) .*/\1/' "$work/access.log" | sort | uniq -c |
        sort -k1,1nr -k2,2 | head -"$1" | awk '{ print $2 }' > "$work/blocked"
}

host_line() {
    # host, requests, bytes, last hour from the host's lines on stdin
    awk -v host="$1" '
        { n++; bytes += $7; hour = substr($2, 2, 2) }
        END { printf "%-16s %5d %9d %s\n", host, n, bytes, hour }'
}

report_hosts() {
    while read -r host; do
        grep "host=$host " "$work/access.log" | host_line "$host"  # FAULT many-processes
    done < "$work/blocked"
}

status_table() {
    awk '{ count[$6]++; bytes[$6] += $7 } END { for (s in count) print s, count[s], bytes[s] }' \
        "$work/access.log" | sort
}

top_items() {
    grep -o '/item/[0-9]*' "$work/access.log" | sort | uniq -c | sort -k1,1nr -k2,2 | head -20
}

hourly() {
    cut -d'[' -f2 "$work/access.log" | cut -d: -f1 | sort | uniq -c
}

archive() {
    gzip -c "$work/access.log" > "$work/access.log.gz"
    echo "archive: $(stat -c %s "$work/access.log.gz") bytes"
}

now_us() { echo "${EPOCHREALTIME/./}"; }

make_log
make_list 130

began=$(now_us)
report_hosts > "$work/hosts"
ended=$(now_us)

echo "blocked hosts: $(wc -l < "$work/hosts")"
sort -k2,2nr -k1,1 "$work/hosts" | head -5
echo "status:"
status_table
echo "items:"
top_items | head -3
echo "hours: $(hourly | wc -l)"
archive

awk -v us=$((ended - began)) 'BEGIN { printf "truth %.3f\n", us / 1e6 }'
