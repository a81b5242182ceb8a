#!/bin/bash
# Works out in which order the packages of a source tree can be built (each
# after those it needs), in waves, and writes a plan with sizes.
#
# What is wrong: the work queue is popped with queue=("${queue[@]:1}"), which
# copies the whole rest of the queue for every package taken.
# First screen should say: bash itself burns the CPU, no children; more than
# half of the run is the line queue=("${queue[@]:1}") in plan_order.
# Mend: leave the array alone and move an index (head) through it.
set -u

packages=2900
declare -A needs users missing size
declare -a queue order
pop_us=0

read_tree() {
    # name, size, needed packages - always such with lower numbers
    awk -v n="$packages" 'BEGIN {
        srand(11)
        for (i = 0; i < n; i++) {
            line = "pkg" i " " int(20 + rand() * 4000)
            if (i > n * 0.8)
                for (k = 0; k < 3; k++) line = line " pkg" int(rand() * i)
            print line
        }
    }'
}

load_tree() {
    local name bytes list one
    while read -r name bytes list; do
        size[$name]=$bytes
        needs[$name]=$list
        missing[$name]=0
        for one in $list; do
            users[$one]+=" $name"
            missing[$name]=$((missing[$name] + 1))
        done
    done < <(read_tree)
}

plan_order() {
    local name user t0
    for ((i = 0; i < packages; i++)); do
        ((missing[pkg$i] == 0)) && queue+=("pkg$i")
    done
    while ((${#queue[@]})); do
        name=${queue[0]}
        t0=${EPOCHREALTIME/./}
        queue=("${queue[@]:1}")  # FAULT shell-arrays
        pop_us=$((pop_us + ${EPOCHREALTIME/./} - t0))
        order+=("$name")
        for user in ${users[$name]-}; do
            missing[$user]=$((missing[$user] - 1))
            ((missing[$user] == 0)) && queue+=("$user")
        done
    done
}

write_plan() {
    # depth of a package = one more than its deepest need; start minute from
    # the sizes of what it needs
    local name one depth start sum=0
    declare -A deep ends
    local -a per_wave=()
    for name in "${order[@]}"; do
        depth=0 start=0
        for one in ${needs[$name]}; do
            ((deep[$one] + 1 > depth)) && depth=$((deep[$one] + 1))
            ((ends[$one] > start)) && start=${ends[$one]}
        done
        deep[$name]=$depth
        ends[$name]=$((start + size[$name] / 100 + 1))
        per_wave[depth]=$((${per_wave[depth]-0} + 1))
        sum=$((sum + size[$name]))
    done
    echo "packages ${#order[@]}, waves ${#per_wave[@]} (${per_wave[*]}), $sum kB"
}

check_plan() {
    # simulated builds on four machines, several times with other delays
    local round name m best
    for ((round = 0; round < 26; round++)); do
        local -a busy=(0 0 0 0)
        for name in "${order[@]}"; do
            best=0
            for m in 1 2 3; do
                ((busy[m] < busy[best])) && best=$m
            done
            busy[best]=$((busy[best] + size[$name] + round * 7))
        done
    done
    echo "four machines: ${busy[*]}"
}

load_tree
plan_order
write_plan
check_plan
printf 'truth %d.%03d\n' $((pop_us / 1000000)) $((pop_us / 1000 % 1000))
