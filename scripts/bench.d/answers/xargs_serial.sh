#!/bin/bash
# Packs eight files one after the other; xargs -P 2 would pack two at a time.
set -e
seq -f "%.0f some words" 1200000 > part1
for i in 2 3 4 5 6 7 8; do cp part1 part$i; done
a=$EPOCHREALTIME
ls part? | xargs -n 1 gzip  # FAULT jobs-one-by-one
b=$EPOCHREALTIME
echo "truth $(echo "scale=3; ($b - $a) / 2" | bc)"
