#!/usr/bin/env bash
# power_blocks_test.sh: what `flag` flags of power is the same in blocks of every size, and in the whole stream as one.
set -u
build=$(cd "$1" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
bad=0
fail() { echo "$*"; bad=1; }

# BLOCK
pipeline() {
    cat <<END
{ "cornerturn": 1, "block": { "T": $1 },
  "nodes": {
    "sky":  { "stage": "source.simulate", "kind": "filterbank", "channels": 61, "samples": 6400, "seed": 5 },
    "flag": { "stage": "flag", "input": "sky", "window": 640, "threshold": 3.5, "run_threshold": 3 },
    "out":  { "stage": "sink.npy", "input": "flag.F", "file": "out.npy" } } }
END
}

for block in 6400 7 64 1000; do
    pipeline $block >one.json
    "$build/cornerturn" run one.json --quiet || { fail "blocks of $block"; continue; }
    mv out.npy "$block.npy"
    cmp -s "$block.npy" 6400.npy || fail "blocks of $block flag something else than one block"
done
# Something is flagged, and not all.
flagged=$(tail -c 390400 6400.npy | tr -d '\0' | wc -c)
[ "$flagged" -gt 100 ] && [ "$flagged" -lt 300000 ] || fail "$flagged of 390400 samples are flagged"
exit $bad
