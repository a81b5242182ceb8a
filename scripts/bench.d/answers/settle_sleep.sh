#!/bin/sh
# Starts the shards of a small store one after the other, loads their rows and adds up what they hold.
#
# What is wrong: after starting a shard the script sleeps for half a second "to let it come up", although the shard says that
# it is ready (a line in its FIFO) after some ten milliseconds.
# First screen should say: nearly all the time nothing runs: the script waits for "sleep 0.5" in start_shard, six times; wait
# for the shard's ready line instead.
# Mend: read the ready line and do not sleep.
set -eu

SHARDS="0 1 2 3 4 5"
lost=0

now() {
  date +%s.%N
}

# A shard: makes its table, says that it is ready, then answers one request from its FIFO.
shard() {
  awk -v shard="$1" 'BEGIN { for (i = shard; i < 60000; i += 6) print i, (i * 7919) % 10007 }' > "table.$1"
  now > "ready_at.$1"
  echo ready > "ready.$1"
  read -r request < "request.$1"
  case $request in
    sum) awk '{ sum += $2 } END { print sum }' "table.$1" > "answer.$1" ;;
    *) echo "?" > "answer.$1" ;;
  esac
}

start_shard() {
  mkfifo "ready.$1" "request.$1" "answer.$1"
  shard "$1" &
  sleep 0.5  # FAULT sleep-commands
  slept=$(now)
  read -r state < "ready.$1"
  [ "$state" = ready ]
  lost=$(echo "$lost $slept $(cat "ready_at.$1")" | awk '{ printf "%.6f", $1 + $2 - $3 }')
}

ask() {
  echo "$2" > "request.$1"
  read -r answer < "answer.$1"
  echo "$answer"
}

for shard in $SHARDS; do
  start_shard "$shard"
done
total=0
for shard in $SHARDS; do
  sum=$(ask "$shard" sum)
  echo "shard $shard holds $sum"
  total=$((total + sum))
done
wait
echo "total $total"
rm -f ready.* request.* answer.* table.* ready_at.*
echo "truth $lost"
