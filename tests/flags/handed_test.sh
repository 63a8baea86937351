#!/usr/bin/env bash
# handed_test.sh: a step reads the mask of the step before it as it lies there, or made of flags where their layouts
# differ: the results are the same, also of what an earlier step has flagged and after the stream's end.
set -u
build=$(cd "$1" && pwd)
. "$(dirname "$0")/../shared/check.sh"
in_a_folder

# NODE: what the second of the steps that flag reads
pipeline() {
    cat <<END
{ "cornerturn": 1, "block": { "T": 1280 },
  "nodes": {
    "sky":   { "stage": "source.simulate", "kind": "filterbank", "channels": 64, "samples": 6000, "seed": 5 },
    "flag":  { "stage": "flag", "input": "sky", "window": 640, "threshold": 3.5, "run_threshold": 3 },
    "again": { "stage": "flag", "input": "$1", "window": 128, "threshold": 3 },
    "left":  { "stage": "zerodm", "input": "again", "mode": "fit", "window": 64, "type": "i8", "scale": 20 },
    "out":   { "stage": "sink.npy", "input": "left", "file": "out.npy" } } }
END
}

pipeline flag >both.json
"$build/cornerturn" explain both.json --plan default --save alike.json >said || fail "no plan"
grep -q '"F": "TC"' alike.json || fail "the default plan writes other masks: $(grep '"F"' alike.json)"
sed 's/"F": "TC"/"F": "CT"/' alike.json >apart.json
for plan in alike apart; do
    "$build/cornerturn" run both.json --plan $plan.json --quiet || fail "$plan does not run"
    mv out.npy $plan.npy
done
cmp alike.npy apart.npy || fail "a mask that is handed on flags something else"
# What the first step flags is seen in the result.
pipeline sky >one.json
"$build/cornerturn" run one.json --quiet 2>said || fail "one step does not run"
cmp -s out.npy alike.npy && fail "the first step's flags change nothing"
[ "$failed" -eq 0 ]
