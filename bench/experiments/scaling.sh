#!/usr/bin/env bash
# scaling.sh NETWORK [TRACES]: what LOFAR's and SKA-Low's correlators would take on 2 to 64 machines like this one,
# predicted from a few subbands that are measured here: the tables of docs/scaling.md, in Markdown. With TRACES, a folder
# that has them, nothing is measured. CORNERTURN: the command.
set -euo pipefail
: "${CORNERTURN:?the command}"
network=${1:?the network, such as 100Gb/s,2us}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
traces=$(realpath "${2:-.}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/data"
cp "$here"/scaling-*.json "$work"
cd "$work"

# NAME STATIONS SUBBANDS ARGUMENTS..: the command on so many subbands; silence, of which the file has holes only
of() {
    local name=$1 stations=$2 subbands=$3 verb=$4
    shift 4
    truncate -s 0 data/scaling.raw
    truncate -s $((8 * 6144 * stations * 2 * subbands * 2)) data/scaling.raw
    "$CORNERTURN" "$verb" "scaling-$name.json" --set "sky.sizes={\"S\":$stations,\"P\":2,\"C\":$subbands}" "$@" 2>/dev/null
}

number() { grep -o "\"$1\": *[0-9.e+-]*" "$2" | head -n 1 | sed 's/.*: *//'; }

row() { # NAME STATIONS SUBBANDS RANKS
    of "$1" "$2" "$3" explain --ranks "$4" --network "$network" --journal "$traces/scaling-$1.trace" --json >row.json
    grep -o '"foretold".*' row.json >foretold.json
    awk -v ranks="$4" -v subbands="$3" -v signal="$(number block_s row.json)" -v block="$(number block_s foretold.json)" \
        -v device="$(number device_s foretold.json)" -v travel="$(number travel_s foretold.json)" -v host="$(number host_s foretold.json)" \
        -v efficiency="$(number efficiency foretold.json)" -v link="$(number link row.json)" -v sent="$(number sent row.json)" 'BEGIN {
        printf "| %d | %d | %.3g | %.3g | %.3g | %.3g | %.3g | %.2f | %.3g |\n", ranks, subbands, link / 1e6, sent / 1e6,
            1e3 * device, 1e3 * host, 1e3 * travel, efficiency, signal / block }'
}

table() { # NAME STATIONS SUBBANDS EACH: of the whole, or so many for each machine
    echo "| machines | subbands | per link, MB | per machine, MB | device, ms | host, ms | travels, ms | efficiency | times real time |"
    echo "|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for n in 2 4 8 16 32 64; do row "$1" "$2" $(($4 ? $4 * n : $3)) $n; done
}

for one in "lofar 72 488 8 8" "ska 512 384 6 2"; do
    set -- $one
    [ -f "$traces/scaling-$1.trace" ] || of "$1" "$2" "$5" run --trace --json >"$traces/scaling-$1.trace"
    printf '\n%s, strong\n\n' "$1"
    table "$1" "$2" "$3" 0
    printf '\n%s, weak\n\n' "$1"
    table "$1" "$2" 0 "$4"
done

# The same subbands here, on one core and as two ranks of one core each, whose exchange overlaps computing and after
# it, and what the first predicts of the second with the network as the two ranks probe it.
command -v mpirun >/dev/null || exit 0
unset POCL_AFFINITY # which would put both ranks on the first core
export POCL_MAX_PTHREAD_COUNT=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
command=$CORNERTURN
printf '\nmeasured here, seconds per block of 8 LOFAR subbands\n\n'
truncate -s 0 data/scaling.raw
truncate -s $((8 * 6144 * 72 * 2 * 8 * 2)) data/scaling.raw
here() { # N ARGUMENTS..: as so many ranks, a core each
    local n=$1
    shift
    mpirun --bind-to core -n "$n" "$command" "$@" --set 'sky.sizes={"S":72,"P":2,"C":8}' 2>/dev/null
}
here 1 run scaling-lofar.json >/dev/null # reads the file into the page cache
for round in 1 2 3; do
    for ranks in 1 2 "2 --in-step"; do
        here ${ranks%% *} run scaling-lofar.json --trace --json ${ranks#[12]} >ranks.json
        awk -v ranks="$ranks" -v wall="$(number wall_s ranks.json)" -v blocks="$(number blocks ranks.json)" \
            'BEGIN { printf "ranks: %s: %.4f\n", ranks, wall / blocks }'
        [ "$ranks" != 1 ] || cp ranks.json one.json
    done
done
here 2 explain scaling-lofar.json --journal one.json | sed -n '/^foretold/,/^$/p'
