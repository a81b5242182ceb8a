#!/usr/bin/env bash
# Turns a commit log into release notes: groups by type, numbers the entries, lists authors.
#
# What is wrong: each entry is added by writing the whole array out again, so that n entries are copied n / 2 times.
# First screen should say: two thirds of the run are in the line of read_history() that adds to entries.
# Mend: entries+=("...").
set -euo pipefail
export LC_ALL=C

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

commits=21000

make_history() {
    awk -v n="$commits" '
    function next_random(limit) {
        seed = (seed * 16807) % 2147483647
        return seed % limit
    }
    BEGIN {
        seed = 4711
        split("docs test chore build style ci", plain, " ")
        split("feat fix perf", shown, " ")
        split("parser api ui cache auth build store mail", scope, " ")
        split("handle retry rename split merge tidy guard limit", verb, " ")
        for (i = 1; i <= n; i++) {
            type = next_random(9) ? plain[1 + next_random(6)] : shown[1 + next_random(3)]
            printf "%08x|dev%02d|%s(%s): %s the %s step %d\n", next_random(2147483647), \
                next_random(40), type, scope[1 + next_random(8)], \
                verb[1 + next_random(8)], scope[1 + next_random(8)], next_random(900)
        }
    }' > "$work/history.txt"
}

declare -A by_type=() by_author=() by_scope=() by_step=()
entries=()
spent=0

read_history() {
    local began hash author subject kind scope text pattern='^([a-z]+)\(([a-z]+)\): (.*)$'
    while IFS='|' read -r hash author subject; do
        [[ $subject =~ $pattern ]] || continue
        kind=${BASH_REMATCH[1]}
        scope=${BASH_REMATCH[2]}
        text=${BASH_REMATCH[3]}
        by_type[$kind]=$(( ${by_type[$kind]:-0} + 1 ))
        by_author[$author]=$(( ${by_author[$author]:-0} + 1 ))
        by_scope[$scope]=$(( ${by_scope[$scope]:-0} + 1 ))
        [[ $text =~ step\ ([0-9]+) ]] && by_step[${BASH_REMATCH[1]}]=$hash
        [[ $kind == feat || $kind == fix || $kind == perf ]] || continue
        began=${EPOCHREALTIME/./}
        entries=("${entries[@]}" "$kind|$scope|${text^} (${hash:0:7})")  # FAULT shell-arrays
        spent=$(( spent + ${EPOCHREALTIME/./} - began ))
    done < "$work/history.txt"
}

write_section() {
    local wanted=$1 title=$2 area=$3 number=0 entry text
    printf '## %s: %s\n' "$title" "$area"
    for entry in "${entries[@]}"; do
        [[ $entry == "$wanted|$area|"* ]] || continue
        text=${entry#*|*|}
        text=${text//step/no.}
        number=$(( number + 1 ))
        printf '%4d. **%s** %s\n' "$number" "$area" "$text"
    done
}

write_notes() {
    local area
    for area in api auth build cache mail parser store ui; do
        write_section feat "Features" "$area"
        write_section fix "Fixes" "$area"
        write_section perf "Speed" "$area"
    done > "$work/notes.md"
}

summary() {
    local key
    echo "entries ${#entries[@]} notes $(wc -l < "$work/notes.md") lines"
    for key in feat fix perf docs test chore build style ci; do
        echo "$key ${by_type[$key]}"
    done
    for key in "${!by_author[@]}"; do
        echo "${by_author[$key]} $key"
    done | sort -k1,1nr -k2 | sed -n 1,3p
    echo "scopes ${#by_scope[@]} steps ${#by_step[@]} last ${by_step[17]}"
    sort "$work/notes.md" | cksum
}

main() {
    make_history
    read_history
    write_notes
    summary
}

main "$@"
awk -v us="$spent" 'BEGIN { printf "truth %.3f\n", us / 1e6 }'
