#!/bin/bash
# Prints a field of each of 80 files, with a Python interpreter for each.
set -e
PATH=/usr/bin:$PATH
for i in $(seq 80); do echo "{\"id\": $i, \"name\": \"item $i\"}" > item$i.json; done
a=$EPOCHREALTIME
for i in $(seq 80); do
    python3 -c 'import json, sys; print(json.load(sys.stdin)["name"])' < item$i.json  # FAULT many-processes imports
done
b=$EPOCHREALTIME
echo "truth $(echo "$b - $a" | bc)"
