#!/bin/bash
# Converts chapters in the background, one at a time, and checks each when it is done.
#
# What is wrong: the script polls for the job's marker file with a sleep of a whole second, though most jobs take a fraction
# of one; the rest of each second is lost.
# First screen should say: the script spends nearly all its time in sleep 1, waiting for a background job that has long
# ended - use wait.
# Mend: wait for the job by its process id.
set -e
dir=$(mktemp -d ./convert.XXXXXX)
trap 'rm -rf "$dir"' EXIT

make_chapter() {
  awk -v n="$1" 'BEGIN { srand(n); for (i = 0; i < 120000; i++) printf "%d line %d says %d\n", n, i, int(rand() * 100000) }'
}

convert() {
  sort -k5,5n "$dir/chapter-$1.txt" | awk '{ seen[$5 % 997]++ } END { for (k in seen) print k, seen[k] }' | sort -n >"$dir/chapter-$1.out"
  echo "$EPOCHREALTIME" >"$dir/ended-$1.part"
  mv "$dir/ended-$1.part" "$dir/ended-$1"
}

lost=0
lines=0
for chapter in 1 2 3 4; do
  make_chapter "$chapter" >"$dir/chapter-$chapter.txt"
  convert "$chapter" &
  job=$!
  until [ -e "$dir/ended-$chapter" ]; do
    sleep 1 # FAULT sleep-commands
  done
  read -r ended <"$dir/ended-$chapter"
  lost=$(awk -v lost="$lost" -v now="$EPOCHREALTIME" -v ended="$ended" 'BEGIN { printf "%.6f", lost + now - ended }')
  lines=$((lines + $(wc -l <"$dir/chapter-$chapter.out")))
done
wait
echo "lines $lines"
echo "truth $lost"
