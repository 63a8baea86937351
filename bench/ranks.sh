#!/usr/bin/env bash
# ranks.sh: what ranks gain and what they cost, in turns on one machine: the pipeline on one core without
# mpirun, as one rank of one core, and as N ranks of one core each. Pipeline 2 of the experiments at its 64
# stations, or another; its simulated voltages are written to a file first, which every run reads.
#
#   bench/ranks.sh [--ranks N] [--turns N] [--blocks N] [--cost] [--exchange] [PIPELINE.json]
#
# Prints each turn, then medians: ms a block, throughput over one rank's, and what mpirun costs one rank. A
# run's time is that of its blocks, without building kernels. --cost measures the last of these only, and
# better: with and without mpirun at once, each on a core of its own, and again on the other's, so that what
# slows the machine for a while slows both. --exchange runs bench.exchange after it.
# CORNERTURN names the command (build/cornerturn). Needs mpirun, taskset, awk.
set -euo pipefail
fail() { echo "ranks.sh: $1" >&2; exit 2; }
ranks=2 turns=7 blocks=6 exchange='' cost='' pipeline=$(dirname "$0")/experiments/pipeline2.json
while [ $# -gt 0 ]; do
    case $1 in
        --ranks | --turns | --blocks) [ $# -gt 1 ] || fail "$1: a value is missing"
            declare "${1#--}=$2"; shift 2 ;;
        --exchange | --cost) declare "${1#--}=yes"; shift ;;
        -*) fail "no option $1; the head of this script lists them" ;;
        *) pipeline=$1; shift ;;
    esac
done
command -v mpirun >/dev/null || fail "there is no mpirun here"
command=$(realpath "${CORNERTURN:-build/cornerturn}")
pipeline=$(realpath "$pipeline")
work=$(mktemp -d) memory=$(mktemp -d -p /dev/shm)
trap 'rm -rf "$work" "$memory"' EXIT
cd "$work"
export LC_ALL=C POCL_MAX_PTHREAD_COUNT=1
unset POCL_AFFINITY

# The line of the source becomes a source of its own, whose sink writes the file that the pipeline reads.
block=$(grep -o '"block": { "T": [0-9]*' "$pipeline" | grep -o '[0-9]*$') || fail "$pipeline has no \"block\" of T"
source=$(grep -o '"voltages": { "stage": "source.simulate".*' "$pipeline") || fail "$pipeline has no node \"voltages\" that simulates"
source=${source%,}
source=$(sed "s/\"samples\": [0-9]*/\"samples\": $((block * blocks))/" <<<"$source")
{
    sed '/"nodes"/,$d' "$pipeline"
    echo "\"nodes\": { $source, \"out\": { \"stage\": \"sink.npy\", \"input\": \"voltages\", \"file\": \"sky.npy\" } }, \"block\": { \"T\": $block } }"
} >make.json
sed 's/"voltages": {.*/"voltages": { "stage": "source.npy", "file": "sky.npy" },/; s/"file": "pipeline/"file": "out-/' "$pipeline" >run.json
"$command" run make.json --quiet

# The host of a virtual machine takes free memory back, and who touches it then waits: here, not within a run.
warm() {
    head -c 3G /dev/zero >"$memory/warm" 2>/dev/null || true
    rm -f "$memory/warm"
}

# ms a block of one run, from what it says when it is done.
one() {
    rm -f out-*
    [ -n "$cost" ] || warm
    "$@" "$command" run run.json 2>&1 | awk '/ blocks in / { print 1000 * $4 / $1; found = 1 } END { exit !found }'
}
core() { one taskset -c 0; }
job() { one mpirun --allow-run-as-root --bind-to core -n "$1"; }

# Both at once, without mpirun on this core and with it on that one.
both() {
    (cd without && one taskset -c "$1" >time) &
    (cd with && one taskset -c "$2" mpirun --allow-run-as-root --bind-to none -n 1 >time)
    wait $!
    echo "$(cat without/time) $(cat with/time)"
}
cost() {
    for name in with without; do
        mkdir $name
        sed 's/"sky.npy"/"..\/sky.npy"/' run.json >$name/run.json
    done
    both 0 1 >/dev/null
    for _ in $(seq "$turns"); do
        echo "$(both 0 1) $(both 1 0)" | tee -a turns
    done
    awk '{ print sqrt($2 / $1 * $4 / $3) }' turns | sort -g | awk '
        { cost[NR] = 100 * ($1 - 1) }
        END { printf "what mpirun costs one rank: %.1f %% (%.1f to %.1f in half of the turns)\n",
                     (cost[int((NR + 1) / 2)] + cost[int(NR / 2) + 1]) / 2, cost[int((NR + 3) / 4)], cost[int((3 * NR + 3) / 4)] }'
}
if [ -n "$cost" ]; then
    cost
    exit
fi
core >/dev/null; job "$ranks" >/dev/null # kernels are built here
for _ in $(seq "$turns"); do
    echo "$(core) $(job 1) $(job "$ranks")" | tee -a turns
done
awk -v ranks="$ranks" '
    function median(of, n,   i, k, t) {
        for (i = 2; i <= n; i++) for (k = i; k > 1 && of[k] < of[k - 1]; k--) { t = of[k]; of[k] = of[k - 1]; of[k - 1] = t }
        return n % 2 ? of[(n + 1) / 2] : (of[n / 2] + of[n / 2 + 1]) / 2
    }
    { alone[NR] = $1; one[NR] = $2; many[NR] = $3; cost[NR] = $2 / $1; gain[NR] = $2 / $3 }
    END {
        printf "ms a block: %.1f without mpirun, %.1f as one rank, %.1f as %d ranks\n", median(alone, NR), median(one, NR), median(many, NR), ranks
        printf "throughput of %d ranks over that of one: %.2f\nwhat mpirun costs one rank: %.1f %%\n", ranks, median(gain, NR), 100 * (median(cost, NR) - 1)
    }' turns
[ -z "$exchange" ] || mpirun --allow-run-as-root --bind-to core -n "$ranks" "$(dirname "$command")/bench.exchange"
