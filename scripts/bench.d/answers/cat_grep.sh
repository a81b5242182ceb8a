#!/bin/bash
# Looks each user up in a list with cat and grep.
set -e
seq 1 4000 | sed 's/.*/user&:x:&/' > users
a=$EPOCHREALTIME
for i in $(seq 1 400); do
    id=$(cat users | grep "^user$i:" | cut -d: -f3)  # FAULT many-processes
    sum=$(( ${sum:-0} + id ))
done
b=$EPOCHREALTIME
echo "$sum"
echo "truth $(echo "$b - $a" | bc)"
