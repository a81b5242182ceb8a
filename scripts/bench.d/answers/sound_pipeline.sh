#!/bin/sh
# Joins a month of mail logs with the list of customers: senders by volume, and customers that sent nothing.
set -eu
export LC_ALL=C

make_logs() {
  awk -v lines="$1" 'BEGIN {
    state = 7
    for (i = 0; i < lines; i++) {
      state = (state * 16807) % 2147483647
      box = int((state % 3000) * (state % 997) / 997)
      printf "2024-03-%02d relay%d queue=%08x from=<Box%04d@Example.org> size=%d status=%s\n", \
        1 + int(i * 30 / lines), state % 3, state, box, 900 + state % 40000, state % 41 ? "sent" : "deferred"
    }
  }' | split -l "$(($1 / 4))" - mail.log.
  gzip -1 mail.log.aa
}

make_customers() {
  awk 'BEGIN {
    for (i = 0; i < 3200; i++) printf "box%04d@example.org customer-%03d\n", i, i % 170
  }' | sort > customers
}

lines() {
  gzip -dc mail.log.aa.gz
  cat mail.log.ab mail.log.ac mail.log.ad
}

# sender, number of mails, bytes; in the order of the sender
volumes() {
  lines |
    grep 'status=sent$' |
    cut -d ' ' -f 4,5 |
    tr 'A-Z' 'a-z' |
    awk '{ box = substr($1, 7, length($1) - 7); mails[box]++; bytes[box] += substr($2, 6) }
      END { for (box in mails) print box, mails[box], bytes[box] }' |
    sort
}

# How often a queue number came twice.
repeated() {
  lines | cut -d ' ' -f 3 | sort | uniq -d | wc -l
}

report() {
  join customers volumes > joined
  awk '{ mails[$2] += $3; bytes[$2] += $4 } END { for (name in mails) printf "%s %d %.0f\n", name, mails[name], bytes[name] }' joined |
    sort -k3,3nr -k1,1 | head -n 5 |
    while read -r name mails bytes; do
      echo "$name: $mails mails, $((bytes / 1000000)) MB"
    done
  echo "silent boxes: $(join -v 1 customers volumes | wc -l)"
}

make_logs 900000
make_customers
volumes > volumes
report
echo "repeated queue numbers: $(repeated)"
echo "deferred: $(lines | grep -c 'status=deferred$')"
rm -f mail.log.* customers volumes joined
