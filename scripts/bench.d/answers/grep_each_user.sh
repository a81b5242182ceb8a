#!/bin/sh
# Counts the requests and the errors of each user in an access log.
#
# What is wrong: the whole log is searched with grep, twice, for each of the users; the time is users times the log.
# First screen should say: nearly all the time is in hundreds of grep processes, started by the loop of the script, that each
# read the same access.log from beginning to end: one pass (awk) would do.
# Mend: count all users in a single awk.
set -eu

make_log() {
  awk 'BEGIN {
    state = 42
    for (i = 0; i < 330000; i++) {
      state = (state * 16807) % 2147483647
      user = state % 90
      status = state % 37 == 0 ? 500 : state % 11 == 0 ? 404 : 200
      printf "10.0.%d.%d - user=u%03d [%06d] \"GET /shop/%d/item/%d HTTP/1.1\" %d %d\n", \
        state % 4, state % 250, user, i, state % 20, state % 9000, status, 200 + state % 7000
    }
  }' > access.log
}

now() {
  date +%s.%N
}

users() {
  i=0
  while [ $i -lt 90 ]; do
    printf 'u%03d\n' $i
    i=$((i + 1))
  done
}

count_users() {
  users | while read -r user; do
    all=$(grep -c "user=$user " access.log)  # FAULT many-processes
    bad=$(grep -c "user=$user .* 500 [0-9]*\$" access.log || true)  # FAULT many-processes
    echo "$user $all $bad"
  done
}

report() {
  sort -k3,3nr -k1,1 counts.txt | head -n 5 | while read -r user all bad; do
    echo "$user: $bad of $all requests failed"
  done
  awk '{ all += $2; bad += $3 } END { print "users", NR, "requests", all, "failed", bad }' counts.txt
}

make_log
began=$(now)
count_users > counts.txt
ended=$(now)
report
# One pass over a twentieth of the log tells what a single pass would take.
head -n 16500 access.log > some.log
before=$(now)
awk '{ all[$3]++; if ($(NF - 1) == 500) bad[$3]++ } END { print length(all) > "/dev/null" }' some.log
after=$(now)
awk -v a="$began" -v b="$ended" -v c="$before" -v d="$after" 'BEGIN { printf "truth %.3f\n", b - a - (d - c) * 20 }'
rm -f access.log some.log counts.txt
