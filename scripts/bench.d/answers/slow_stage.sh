#!/bin/bash
# Nightly export: rows are filtered, tagged and compressed on their way out.
set -e
rows() { awk 'BEGIN{srand(11); for(i=0;i<130000;i++) printf "%07d user%d %d\n", i, i*7919%50000, rand()*1e6}'; }
tag() { sed 's/^/prod /'; }
a=$EPOCHREALTIME
rows | grep -v ' 1[0-9]*$' | tag | xz -6 > export.xz        # FAULT slow-stage
b=$EPOCHREALTIME
rows | grep -v ' 1[0-9]*$' | tag | cat > export.txt         # the same with no compression, to compare
c=$EPOCHREALTIME
wc -l < export.txt
echo "truth $(echo "($b - $a) - ($c - $b)" | bc)"
