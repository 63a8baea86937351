#!/usr/bin/env bash
# tune_test.sh: `tune` as a person uses it: a small pipeline on a device; a search on made-up costs that
# is killed at random moments and resumed; what is wrong is refused in a sentence, and nothing is lost.
# KILLS=n kills (3); SEED=n for the same moments again.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
verb=tune
. "$(dirname "${BASH_SOURCE[0]}")/costs.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C POCL_AFFINITY=1
seed=${SEED:-$RANDOM}
RANDOM=$seed

cat >p.json <<'END'
{ "cornerturn": 1, "block": { "T": 1024 }, "nodes": {
  "sky": { "stage": "source.simulate", "stations": 3, "samples": 4096 },
  "fir": { "stage": "fir", "input": "sky", "channels": 8, "taps": 4 },
  "fft": { "stage": "fft", "input": "fir" },
  "out": { "stage": "sink.npy", "input": "fft", "file": "spectra.npy" } } }
END

costs fft cells '"noise": 0.03, ' >costs.json

# ---- a search, and the same search again
"$CORNERTURN" tune p.json -o a.json --simulate costs.json 2>log || fail "a search: $(cat log)"
"$CORNERTURN" tune p.json -o b.json --simulate costs.json 2>log || fail "a search again: $(cat log)"
cmp -s <(grep -v pipeline a.json) <(grep -v pipeline b.json) || fail 'the same costs gave two plans'
grep -q '"complete":true' a.json || fail 'the search did not come to its end'
"$CORNERTURN" run p.json 2>log && mv spectra.npy default.npy || fail "run: $(cat log)"
"$CORNERTURN" run p.json --plan a.json 2>log || fail "run --plan: $(cat log)"
cmp -s <(head -c 128 default.npy) <(head -c 128 spectra.npy) || fail 'the file has another order under the plan'

for key in bound_seconds noise_seconds model_seconds samples signal_s low high; do
    grep -q "\"$key\":[0-9]" a.json && tail -n 1 a.json.journal | grep -q "\"$key\":[0-9]" || fail "no $key"
done

# ---- costs that have no transpose: a plan without any
costs fft cells '"noise": 0.03, ' | sed -n '1,2p' | sed 's/"transposes": {$/"transposes": {} }/' >whole.json
"$CORNERTURN" tune p.json -o w.json --simulate whole.json 2>log || fail "costs without transposes: $(cat log)"
! grep -q '"transpose"' w.json || fail 'a plan has a transpose that the costs lack'

# ---- killed, and resumed: nothing is measured twice, nothing is lost
lines=$(wc -l <a.json.journal)
kills=0
for _ in $(seq $((40 * ${KILLS:-3}))); do
    [ "$kills" -lt "${KILLS:-3}" ] || break
    rm -f k.json k.json.journal
    "$CORNERTURN" tune p.json -o k.json --simulate costs.json 2>/dev/null & search=$!
    sleep "0.0$(printf %02d $((RANDOM % 60)))"
    kill -9 "$search" 2>/dev/null
    wait "$search" 2>/dev/null
    # Too late, or before there was anything to lose.
    [ -e k.json ] || [ "$(wc -l 2>/dev/null <k.json.journal || echo 0)" -lt 3 ] && continue
    kills=$((kills + 1))
    cp k.json.journal before
    "$CORNERTURN" tune p.json -o k.json --simulate costs.json --resume 2>log || fail "--resume: $(cat log)"
    whole=$(grep -c '}$' before)
    cmp -s <(head -n "$whole" before) <(head -n "$whole" k.json.journal) || fail 'a line was lost'
    twice=$(grep -v '"more":true' k.json.journal | grep -o '"cell":.*"tunables":{[^}]*}' | sort | uniq -d)
    [ -z "$twice" ] || fail "measured twice: $twice"
done
[ "$kills" -gt 0 ] || fail 'no kill came while it searched'

# ---- on the device
"$CORNERTURN" tune p.json -o d.json --budget 15 --only fft 2>log || fail "on the device: $(tail -n 3 log)"
"$CORNERTURN" validate p.json --plan d.json >log 2>&1 || fail "its plan: $(cat log)"
grep -q '"cell":"fft"' d.json.journal || fail 'nothing was measured'
[ "$(grep -o '"cell":"fir","at":"[^"]*"' d.json.journal | sort -u | wc -l)" -le 1 ] ||
    fail 'fir was tuned, though only fft should be'
# What is the same work is measured once: of a node, or of all transposes.
grep -q '"cell":.*"same":"[0-9a-f]*"' d.json.journal || fail 'the journal does not say what is the same'
twice=$(grep -vE '"(more|taken)":true|"status":"(runtime|timeout)"' d.json.journal |
    sed -nE 's/.*"transpose":.*("same":"[0-9a-f]*").*/\1/p; s/.*("cell":"[^"]*").*("same":"[0-9a-f]*").*/\1\2/p' | sort | uniq -d)
[ -z "$twice" ] || fail "the same was measured twice: $twice"
# A dimension of extent 1 makes no layouts of its own: 2 x 6 and 6 x 6 for 6 x 24 and 24 x 24.
for count in '3 720' '1 48'; do
    "$CORNERTURN" tune p.json --dry-run --set sky.stations=${count% *} >log 2>&1 || fail "--dry-run: $(cat log)"
    grep -q "^${count#* } cells to measure" log || fail "--dry-run of ${count% *} stations: $(cat log)"
done
"$CORNERTURN" tune p.json -o i.json --budget 60 2>/dev/null & search=$!
for _ in $(seq 200); do [ "$(wc -l 2>/dev/null <i.json.journal || echo 0)" -gt 4 ] && break; sleep 0.05; done
kill -INT "$search"
wait "$search"; code=$?
[ "$code" = 130 ] || fail "SIGINT: exit $code"
grep -q '"complete":false' i.json || fail 'SIGINT: no plan'
sleep 0.3
pgrep -f "$CORNERTURN serve" >/dev/null && fail 'SIGINT: a worker is left'

# ---- the store: with nothing to choose, with EXHAUSTIVE=1 all tunables and all layouts of a sink
export XDG_DATA_HOME=$work/data
one=(--set out.layout=SPTC
    --set 'fft.tunables={"ENGINE": "native", "TILE_SPT": 16, "NONTEMPORAL": 1, "VECTOR_C": 1, "TILE_S": 1, "TILE_P": 1, "TILE_T": 16, "PREFETCH": 1, "WG": 1}'
    --set 'fir.tunables={"TILE_T": 8, "CELL_T": 8, "SLIDE": 1, "VECTOR_C": 8, "TILE_C": 8, "TILE_S": 1, "TILE_P": 1, "WG": 1, "PREFETCH": 1, "NONTEMPORAL": 1}')
[ -n "${EXHAUSTIVE:-}" ] && one=()
"$CORNERTURN" tune p.json "${one[@]}" -o s.json --only out --memory 100000000 2>log || fail "to the store: $(tail -n 3 log)"
grep -q '"complete":true' s.json || fail 'the search did not come to its end'
"$CORNERTURN" run p.json "${one[@]}" 2>log || fail "run: $(cat log)"
grep -q "the stored plan $XDG_DATA_HOME/cornerturn/plans/" log || fail "the stored plan is not taken: $(cat log)"
"$CORNERTURN" run p.json "${one[@]}" --set out.input=fir 2>log && grep 'plans/' log | grep -qv 'other outputs' && fail "a plan of other outputs was taken as it is: $(cat log)"
XDG_DATA_HOME=/proc/none "$CORNERTURN" tune p.json "${one[@]}" -o s.json --only out --memory 100000000 --resume 2>log || fail "without a store: $(tail -n 3 log)"
grep -q '^warning: the plan is not stored: /proc/none: cannot be made' log && grep -q '"complete": *true' s.json || fail "without a store: $(cat log)"
sed -i 's/"driver": "[^"]*"/"driver": "another"/' "$XDG_DATA_HOME"/cornerturn/plans/*.json
"$CORNERTURN" run p.json "${one[@]}" 2>log && grep -q 'not used: .*its driver is "another"' log || fail "a plan of another driver: $(cat log)"
"$CORNERTURN" run p.json "${one[@]}" --plan-match nearest 2>log && grep -q 'the stored plan' log || fail "--plan-match nearest: $(cat log)"

# ---- what is refused
cp a.json.journal good
refused 2 '-o PLAN is missing' p.json
refused 2 '--budget: expected seconds, 0 or more, found -1' p.json -o n.json --budget=-1
refused 2 'the default plan alone took .* of 0.5 seconds: a larger budget' p.json -o n.json --simulate costs.json --budget 0.5
rm -f n.json.journal
refused 2 'is there already: --resume goes on' p.json -o a.json --simulate costs.json
refused 2 'no node "fit"; did you mean "fir"' p.json -o n.json --only fit --simulate costs.json
sed 's/"fir"/"fur"/' costs.json >wrong.json
refused 3 'no such node; did you mean "fir"' p.json -o n.json --simulate wrong.json
sed 's/"SPT>SPTC"/"SPT>SPTX"/' costs.json >wrong.json
refused 3 'expected layouts that the node can read' p.json -o n.json --simulate wrong.json
sed 's/_costs": 1/_costs": 2/' costs.json >wrong.json
refused 3 'costs of version 1' p.json -o n.json --simulate wrong.json
sed 's/"taps": 4/"taps": 6/' p.json >other.json
refused 3 '/pipeline: found' other.json -o a.json --simulate costs.json --resume
sed '3s/correct/cOrrect/' good >a.json.journal
refused 5 'a.json.journal:3: the line does not have its checksum' p.json -o a.json --simulate costs.json --resume
sed '1s/"cornerturn_journal":1/"cornerturn_journal":7/' good >a.json.journal
refused 5 'checksum' p.json -o a.json --simulate costs.json --resume
echo 'no journal' >a.json.journal
refused 5 'checksum' p.json -o a.json --simulate costs.json --resume
head -c 5000 good >a.json.journal
"$CORNERTURN" tune p.json -o a.json --simulate costs.json --resume 2>log || fail "a torn journal: $(cat log)"
"$CORNERTURN" tune p.json -o a.json --simulate costs.json 2>log && fail 'a journal was written over'
head -n 2 good >a.json.journal
sed -n '3p' good | sed 's/"crc"/"more":1,"crc"/' >>a.json.journal
refused 5 'a.json.journal:3: the line does not have its checksum' p.json -o a.json --simulate costs.json --resume
[ "$(wc -l <a.json.journal)" = 3 ] || fail 'a damaged journal was changed'
refused 3 '/key/device: found "simulated", but this tuning has' p.json -o b.json --resume
sed 's/"seed": 1/"seed": 2/; s/"noise": 0.03/"noise": 0.02/' costs.json >other-costs.json
cp good a.json.journal
refused 3 '/key/costs: found' p.json -o a.json --simulate other-costs.json --resume
cmp -s good a.json.journal || fail 'a journal of other costs was changed'
cp good l.json.journal
( flock 9; refused 5 'another tuning is writing it' p.json -o l.json --simulate costs.json --resume ) 9<l.json.journal
cmp -s good l.json.journal || fail 'a locked journal was changed'
refused 3 '^--memory: 1000 bytes are less than what the smallest plan found takes: [1-9][0-9]+$' p.json -o n.json --memory 1000
cat >mine.json <<'END'
{ "cornerturn": 1, "stage": "mine", "version": 1, "summary": "twice", "source": "mine.cl", "entry": "mine",
  "ports": { "X": { "is": "in", "dims": "SPTC", "types": "cf32" }, "Y": { "is": "out", "dims": "SPTC", "types": "cf32" } },
  "parallel": "C:WG, T, S", "tunables": { "WG": { "values": [1, 8], "cpu": 1, "gpu": 8, "help": "work-items" } } }
END
echo 'kernel void mine(CT_ARGS) { Y_SAVE(ID_S, 0, ID_T, ID_C, nonsense); }' >mine.cl
sed 's/"block"/"stages": ["mine.json"], "block"/; s/"stage": "fft"/"stage": "mine"/' p.json >fails.json
refused 1 '^the default of step "fft" fails: mine.cl:1:.*nonsense' fails.json -o n.json
[ ! -e n.json.journal ] || fail 'a journal without measurements is left'
( ulimit -f 8; refused 5 'n.json.journal: cannot be written: (File too large|No space left on device)' p.json -o n.json --simulate costs.json; exit $failed ) || failed=$((failed + 1))
"$CORNERTURN" tune p.json -o n.json --simulate costs.json --resume 2>log || fail "after a full disk: $(cat log)"
grep -q '"complete":true' n.json || fail 'after a full disk: the search did not come to its end'
rm -f n.json n.json.journal
before=$(cat p.json costs.json | cksum)
refused 3 'p.json: expected a file that nothing else uses for the plan' p.json -o p.json --simulate costs.json
refused 3 'spectra.npy: expected .* but "out" writes it' p.json -o spectra.npy --simulate costs.json
refused 3 'p.json: expected .* for the journal' p.json -o n.json --journal p.json --resume --simulate costs.json
refused 2 'n.json: cannot be both the plan and the journal' p.json -o n.json --journal n.json --simulate costs.json
refused 2 'costs.json: cannot be both the plan and the costs' p.json -o costs.json --simulate costs.json
refused 5 'missing/n.json: the plan cannot be written: No such file' p.json -o missing/n.json --simulate costs.json
refused 5 'missing/j: the journal cannot be written' p.json -o n.json --journal missing/j --simulate costs.json
refused 5 'the plan cannot be written: Is a directory' p.json -o . --simulate costs.json
[ "$(cat p.json costs.json | cksum)" = "$before" ] || fail 'a file of the pipeline was written over'
[ ! -e n.json ] || fail 'a plan was written though the search was refused'
[ "$lines" -gt 20 ] || fail "only $lines lines in the journal"
echo "$kills kills, $failed failed"
[ "$failed" -eq 0 ]
