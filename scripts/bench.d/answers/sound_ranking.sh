#!/bin/bash
# Sound: ranks the pages of a large log by one pass of awk and sort each, and joins them with their titles.
#
# The time is in awk and sort, a handful of processes; there is nothing here that is worth mending.
set -e
export LC_ALL=C
dir=$(mktemp -d ./ranking.XXXXXX)
trap 'rm -rf "$dir"' EXIT

write_log() {
  awk 'BEGIN {
    srand(12)
    for (i = 0; i < 2500000; i++) {
      page = int(60000 * rand() * rand())
      printf "h%d page%05d %d %d\n", i % 977, page, 200 + (page % 50 == 0) * 204, int(rand() * 90000)
    }
  }'
}

write_log >"$dir/log"
awk 'BEGIN { for (i = 0; i < 60000; i++) printf "page%05d Title-of-%d\n", i, i * 7 % 1000 }' >"$dir/titles"
awk '$3 == 200 { print $2, $4 }' "$dir/log" | sort -k1,1 -k2,2n >"$dir/sizes"
awk '$1 != page { if (n) print page, n, sum; page = $1; n = sum = 0 } { n++; sum += $2 } END { print page, n, sum }' "$dir/sizes" >"$dir/pages"
join "$dir/pages" "$dir/titles" | sort -k2,2nr -k1,1 >"$dir/ranked"
head -3 "$dir/ranked"
