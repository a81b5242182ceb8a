#!/bin/bash
# Takes each day's report out of a compressed archive and adds up its figures.
#
# What is wrong: tar runs once per report, and each run decompresses the whole archive to find its one member.
# First screen should say: the time is in tar/gzip: the same archive is decompressed anew for each of 36 members - extract
# them all at once.
# Mend: one tar -x into a folder, then read the files.
set -e
dir=$(mktemp -d ./reports.XXXXXX)
trap 'rm -rf "$dir"' EXIT
DAYS=36

make_archive() {
  mkdir "$dir/reports"
  for day in $(seq "$DAYS"); do
    awk -v day="$day" 'BEGIN { srand(day); for (i = 0; i < 16000; i++) printf "%d,shop%d,%d,%.2f\n", day, i % 37, int(rand() * 1000), rand() * 90 }' \
      >"$dir/reports/day-$day.csv"
  done
  tar -C "$dir" -czf "$dir/reports.tar.gz" reports
  rm -r "$dir/reports"
}

report() {
  tar -xzOf "$dir/reports.tar.gz" "reports/day-$1.csv" # FAULT many-processes
}

extract_all() {
  tar -C "$dir" -xzf "$dir/reports.tar.gz"
}

summary() {
  awk -F, '{ n[$2] += $3; sum[$2] += $3 * $4 } END { for (shop in n) printf "%s %d %.2f\n", shop, n[shop], sum[shop] }' | sort
}

make_archive
took=0
for day in $(seq "$DAYS"); do
  began=$EPOCHREALTIME
  report "$day" >"$dir/day.csv"
  took=$(bc <<<"$took + $EPOCHREALTIME - $began")
  summary <"$dir/day.csv" >>"$dir/summary"
done
awk '{ n += $2; sum += $3 } END { printf "pieces %d sum %.2f\n", n, sum }' "$dir/summary"
began=$EPOCHREALTIME
extract_all
echo "truth $(bc <<<"$took - ($EPOCHREALTIME - $began)")"
