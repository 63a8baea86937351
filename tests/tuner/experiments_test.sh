#!/usr/bin/env bash
# experiments_test.sh: bench/experiments/run.sh on small cases, in a copy of what it needs: a pipeline whose
# search has made-up costs, beside an exhaustive search of these; the counts of combinations; dedispersion
# of few trials on the device; plans beside a made-up peer. The page
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

# ---- in a copy
mkdir -p "$work/bench" "$work/docs"
cp -r bench/experiments "$work/bench/"
cp docs/experiments.md "$work/docs/"
cd "$work" || exit 1
cat >p.json <<'TEXT'
{ "cornerturn": 1, "block": { "T": 1024 }, "nodes": {
  "sky": { "stage": "source.simulate", "stations": 3, "samples": 4096 },
  "fir": { "stage": "fir", "input": "sky", "channels": 8, "taps": 4 },
  "fft": { "stage": "fft", "input": "fir" },
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
        '^\| tuned \| [0-9.e-]+ \| [0-9.]+ \| [0-9.]+ to ' '^\| fft \| SPTC > SPTC \|' '^\| block \|' '^#### Transposes$' \
        '^[0-9]+ of [0-9]{4} cells and transposes were measured, [0-9.]+ %' '^\| exhaustive \| .* 1.0000 \| - \|$' 'Chosen, with 0\.'; do
        has o/p.md "$line"
    done
    grep -q "$work" o/p.md o/p.json && fail 'results name places on this machine'
    grep -q '"name": "tuned"' o/p.json || fail 'p.json lacks the plan'
    [ -s o/p.html ] && [ -s o/p.costs ] && [ -s o/p.plan.json.journal ] || fail "not all was left: $(ls o)"
    bench/experiments/run.sh dedispersion --setups lofar --dms 4 --budget 20 --rounds 2 --processes 1 --out o --keep >out 2>log ||
        fail "run.sh dedispersion: $(cat log)"
    has o/dedispersion-small.md '^\| lofar \| 4 \| [0-9.]+ \| [0-9.]+ \| [0-9.]+ \| [0-9]+'
    grep -q '"lofar 4": {"cornerturn_bench": 1' o/dedispersion-small.json || fail 'dedispersion-small.json lacks its case'
    [ -s bench/results/experiments/dedispersion-small.svg ] || fail '--keep did not draw it'
    grep -qF "$(grep '^| lofar | 4 ' o/dedispersion-small.md)" docs/experiments.md || fail '--keep did not put the table into the page'
fi
bench/experiments/run.sh thesis --out o --keep >out 2>log || fail "run.sh thesis: $(cat log)"
has o/thesis.json '^\{ "pipeline1": 864, "pipeline2": 31104 \}$'
grep -qE '^\| together .* 31104 \|$' docs/experiments.md || fail 'the page lacks the counts'

# What goes wrong with one of all leaves the others.
bench/experiments/run.sh all --simulate missing.json --dms 2 --setups vla --out a --keep >out 2>log && fail 'all went well without costs'
has log 'went wrong: pipeline1 pipeline2 fanout search dedispersion$'
[ "$(cat out)" = "$work/a/thesis.md" ] && [ "$(echo a/*.md)" = a/thesis.md ] || fail "all left $(cat out) and $(ls a)"

# ---- the page and results that differ
bench/experiments/run.sh page --check 2>log || fail "the page that was made: $(cat log)"
sed -i 's/31104/31105/' docs/experiments.md
bench/experiments/run.sh page --check 2>log && fail 'a number that was changed by hand is not noticed'
has log 'docs/experiments.md is not what its results make'
bench/experiments/run.sh page && bench/experiments/run.sh page --check 2>log || fail "the page made anew: $(cat log)"
if [ -e bench/results/experiments/dedispersion-small.svg ]; then
    grep -q '^!\[dedispersion-small\](\.\./bench/results/experiments/dedispersion-small.svg)$' docs/experiments.md || fail 'the page lacks a picture'
    [ "$(grep -o '<circle' bench/results/experiments/dedispersion-small.svg | wc -l)" = 2 ] || fail 'the picture lacks points'
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
