#!/usr/bin/env bash
# store_test.sh: plans that `tune` has stored, as other processes find them: `run` and `explain` say which one
# they take and why not another, for the same pipeline in other words, for other sizes, pins, cores and
# devices; what does not belong in the folder does no harm; two jobs store at the same time.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
verb=tune
. "$(dirname "${BASH_SOURCE[0]}")/costs.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C POCL_AFFINITY=1 XDG_DATA_HOME=$work/data
plans=$XDG_DATA_HOME/cornerturn/plans

# says NAME PATTERN ARGUMENTS..: the command succeeds, and a line of its standard error has the pattern
says() {
    local what=$1 pattern=$2
    shift 2
    "$CORNERTURN" "$@" >out 2>log || { fail "$what: $(cat log)"; return; }
    [ "$(grep -c 'plan' log)" -le 1 ] && grep -qE -- "$pattern" log || fail "$what: expected '$pattern': $(cat log)"
}
build() { says "$1" "$2" run "${@:3}" --build-only; }

# Of fir's tunables only the length of a tile is to be searched: the search is not what is tested.
cat >p.json <<'END'
{ "cornerturn": 1, "block": { "T": 1024 }, "nodes": {
  "sky": { "stage": "source.simulate", "stations": 3, "samples": 4096 },
  "fir": { "stage": "fir", "input": "sky", "channels": 8, "taps": 4, "tunables": {
    "CELL_T": 8, "SLIDE": 1, "VECTOR_C": 8, "TILE_C": 8, "TILE_S": 1, "TILE_P": 1, "WG": 1, "PREFETCH": 1, "NONTEMPORAL": 1 } },
  "out": { "stage": "sink.npy", "input": "fir", "file": "a.npy", "layout": "SPTC" } } }
END
build 'nothing is stored' '^built' p.json
[ "$(grep -c plan log)" = 0 ] || fail "nothing is stored: $(cat log)"
"$CORNERTURN" tune p.json -o s.json --only out 2>log || fail "tune: $(tail -n 3 log)"
grep -q '"complete":true' s.json && grep -q '"only":\["out"\]' s.json && grep -q '"date":"20' s.json || fail 'what the plan says of its search'
stored=$(echo "$plans"/*.json)
[ -f "$stored" ] || fail "not stored: $(ls -R data)"
sed -i 's/"ratio":[0-9.]*/"ratio":0.5/; s/"date":"[^"]*"/"date":"2026-01-02T03:04:05Z"/' "$stored"

# ---- the same in other words
taken="^[a-z]*.json: the stored plan $stored, 0.50 of the default plan's time, of 2026-01-02"
build 'the same' "$taken\$" p.json
cat >words.json <<'END'
{ "nodes": {
  "result": { "file": "b.npy", "comment": "of another name", "layout": "SPTC", "stage": "sink.npy", "input": "fir" },
  "fir": { "taps": 4, "channels": 8, "window": "hamming", "stage": "fir", "input": "voltages", "tunables": {
    "WG": 1, "TILE_S": 1, "TILE_P": 1, "PREFETCH": 1, "CELL_T": 8, "SLIDE": 1, "NONTEMPORAL": 1, "TILE_C": 8, "VECTOR_C": 8 } },
  "voltages": { "samples": 8192, "seed": 7, "stations": 3, "stage": "source.simulate" } },
  "block": { "T": 1024 }, "comment": "other words", "cornerturn": 1 }
END
build 'other words' "$taken\$" words.json
says 'explain' "$taken\$" explain p.json
grep -qE '^tuned on .* \(.*, [0-9]+ cores?\): 0.50 of the default plan.s time, 2026-01-02$' out || fail "explain: $(head -n 4 out)"
"$CORNERTURN" explain p.json --plan default >out 2>log
grep -q '^tuned' out && fail 'explain --plan default shows the stored one'
[ -s log ] && fail "explain --plan default: $(cat log)"
"$CORNERTURN" explain p.json --json >out 2>/dev/null && grep -q '"tuned"' out || fail 'explain --json lacks "tuned"'

# ---- other sizes, pins and outputs
build 'other sizes' "$taken, tuned for C=8 of \"fir\", here C=16" p.json --set fir.channels=16
build 'another pin' "$taken, tuned for other parameters or pins of \"fir\"" p.json --set 'fir.layout={"write": "CTSP"}'
build 'a dump' "$taken, tuned for other outputs" p.json --dump fir=x.npy
build 'exact' '^p.json: the default plan, a stored plan is not used: .*: tuned for S=3 of "sky", here S=5$' p.json --set sky.stations=5 --plan-match exact
sed 's/"fir", "file"/"fft", "file"/; s/"out"/"fft": { "stage": "fft", "input": "fir" }, "out"/' p.json >other.json
build 'another graph' '^built' other.json
[ "$(grep -c plan log)" = 0 ] || fail "another graph: $(cat log)"
"$CORNERTURN" run p.json --set fir.channels=16 --plan default 2>/dev/null && mv a.npy default.npy
"$CORNERTURN" run p.json --set fir.channels=16 2>/dev/null && cmp -s a.npy default.npy || fail 'another result by the nearest plan'

# ---- other cores and devices, and files
sed 's/"cores": "[0-9]*"/"cores": "77"/' s.json >far.json
build 'a file of other cores' '^p.json: the plan far.json was tuned elsewhere: its cores is "77", this one.s "' p.json --plan far.json
build 'a file of other sizes' '^p.json: the plan s.json, .*tuned for S=3 of "sky", here S=5' p.json --set sky.stations=5 --plan s.json --plan-match nearest
"$CORNERTURN" run p.json --plan far.json --plan-match device --build-only 2>log && fail 'another device was taken'
grep -q '^far.json: tuned elsewhere: its cores' log || fail "another device: $(cat log)"
"$CORNERTURN" run p.json --plan far.json --plan-match exact --build-only 2>log && fail 'another device was taken for exact'
"$CORNERTURN" run p.json --set sky.stations=5 --plan s.json --build-only 2>log && fail 'a file of other sizes was taken'
build 'a file that fits' '^built' p.json --plan s.json
[ "$(grep -c plan log)" = 0 ] || fail "a file that fits: $(cat log)"
cp "$stored" kept
sed -i 's/"vectors": "[^"]*"/"vectors": "none"/' "$stored"
build 'another processor' 'a stored plan is not used: .*its vectors is "none"' p.json
build 'another processor, nearest' 'the stored plan .*tuned elsewhere: its vectors is "none"' p.json --plan-match nearest

# ---- what does not belong there
head -c 300 kept >"$stored"
build 'a torn plan' "the default plan, a stored plan is not used: $stored" p.json
cp kept "${stored%.json}0.json"
build 'a torn one beside a whole one' "the stored plan ${stored%.json}0.json" p.json
rm -f "$plans"/*
sed 's/^    "fir": {/    "fur": {/' kept >"$stored"
build 'a node that is gone' 'the default plan, a stored plan is not used' p.json
rm -f "$plans"/* && mkfifo "$stored"
build 'a pipe' 'the default plan, a stored plan is not used' p.json
rm -f "$stored" && chmod 000 "$plans"
build 'a folder that cannot be read' '^built|plan' p.json
chmod 755 "$plans"

# ---- two jobs, which have nothing to search; with EXHAUSTIVE=1 both do
rm -f "$plans"/*
pins=(--set 'fir.tunables={"TILE_T": 8, "CELL_T": 8, "SLIDE": 1, "VECTOR_C": 8, "TILE_C": 8, "TILE_S": 1, "TILE_P": 1, "WG": 1, "PREFETCH": 1, "NONTEMPORAL": 1}')
[ -n "${EXHAUSTIVE:-}" ] && pins=()
"$CORNERTURN" tune p.json "${pins[@]}" -o one.json --only out >/dev/null 2>&1 & one=$!
"$CORNERTURN" tune words.json "${pins[@]}" -o two.json --only result >/dev/null 2>&1 & two=$!
wait "$one" && wait "$two" || fail 'two jobs'
[ "$(find "$plans" -type f | wc -l)" = 1 ] || fail "two jobs: $(ls -A "$plans")"
build 'two jobs' "^p.json: the stored plan [^ ]*, [0-9.]+ of the default plan's time, of [0-9-]+\$" p.json "${pins[@]}"
build 'two jobs, other words' "^words.json: the stored plan [^ ]*, [0-9.]+ of the default plan's time, of [0-9-]+\$" words.json "${pins[@]}"

[ "${failed:-0}" = 0 ] && echo 'store: found again'
exit $((${failed:-0} > 0))
