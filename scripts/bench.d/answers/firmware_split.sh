#!/bin/bash
# Splits a vendor firmware image into its partitions (by the table in its first sector),
# checks each part against the table and packs the parts for the mirror.
#
# What is wrong: Dd bs=1 to cut partitions out at byte offsets: two system calls per byte.
# Mend: bs=256K iflag=skip_bytes,count_bytes.
set -euo pipefail
export LC_ALL=C

scale=${1:-1}
work=$(mktemp -d /tmp/fw.XXXXXX)
trap 'rm -rf "$work"' EXIT
image=$work/router.img
out=$work/parts
mkdir "$out"

spent=0
USUAL=0.004   # seconds per part

names=(bootloader env dtb kernel splash recovery)
sizes=(262147 65551 48313 1572871 301123 524309)

build_image() {
    local i offset=512 table=
    for i in "${!names[@]}"; do
        local size=$(( sizes[i] * scale ))
        awk -v n="$size" -v seed="$i" 'BEGIN {
            srand(seed)
            while (len < n) {
                s = sprintf("%x:%d;%s ", rand() * 65536, rand() * 100, (rand() < .5 ? "init_clk" : "set_gpio"))
                len += length(s); printf "%s", s
            } }' | head -c "$size" > "$work/src.$i" || true
        local sum
        sum=$(sha256sum < "$work/src.$i")
        table+="${names[i]} $offset $size ${sum:0:16}"$'\n'
        offset=$(( offset + size ))
    done
    { printf '%-512s' "$table"; cat "$work"/src.?; } > "$image"
    rm "$work"/src.?
}

read_table() {
    head -c 512 "$image" | sed '/^ *$/d'
}

extract_part() {
    local name=$1 offset=$2 size=$3
    dd if="$image" of="$out/$name.bin" bs=1 skip="$offset" count="$size" status=none   # FAULT tiny-blocks
}

verify_part() {
    local name=$1 want=$2 sum
    sum=$(sha256sum < "$out/$name.bin")
    if [[ ${sum:0:16} == "$want" ]]; then
        printf '%-12s ok       ' "$name"
    else
        printf '%-12s DAMAGED  ' "$name"
        return 1
    fi
}

pack_part() {
    local name=$1 before after
    xz -6e -T1 -k "$out/$name.bin"
    before=$(stat -c %s "$out/$name.bin")
    after=$(stat -c %s "$out/$name.bin.xz")
    printf '%8d bytes, packed to %d%%\n' "$before" $(( 100 * after / before ))
}

# Share of the most frequent byte values; vendors' encrypted parts show up as flat.
byte_profile() {
    od -An -v -tu1 -w32 "$out/$1.bin" | awk '
        { for (i = 1; i <= NF; i++) n[$i]++; total += NF }
        END { for (b in n) { p = n[b] / total; h -= p * log(p) / log(2); if (p > top) top = p }
              printf "             entropy %.3f bits, top byte %.2f%%\n", h, 100 * top }'
}

micros() {
    local t=$EPOCHREALTIME
    echo $(( ${t/./} ))
}

build_image
parts=0
while read -r name offset size sum; do
    t0=$(micros)
    extract_part "$name" "$offset" "$size"
    t1=$(micros)
    spent=$(( spent + t1 - t0 ))
    parts=$(( parts + 1 ))
    verify_part "$name" "$sum"
    pack_part "$name"
    byte_profile "$name"
done < <(read_table)
echo "$parts parts from $(stat -c %s "$image") bytes"
awk -v s="$spent" -v n="$parts" -v u="$USUAL" 'BEGIN { printf "truth %.3f\n", s / 1e6 - n * u }'
