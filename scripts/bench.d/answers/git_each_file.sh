#!/bin/bash
# Asks git for the last change of each file, one by one.
set -e
git init -q .
git config user.name a
git config user.email a@example.org
for i in $(seq 300); do echo $i > f$i; done
git add f*
git commit -qm first
a=$EPOCHREALTIME
for f in f*; do
    git log -1 --format="%h $f" -- "$f" > "$f.log"  # FAULT many-processes
done
b=$EPOCHREALTIME
echo "truth $(echo "$b - $a" | bc)"
