#!/bin/bash
# Gives each file of a checkout the date of its last commit, as a deployment step.
#
# What is wrong: git log -1 runs once for each file, and each run walks the history from the newest commit back until it
# meets one that touched the file.
# First screen should say: the time goes to hundreds of runs of `git log` (about 10 ms each, one after the other) - ask for
# all files in one run.
# Mend: a single git log --name-only whose output is read once.
set -e
dir=$(mktemp -d ./checkout.XXXXXX)
trap 'rm -rf "$dir"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null

make_history() {
  git init -q "$1"
  awk 'BEGIN {
    for (commit = 1; commit <= 1500; commit++) {
      print "commit refs/heads/main"
      printf "committer A Person <a@example.org> %d +0000\n", 1500000000 + commit * 3600
      print "data 3\nfix"
      for (k = 0; k < 3; k++) {
        file = (commit * 37 + k * 11) % (commit < 1100 ? 480 : 40)
        text = sprintf("commit %d of file %d\n", commit, file)
        printf "M 100644 inline src/part%d/file%d.txt\ndata %d\n%s\n", file % 26, file, length(text), text
      }
    }
    print "done" }' | git -C "$1" fast-import --quiet --done
  git -C "$1" checkout -q main
}

date_files() {
  while read -r name; do
    stamp=$(git -C "$dir" log -1 --format=%ct -- "$name") # FAULT many-processes
    touch -d "@$stamp" "$dir/$name"
  done
}

date_files_at_once() {
  git -C "$dir" log --format=@%ct --name-only | awk '/^@/ { stamp = $0; next } NF && !($0 in seen) { seen[$0]; print stamp, $0 }' |
    while read -r stamp name; do
      touch -d "$stamp" "$dir/$name"
    done
}

make_history "$dir"
began=$EPOCHREALTIME
git -C "$dir" ls-files | date_files
took=$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { print b - a }')
find "$dir/src" -type f -printf '%T@ %f\n' | sort | tail -1
began=$EPOCHREALTIME
git -C "$dir" log --format=@%ct --name-only >/dev/null
middle=$EPOCHREALTIME
git -C "$dir" ls-files | while read -r name; do touch -r "$dir/$name" "$dir/$name"; done
awk -v took="$took" -v a="$began" -v b="$middle" -v c="$EPOCHREALTIME" 'BEGIN { print "truth", took - (c - a) }'
