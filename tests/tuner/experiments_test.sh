#!/usr/bin/env bash
# experiments_test.sh: bench/experiments/run.sh on small cases, in a copy of what it needs: a pipeline whose
# search has made-up costs, beside an exhaustive search of these; the counts of combinations; transposes of tables;
# some of all layouts, sweeps and dedispersion of few trials on the device; plans beside a made-up peer. The page
# has what committed results say, and is complained of where not.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "${BASH_SOURCE[0]}")/costs.sh"
root=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

fail() { echo "failed: $*"; failed=$((failed + 1)); }
has() { grep -qE -- "$2" "$1" || fail "$1 lacks '$2': $(cat "$1")"; }
# refused PATTERN ARGUMENTS..: one sentence, exit code 2.
refused()
{
    local pattern=$1 code=0
    shift
    bench/experiments/run.sh "$@" >out 2>err || code=$?
    [ "$code" = 2 ] && grep -qE -- "$pattern" err && [ "$(wc -l <err)" = 1 ] || fail "run.sh $*: exit $code, expected '$pattern': $(cat err)"
}

# ---- what is committed
bench/experiments/run.sh page --check 2>"$work/log" || fail "the page: $(cat "$work/log")"

# Costs of pipelines at their own size fit these pipelines as they are, and nothing of them is missing.
for costs in bench/experiments/costs/own-size/*.json; do
    name=$(basename "$costs" .json)
    "$CORNERTURN" tune "bench/experiments/$name.json" -o "$work/$name.plan" --exhaustive --simulate "$costs" 2>"$work/log" ||
        fail "$costs: $(cat "$work/log")"
    grep -q '"complete":true' "$work/$name.plan" || fail "$costs: the search did not come to its end"
    ! grep -q '"status":"compile"' "$work/$name.plan.journal" || fail "$costs lacks a layout"
done

# ---- in a copy
mkdir -p "$work/bench/results" "$work/docs" "$work/examples"
cp -r bench/experiments "$work/bench/"
cp -r examples/devices "$work/examples/"
cp bench/results/TABLE.* bench/results/ZEN5.* "$work/bench/results/"
cp docs/experiments.md docs/tuning.md "$work/docs/"
cd "$work" || exit 1
cat >p.json <<'TEXT'
{ "cornerturn": 1, "block": { "T": 1024 }, "nodes": {
  "sky": { "stage": "source.simulate", "stations": 3, "samples": 4096 },
  "fir": { "stage": "fir", "input": "sky", "channels": 8, "taps": 4 },
  "fft": { "stage": "fft", "input": "fir", "fuse": false },
  "out": { "stage": "sink.npy", "input": "fft", "file": "spectra.npy" } } }
TEXT
costs fft cells >costs.json
for wrong in '--plan' '--turns 0 p.json' 'missing.json' ''; do
    # shellcheck disable=SC2086
    "$root/bench/peers/pipeline.sh" $wrong >out 2>err && fail "peers/pipeline.sh $wrong: no failure"
    [ "$(wc -l <err)" = 1 ] || fail "peers/pipeline.sh $wrong: expected a sentence, found $(cat err)"
done
if "$CORNERTURN" info devices >/dev/null 2>&1; then
    bench/experiments/run.sh p.json --simulate costs.json --exhaustive --rounds 3 --processes 1 --out o >out 2>log || fail "run.sh p.json: $(cat log)"
    [ "$(cat out)" = "$work/o/p.md" ] || fail "expected the name of p.md, found $(cat out)"
    [ "$(bash -c '. bench/experiments/picture.sh; picture o/p.md' | grep -cE '<rect .*fill="#(8c959f|2f6fb5)"')" -ge 12 ] || fail 'no picture of the steps'
    "$root/bench/peers/pipeline.sh" --plan default --plan o/p.plan.json --peer 'sed -u s/go/50/' --turns 1 p.json >out 2>log ||
        fail "peers/pipeline.sh: $(cat log)"
    for line in '^\| plan default \| [0-9.]+ \| \|$' '^\| plan p.plan.json \| [0-9.]+' '^\| .* \| 50000.0 \| [0-9.]+ [0-9.]+ \|$'; do
        has out "$line"
    done
    for line in '^### p$' '^On .* cores; ' '^Tuned in [0-9]+ s: [0-9]+ measurements of 720 cells' '^to the end of the search' \
        '^\| tuned \| 1024 \| [0-9.e-]+ \| [0-9.e-]+ \| [0-9.]+ \| [0-9.]+ to ' '^\| fft \| [SPTC]* > [SPTC]* \|' '^\| block \|' '^#### Transposes$' \
        '^[0-9]+ of [0-9]{4} cells and transposes were measured, [0-9.]+ %' '^\| exhaustive \| .* 1.0000 \| - \|$' 'Chosen, with 0\.'; do
        has o/p.md "$line"
    done
    grep -q "$work" o/p.md o/p.json && fail 'results name places on this machine'
    grep -q '"name": "tuned"' o/p.json || fail 'p.json lacks the plan'
    [ -s o/p.html ] && [ -s o/p.costs ] && [ -s o/p.plan.json.journal ] || fail "not all was left: $(ls o)"
    cp o/p.plan.json tuned.json && cp o/p.plan.json.journal tuned.json.journal
    bench/experiments/run.sh p.json --tuned tuned.json --rounds 2 --processes 1 --out again >out 2>log || fail "run.sh p.json --tuned: $(cat log)"
    has again/p.md "$(grep '^Tuned in ' o/p.md)"
    cmp -s o/p.plan.json again/p.plan.json || fail '--tuned made another plan'
    bench/experiments/run.sh dedispersion --setups lofar --dms '4 2' --every 9 --rounds 2 --out o --keep >out 2>log ||
        fail "run.sh dedispersion: $(cat log)"
    for line in '^\| lofar \| 4 \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| 3 \|.*VECTOR_T=' '^One for all, lofar: VECTOR_T=[0-9]+ '; do
        has o/dedispersion-small.md "$line"
    done
    [ "$(grep -c '^"lofar [24]: .*": \[[0-9.]*\]' o/dedispersion-small.json)" = 8 ] || fail 'dedispersion-small.json lacks sets'
    [ -s bench/results/experiments/dedispersion-small.svg ] || fail '--keep did not draw it'
    grep -qF "$(grep '^| lofar | 4 ' o/dedispersion-small.md)" docs/experiments.md || fail '--keep did not put the table into the page'
    bench/experiments/run.sh layouts --every 144 --rounds 2 --out o >out 2>log || fail "run.sh layouts: $(cat log)"
    [ "$(grep -cE '^"P[SCT]{3}( P[SCT]{3}){3} P[BCT]{3}": \[([0-9.]+, ){4}[0-2]\]' o/layouts-small.json)" = 6 ] || fail "layouts: $(cat o/layouts-small.json)"
    for line in '^\| [0-2] \| [1-6] \| [0-9.]+ \|' '^\| transposes as measured \| [0-9.]+ %' 'Within 5 % of the best: '; do
        has o/layouts-small.md "$line"
    done
    bench/experiments/run.sh sweep --every 31 --rounds 2 --out o >out 2>log || fail "run.sh sweep: $(cat log)"
    has o/sweep-small.md '^\| fir \| memory \| [0-9]+ \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| NONTEMPORAL='
    for each in layouts sweep; do
        [ "$(bash -c ". bench/experiments/picture.sh; picture o/$each-small.md" | grep -cE '<(circle|rect)')" -ge 3 ] || fail "no picture of $each"
    done
fi
bench/experiments/run.sh thesis --out o --keep >out 2>log || fail "run.sh thesis: $(cat log)"
has o/thesis.json '^\{ "pipeline1": 864, "pipeline2": 31104 \}$'
grep -qE '^\| together .* 31104 \|$' docs/experiments.md || fail 'the page lacks the counts'
bench/experiments/run.sh transposes --out o --keep >out 2>log || fail "run.sh transposes: $(cat log)"
for line in '^\| Intel.* \| 8 \| 8 \| [0-9.]+ \|' '^AMD EPYC: of two .* in [0-9]+ %\.$' '^\| PTCS \| 8 \| [0-9.]+ \| [0-9.]+ \|$'; do
    has o/transposes.md "$line"
done

# What goes wrong with one of all leaves the others.
bench/experiments/run.sh all --simulate missing.json --every 10000 --dms 2 --setups vla --out a --keep >out 2>log && fail 'all went well without costs'
has log 'went wrong: pipeline1 pipeline2 fanout search layouts sweep dedispersion$'
[ "$(echo a/*.md)" = 'a/thesis.md a/transposes.md' ] || fail "all left $(cat out) and $(ls a)"

# ---- the page and results that differ
bench/experiments/run.sh page --check 2>log || fail "the page that was made: $(cat log)"
sed -i 's/31104/31105/' docs/experiments.md
bench/experiments/run.sh page --check 2>log && fail 'a number that was changed by hand is not noticed'
has log 'docs/experiments.md is not what its results make'
bench/experiments/run.sh page || fail 'the page made anew'
sed -i -E 's/some [0-9]+ x 10\^[0-9]+ plans/some 1 x 10^26 plans/' docs/tuning.md bench/results/experiments/thesis.md
bench/experiments/run.sh page --check 2>log && fail 'stale counts are not noticed'
has log 'the counts of bench/results/experiments/thesis.md are not those of today'
has log 'the count of docs/tuning.md is not that of today'
bench/experiments/run.sh thesis --out o --keep >out 2>log || fail "run.sh thesis: $(cat log)"
bench/experiments/run.sh page && bench/experiments/run.sh page --check 2>log || fail "the page made anew: $(cat log)"
if [ -e bench/results/experiments/dedispersion-small.svg ]; then
    grep -q '^!\[dedispersion-small\](\.\./bench/results/experiments/dedispersion-small.svg)$' docs/experiments.md || fail 'the page lacks a picture'
    [ "$(grep -o '<circle' bench/results/experiments/dedispersion-small.svg | wc -l)" = 6 ] || fail 'the picture lacks points'
    sed -i 's/<circle/<Circle/' bench/results/experiments/dedispersion-small.svg
    bench/experiments/run.sh page --check 2>log && fail 'a picture that was changed by hand is not noticed'
    has log 'dedispersion-small.svg is not what is drawn'
    bench/experiments/run.sh page || fail 'the picture made anew'
fi
echo text >bench/results/experiments/new.md
bench/experiments/run.sh page --check 2>log && fail 'results without a place are not noticed'
has log 'new.md has no place in docs'

# ---- what is refused
refused 'which experiment' --full
refused 'no experiment pipeline9' pipeline9
refused 'no option --ful' thesis --ful
refused 'a value is missing' thesis --out
refused 'one experiment at a time' thesis fanout
refused 'no set-up vla' dedispersion --setups vla --dms 2 --out o
refused 'missing.json: no such file' missing.json --out o
echo "$failed failed"
[ "$failed" -eq 0 ]
