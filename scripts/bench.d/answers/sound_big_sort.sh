#!/bin/bash
# SOUND: one big sort.
awk 'BEGIN{srand(9); for(i=0;i<2200000;i++) printf "%.8f,%d\n", rand(), i}' > big.csv
sort -t, -k1,1 -o sorted.csv big.csv
head -1 sorted.csv
