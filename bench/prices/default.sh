#!/usr/bin/env bash
# default.sh BUILD SECONDS PIPELINE|SEED...: how near the default plan is to a tuned one: tunes each pipeline (a number: the
# random one of this seed) from nothing, for so many seconds, and prints how long the default takes, as a multiple of the
# tuned plan, with 95 % confidence. For a quiet machine.
set -euo pipefail
[ $# -ge 3 ] || { echo "usage: default.sh BUILD SECONDS PIPELINE|SEED..." >&2; exit 2; }
build=$1 seconds=$2
shift 2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_DATA_HOME=$work/data
member() { grep -o "\"$1\": *[0-9.]*" "$work/plan.json" | head -n 1 | sed 's/.*: *//'; }
echo '| pipeline | default, ms a block | of the tuned plan | 95 % |'
echo '|---|---:|---:|---|'
for name; do
    pipeline=$name
    if [[ "$name" =~ ^[0-9]+$ ]]; then
        pipeline=$work/$name.json
        python3 "$here/experiments/lofar_like.py" "$name" >"$pipeline"
    fi
    rm -f "$work"/plan.json*
    "$build/cornerturn" tune "$pipeline" -o "$work/plan.json" --budget "$seconds" --from none --no-store 2>"$work/log" ||
        { tail -n 1 "$work/log"; continue; }
    awk -v name="$(basename "$name" .json)" -v s="$(member default_seconds)" -v r="$(member ratio)" -v l="$(member low)" \
        -v h="$(member high)" 'BEGIN { printf "| %s | %.3g | %.3f | %.3f to %.3f |\n", name, 1e3 * s, 1 / r, 1 / h, 1 / l }'
done
