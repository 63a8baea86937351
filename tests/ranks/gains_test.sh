#!/usr/bin/env bash
# gains_test.sh BUILD: gains that change with time, matrices, and flags of solutions, over several ranks and splits: the
# files of one process.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
build=$(cd "${1:-build}" && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/ranks.sh" "$build"

# pipeline OUT [PIN]: writes FOLDER/a.npy to d.npy; the split of the first delay may be pinned
pipeline()
{
    cat <<END
{ "cornerturn": 1,
  "nodes": {
    "sky": { "stage": "source.simulate", "samples": 4096, "type": "ci8",
             "stations": [[0, 0, 0], [31, -7, 1], [-120, 40, 0], [10, 10, 0], [-50, 20, 0]] },
    "ppf": { "stage": "ppf", "input": "sky", "channels": 16, "taps": 4 },
    "cal": { "stage": "delay", "input": "ppf", "delays": [[0], [1e-8], [-3e-9], [0], [0]],
             "gains": { "step_s": 0.008, "time": "linear",
      "amplitude": [[[[1], [2], [3]], [[2], [1], [1]]], [[[1], [null], [1]], [[1], [1], [1]]],
                    [[[2], [1], [2]], [[3], [1], [1]]], [[[1], [1], [1]], [[2], [2], [2]]],
                    [[[1], [2], [1]], [[1], [1], [1]]]],
      "phase": [[[[0], [1], [2]]], [[[3], [-3], [1]]], [[[0], [0], [0]]], [[[0], [1], [0]]], [[[2], [1], [0]]]] }${2:-} },
    "jones": { "stage": "delay", "input": "ppf", "delays": 0, "gains": { "amplitude":
      [[[1], [0.5], [0.1], [2]], [[1], [0], [0], [1]], [[1], [0], [1], [0]], [[1], [0], [0.5], [1]], [[1], [0.1], [0.2], [3]]] } },
    "vis": { "stage": "correlator", "input": "cal", "integrate": 16 },
    "other": { "stage": "correlator", "input": "jones", "integrate": 16 },
    "a": { "stage": "sink.npy", "input": "cal", "file": "$1/a.npy", "layout": "SPTC" },
    "b": { "stage": "sink.npy", "input": "vis.COUNTS", "file": "$1/b.npy" },
    "c": { "stage": "sink.npy", "input": "other", "file": "$1/c.npy" },
    "d": { "stage": "sink.npy", "input": "other.COUNTS", "file": "$1/d.npy" } },
  "block": { "T": 1024 } }
END
}

mkdir one && pipeline one >one.json
"$CORNERTURN" run one.json --quiet 2>err || fail "one process: $(cat err)"
# same N NAME [PIN]
same()
{
    rm -rf several && mkdir several
    pipeline several "${3:-}" >several.json
    ranks "$1" "$CORNERTURN" run several.json --quiet 2>err || fail "$2: $(cat err)"
    for file in a b c d; do
        cmp -s "one/$file.npy" "several/$file.npy" || fail "$2: another $file.npy"
    done
}
same 2 "two ranks, polarizations" ', "layout": { "read": "SP|TC", "write": "SP|TC" }'
same 3 "three ranks, stations" ', "layout": { "read": "S|PTC", "write": "S|PTC" }'
same 3 "three ranks, channels" ', "layout": { "read": "SPTC|", "write": "SPTC|" }'
same 7 "seven ranks"
echo "$failed failed"
[ "$failed" -eq 0 ]
