#!/bin/bash
# Sums sales per region from a CSV export.
set -e
awk 'BEGIN{srand(3); for(i=0;i<220;i++) printf "%d,  region-%d ,%d.%02d,ok\n", i, i%7, rand()*900, rand()*99}' \
    > sales.csv
# innocent: the archive of the raw data
awk 'BEGIN{srand(5); for(i=0;i<200000;i++) printf "%d,%d,%.6f\n", i, i%1000, rand()}' > raw.csv
sort -t, -k3,3 raw.csv | gzip -6 > raw.csv.gz

declare -A sum
a=$EPOCHREALTIME
while IFS= read -r line; do
    region=$(echo "$line" | cut -d, -f2 | sed 's/^ *//; s/ *$//')   # FAULT many-processes
    cents=$(echo "$line" | cut -d, -f3 | sed 's/\.//')              # FAULT many-processes
    sum[$region]=$(( ${sum[$region]:-0} + 10#$cents ))
done < sales.csv
b=$EPOCHREALTIME
for r in "${!sum[@]}"; do echo "$r ${sum[$r]}"; done | sort
echo "truth $(echo "$b - $a" | bc)"
