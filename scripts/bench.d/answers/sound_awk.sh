#!/bin/bash
# SOUND: one awk over all lines.
awk 'BEGIN { for (i = 0; i < 900000; i++) print i % 50, i * 7 % 1000 }' > sales
awk '{ sum[$1] += $2 } END { for (r in sum) print r, sum[r] }' sales | sort -n | head -3
