#!/bin/bash
# Takes the scanner files of a stock count, loads them into a small database
# and compares the shelves with what the books say.
#
# What is wrong: the INSERTs go into sqlite3 without a transaction, so every
# single row is committed (journal file made, written, deleted) by itself.
# First screen should say: some half of the run the script waits for sqlite3,
# which spends it in commits (openat, pwrite, unlink: kernel time), one per row; own line
# the sqlite3 call in load_scans.
# Mend: BEGIN; before and COMMIT; after the rows.
set -u

work=$(mktemp -d -p /dev/shm)   # the count fits into memory
trap 'rm -rf "$work"' EXIT
db=$work/stock.db
shelves=120
per_shelf=360

scanner_files() {
    local s
    for ((s = 0; s < shelves; s++)); do
        awk -v s="$s" -v n="$per_shelf" 'BEGIN {
            srand(100 + s)
            for (i = 0; i < n; i++)
                printf "shelf%02d;art%05d;%d\n", s, rand() * 30000, 1 + rand() * 30
        }' > "$work/scan.$s"
    done
}

books() {
    awk 'BEGIN { srand(5); for (i = 0; i < 30000; i++) printf "art%05d;%d;%.2f\n", i, rand() * 60, rand() * 90 }' \
        > "$work/books.csv"
    sqlite3 "$db" <<SQL
CREATE TABLE books(article TEXT PRIMARY KEY, pieces INTEGER, price REAL);
CREATE TABLE scans(shelf TEXT, article TEXT, pieces INTEGER);
.separator ;
.import $work/books.csv books
SQL
}

scan_rows() {
    awk -F';' -v q="'" '{ printf "INSERT INTO scans VALUES(%s%s%s,%s%s%s,%d);\n", q, $1, q, q, $2, q, $3 }' \
        "$work"/scan.*
}

load_scans() {
    scan_rows > "$work/scans.sql"
    sqlite3 "$db" < "$work/scans.sql"  # FAULT sqlite-commits
}

differences() {
    sqlite3 -separator ' ' "$db" "
        WITH found AS (SELECT article, sum(pieces) AS pieces FROM scans GROUP BY article)
        SELECT count(*), sum(abs(coalesce(f.pieces, 0) - b.pieces)),
               round(sum(abs(coalesce(f.pieces, 0) - b.pieces) * b.price), 2)
        FROM books b LEFT JOIN found f USING (article)"
}

neighbours() {
    # articles that are often counted on the same shelf
    sqlite3 -separator ' ' "$db" "
        SELECT a.article, b.article, count(*) AS n
        FROM scans a JOIN scans b ON a.shelf = b.shelf AND a.article < b.article
        WHERE a.pieces > 20 AND b.pieces > 20
        GROUP BY 1, 2 ORDER BY n DESC, 1, 2 LIMIT 3"
}

simulate_recount() {
    # how large is the error when only some shelves are counted again
    awk -F';' '
        { shelf[NR] = $1; pieces[NR] = $3 }
        END {
            srand(3)
            for (round = 0; round < 240; round++) {
                sum = 0
                for (i = 1; i <= NR; i++) if ((i * 7 + round) % 120 < 30) sum += pieces[i]
                all += sum * 4
            }
            printf "recount estimate %.1f\n", all / 240
        }' "$work"/scan.*
}

scanner_files
books
began=${EPOCHREALTIME/./}
load_scans
ended=${EPOCHREALTIME/./}
echo "rows $(sqlite3 "$db" 'SELECT count(*) FROM scans')"
echo "differences $(differences)"
neighbours
simulate_recount
us=$((ended - began))
printf 'truth %d.%03d\n' $((us / 1000000)) $((us / 1000 % 1000))
