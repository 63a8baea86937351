#!/usr/bin/env bash
# warm_start_test.sh: a tuning that begins from another's journal measures less and finds as good a plan;
# journals of tunings on a device are kept, and the next tuning of a like pipeline begins from them.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
verb=tune
. "$(dirname "${BASH_SOURCE[0]}")/costs.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C POCL_AFFINITY=1 XDG_DATA_HOME=$work/kept

# pipeline SAMPLES
pipeline()
{
    cat <<END
{ "cornerturn": 1, "block": { "T": 1024 }, "nodes": {
  "sky": { "stage": "source.simulate", "stations": 3, "samples": $1 },
  "fir": { "stage": "fir", "input": "sky", "channels": 8, "taps": 4 },
  "fft": { "stage": "fft", "input": "fir" },
  "out": { "stage": "sink.npy", "input": "fft", "file": "spectra.npy" } } }
END
}
number() { grep -o "\"$2\":[0-9.]*" "$1" | head -n 1 | cut -d: -f2; }

# ---- a journal by name: costs of the same, twice as large all of them
pipeline 4096 >p.json
pipeline 8192 >larger.json
costs fft cells '"noise": 0.03, ' >costs.json
"$CORNERTURN" tune larger.json -o larger.plan --simulate costs.json 2>log || fail "a first search: $(cat log)"
"$CORNERTURN" tune p.json -o cold.plan --simulate costs.json --from none 2>log || fail "from none: $(cat log)"
"$CORNERTURN" tune p.json -o warm.plan --simulate costs.json --from larger.plan.journal 2>log || fail "--from: $(cat log)"
cold=$(number cold.plan measured) warm=$(number warm.plan measured)
[ "$warm" -lt "$cold" ] || fail "from a journal $warm were measured, from nothing $cold"
awk -v w="$(number warm.plan ratio)" -v c="$(number cold.plan ratio)" 'BEGIN { exit !(w <= 1.05 * c) }' ||
    fail "from a journal the ratio is $(number warm.plan ratio), from nothing $(number cold.plan ratio)"
[ ! -e kept ] || fail "a simulated search is kept: $(find kept)"
head -n 1 cold.plan.journal | grep -q '"steps":{"fir":"fir","fft":"fft"}' || fail "the head has no steps: $(head -n 1 cold.plan.journal)"

# ---- what is no journal
refused 5 'nothing.journal: cannot be read' p.json -o no.plan --simulate costs.json --from nothing.journal
sed '2s/"seconds"/"secondz"/' larger.plan.journal >damaged.journal
refused 5 'damaged.journal:2: the line does not have its checksum' p.json -o no.plan --simulate costs.json --from damaged.journal
[ ! -e no.plan ] && [ ! -e no.plan.journal ] || fail 'a tuning that was refused leaves a file'

# ---- kept, on a device
"$CORNERTURN" tune larger.json -o one.plan --budget 6 2>log || fail "on a device: $(cat log)"
[ "$(find kept -name '*.journal' | wc -l)" = 1 ] || fail "kept is: $(find kept)"
cmp -s one.plan.journal kept/cornerturn/journals/*.journal || fail 'the kept journal is another one'
"$CORNERTURN" tune p.json -o two.plan --budget 6 2>log || fail "from what is kept: $(cat log)"
[ "$(find kept -name '*.journal' | wc -l)" = 2 ] || fail "both are kept: $(find kept)"
"$CORNERTURN" tune p.json -o two.plan --journal again --budget 6 2>log || fail "once more: $(cat log)"
[ "$(find kept -name '*.journal' | wc -l)" = 2 ] || fail "one pipeline on one device keeps one: $(find kept)"
exit $((failed > 0))
