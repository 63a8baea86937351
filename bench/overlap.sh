#!/usr/bin/env bash
# overlap.sh: what it brings that blocks travel between ranks while others are computed: ranks of one core each,
# over TCP through a slow network, which is this machine's own loopback in a network namespace with a token bucket (tbf):
# all ranks share its --rate; and by shared memory. Each with and without (--in-step), in turns.
# Pipeline 2 of the experiments at its 64 stations, or another.
#
#   bench/overlap.sh [--ranks N] [--turns N] [--blocks N] [--rate MBITS] [PIPELINE.json]
#
# Prints each turn, then medians in ms a block, and what is to be expected: hidden, a block takes the longer of its
# work and its travelling, else both. Work: what it takes in step by shared memory. Travelling: the bytes that have gone over the
# network, by its rate. CORNERTURN names the command (build/cornerturn). Needs mpirun, unshare, tc, root.
set -euo pipefail
fail() { echo "overlap.sh: $1" >&2; exit 2; }
ranks=2 turns=5 blocks=12 rate=2000 pipeline=$(dirname "$0")/experiments/pipeline2.json
while [ $# -gt 0 ]; do
    case $1 in
        --ranks | --turns | --blocks | --rate) [ $# -gt 1 ] || fail "$1: a value is missing"
            declare "${1#--}=$2"; shift 2 ;;
        -*) fail "no option $1; the head of this script lists them" ;;
        *) pipeline=$1; shift ;;
    esac
done
for tool in mpirun unshare tc; do command -v $tool >/dev/null || fail "there is no $tool here"; done
command=$(realpath "${CORNERTURN:-build/cornerturn}")
pipeline=$(realpath "$pipeline")
work=$(mktemp -d -p "${TMPDIR:-/dev/shm}") # a disk would be measured, too
trap 'rm -rf "$work"' EXIT
cd "$work"
export LC_ALL=C POCL_MAX_PTHREAD_COUNT=1 ranks
unset POCL_AFFINITY

# The simulated voltages are written to a file first, which every run reads.
block=$(grep -o '"block": { "T": [0-9]*' "$pipeline" | grep -o '[0-9]*$') || fail "$pipeline has no \"block\" of T"
source=$(grep -o '"voltages": { "stage": "source.simulate".*' "$pipeline") || fail "$pipeline has no node \"voltages\" that simulates"
source=$(sed "s/,$//; s/\"samples\": [0-9]*/\"samples\": $((block * blocks))/" <<<"$source")
{
    sed '/"nodes"/,$d' "$pipeline"
    echo "\"nodes\": { $source, \"out\": { \"stage\": \"sink.npy\", \"input\": \"voltages\", \"file\": \"sky.npy\" } }, \"block\": { \"T\": $block } }"
} >make.json
sed 's/"voltages": {.*/"voltages": { "stage": "source.npy", "file": "sky.npy" },/; s/"file": "pipeline/"file": "out-/' "$pipeline" >run.json
"$command" run make.json --quiet
# ms a block of one run, from what it says when it is done: HOW [OPTION]
cat >one.sh <<'END'
rm -f out-*
if [ "$1" = tcp ]; then
    ip link set lo up
    tc qdisc add dev lo root tbf rate "$rate"mbit burst 256k latency 50ms
    with="tcp,self --mca btl_tcp_if_include lo"
else
    with=self,vader
fi
bytes() { awk '$1 == "lo:" { print $10 }' /proc/net/dev; }
before=$(bytes)
timeout 120 mpirun --allow-run-as-root --bind-to core --mca btl $with -n "$ranks" "$command" run run.json $2 2>&1 |
    awk '/ blocks in / { print 1000 * $4 / $1; blocks = $1; found = 1 } END { print blocks >"blocks"; exit !found }'
sent=$(($(bytes) - before))
[ "$1" = memory ] || awk -v sent=$sent '{ print sent * 8e-3 / ENVIRON["rate"] / $1 }' blocks >travels
END
export command rate
memory() { bash one.sh memory "${1:-}"; }
network() { unshare -n bash one.sh tcp "${1:-}"; }

memory >/dev/null; memory --in-step >/dev/null # kernels are built here
echo "by shared memory: in step, overlapped; over the network: in step, overlapped"
for _ in $(seq "$turns"); do
    echo "$(memory --in-step) $(memory) $(network --in-step) $(network)" | tee -a turns
done
awk -v travels="$(cat travels)" -v rate="$rate" '
    function median(of, n,   i, k, t) {
        for (i = 2; i <= n; i++) for (k = i; k > 1 && of[k] < of[k - 1]; k--) { t = of[k]; of[k] = of[k - 1]; of[k - 1] = t }
        return n % 2 ? of[(n + 1) / 2] : (of[n / 2] + of[n / 2 + 1]) / 2
    }
    { a[NR] = $1; b[NR] = $2; c[NR] = $3; d[NR] = $4 }
    END {
        work = median(a, NR)
        printf "ms a block by shared memory: %.1f in step, %.1f overlapped\n", work, median(b, NR)
        printf "ms a block over %d Mb/s: %.1f in step, %.1f overlapped; sending takes %.1f, so expected: %.1f and %.1f\n", rate, median(c, NR),
            median(d, NR), travels, work + travels, (travels > work ? travels : work)
    }' turns
