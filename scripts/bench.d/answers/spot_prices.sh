#!/bin/bash
# Spot prices: hourly prices of a few years, compressed as they come; a line for each zone of the market.
#
# What is wrong: the whole file is unpacked again for each zone.
# First screen should say: one command reads the same file again and again, zcat in the loop over the zones, some 1.6 s.
# Mend: unpack it once.
set -e
export LC_ALL=C

make_prices() {
  awk 'BEGIN {
    srand(4)
    count = split("DK1 DK2 NO1 NO2 SE1 SE3 FI EE LT LV PL DE", zone, " ")
    for (hour = 0; hour < 120000; hour++)
      for (n = 1; n <= count; n++)
        printf "%d,%s,%.2f,%.1f,%.1f,%d\n", hour, zone[n], 40 + 30 * rand(), 900 * rand(), 400 * rand(), 1e6 * rand()
  }' | gzip -1 > prices.csv.gz
}

sum_up() {
  grep -F ",$1," all.csv | head -n 5000 | awk -F, '{ sum += $3; bought += $4 } END { printf "%.3f %.1f", sum / NR, bought }'
}

make_prices
us=0
for zone in DK1 DK2 NO1 NO2 SE1 SE3 FI EE; do
  began=${EPOCHREALTIME/./}
  zcat prices.csv.gz > all.csv # FAULT same-command
  us=$((us + ${EPOCHREALTIME/./} - began))
  echo "$zone $(sum_up "$zone")"
done
awk -v us=$us 'BEGIN { printf "truth %.3f\n", us * 7 / 8 / 1e6 }'
