#!/usr/bin/env bash
# own_test.sh: a stage that is a page of JSON, by the verbs that know stages: bench, tune, plans in a file and in
# the store, run --resume; and where one of its files has changed, what they refuse. (verify, source and the rest
# are in docs_test.sh and plugin_test.sh.)
set -uo pipefail
: "${CORNERTURN:?the command to test}"
tests=$(pwd)/tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C POCL_AFFINITY=1 XDG_DATA_HOME=$work/data
failed=0

. "$tests/shared/check.sh"

has() { "$CORNERTURN" "${@:2}" 2>&1 | grep -E -- "$1"; }
pipeline() { sed 's/^ *//' <<END
    {"cornerturn": 1, "stages": ["power/power.json"], "block": {"T": 512}, "nodes": {
      "sky": {$1}, "pow": {"stage": "power", "input": "sky", "sum": 16},
      "out": {"stage": "sink.npy", "input": "pow", "file": "$2.npy", "layout": "SPT"}}}
END
}
check 'new-stage' "$CORNERTURN" new-stage power
pipeline '"stage": "source.simulate", "stations": 3, "samples": 16384' out >p.json
cl=power/power.cl
cp -p $cl same.cl
changed='planned for another stage power: its files have changed since (power/power.json, power/power.cl'

check 'bench, by its page' has '^\| power cf32 .* [0-9]' bench power/power.json --rounds 1 --budget 0

# ---- tuned

check 'run' "$CORNERTURN" run p.json
mv out.npy default.npy
check 'tune' "$CORNERTURN" tune p.json -o plan.json --budget 5 --only pow
check 'which has measured it' grep -q '"cell":"pow"' plan.json.journal
check 'a plan for the store: a search that has an end' "$CORNERTURN" tune p.json -o stored.json --only out
check 'which it has come to' grep -q '"complete":true' stored.json
check 'run by that plan' "$CORNERTURN" run p.json --plan plan.json
check 'with the same result' cmp out.npy default.npy
check 'run by the stored plan' has 'the stored plan .*/plans/' run p.json

# ---- its kernel changes

echo '/* another text */' >>$cl
check 'the plan is refused' says 3 "plan.json" "$CORNERTURN" run p.json --plan plan.json
check 'by the names of the files' grep -qF "/nodes/pow/digest: $changed" said
check 'so is the stored one' has "a stored plan is not used: .*/plans/.*: /nodes/pow/digest: planned for another stage power" run p.json
check 'which the run does without' cmp out.npy default.npy
check 'and the search does not go on' says 3 'plan.json.journal:1: /stages/pow: the journal is for another stage' \
    "$CORNERTURN" tune p.json -o plan.json --resume --budget 20
check 'for the files that are named' grep -qF 'its files have changed since (power/power.json, power/power.cl' said
cp -p same.cl $cl
check 'what it was is taken again' has 'the stored plan ' run p.json

# ---- taken up again

# stopped: a run is stopped once its journal says that blocks are done
stopped()
{
    "$CORNERTURN" run again.json --plan default --resume --checkpoint 0 & local run=$! code
    until [ "$(cat .cornerturn*.journal 2>/dev/null | wc -l)" -gt 3 ] || ! kill -0 $run 2>/dev/null; do sleep 0.01; done
    kill -TERM $run && wait $run
    code=$?
    [ $code -eq 130 ] && [ ! -e r.npy ]
}
yes 'any numbers' | head -c 6M >v.raw
pipeline '"stage": "source.raw", "file": "v.raw", "dims": "SPT", "type": "ci8", "sizes": {"S": 3, "P": 2}' r >again.json
check 'an undisturbed run' "$CORNERTURN" run again.json --plan default
mv r.npy whole.npy
check 'a run is stopped' stopped
echo '/* another text */' >>$cl
check 'its journal is refused' says 3 'the run of this journal had power/power.cl with another length or time of change' \
    "$CORNERTURN" run again.json --plan default --resume
cp -p same.cl $cl
check 'it goes on' has 'going on' run again.json --plan default --resume
check 'to the same end' cmp r.npy whole.npy

[ "$failed" -eq 0 ] && echo 'all as expected'
[ "$failed" -eq 0 ]
