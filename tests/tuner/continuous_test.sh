#!/usr/bin/env bash
# continuous_test.sh BUILD: `tune --continuous` as a person uses it: a run that gets a better plan while it goes on gives the
# bytes of `run`; packets of a station are not lost for it; a run that is killed leaves no search behind, and is
# gone on with.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
. "$here/../shared/check.sh"
in_a_folder
export XDG_DATA_HOME=$work/data TMPDIR=$work
sender=$build/tests/test.sender

# ---- samples come slowly through a pipe, so that cores are idle; the run begins with a plan that nobody has tuned
pipe() # pipe FILE OUT
{
    cat <<END
{ "cornerturn": 1, "block": { "T": 4096 }, "nodes": {
  "v": { "stage": "source.raw", "file": "$1", "dims": "TSP", "type": "ci8", "sizes": { "S": 3, "P": 2 }, "sample_time_s": 5.12e-6 },
  "fir": { "stage": "fir", "input": "v", "channels": 16, "taps": 8 },
  "out": { "stage": "sink.raw", "input": "fir", "file": "$2", "layout": "TCSP" } } }
END
}
pipe - tuned.out >pipe.run
pipe sent.in alone.out >file.run
"$CORNERTURN" explain pipe.run --plan default --save start.json >/dev/null 2>log || fail "explain: $(cat log)"
sed -i 's/"X": "[A-Z]*", "Y": "[A-Z]*"/"X": "PST", "Y": "CPST"/' start.json
head -c 98304 /dev/urandom >chunk # 4 blocks
feed() # until a plan has taken over, and some blocks more
{
    local more=5
    for ((n = 0; n < 1000 && more > 0; n++)); do
        cat chunk >>sent.in
        cat chunk
        sleep 0.1
        grep -q 'by another plan' tuned.log && more=$((more - 1))
    done
    head -c 1200 chunk >>sent.in
    head -c 1200 chunk
}
: >tuned.log
feed | "$CORNERTURN" tune pipe.run --continuous --plan start.json -o best.json --budget 10 2>tuned.log ||
    fail "a run that is tuned: $(cat tuned.log)"
grep -q '^pipe.run: from block [0-9]* on by another plan: [0-9.]* of the default.s time$' tuned.log || fail "no plan took over: $(cat tuned.log)"
grep -q '^pipe.run: [1-9][0-9]* plans* took over, [0-9.]* of the default.s time; measured: [0-9]*$' tuned.log ||
    fail "the last line: $(cat tuned.log)"
"$CORNERTURN" run file.run --plan start.json 2>log || fail "run: $(cat log)"
cmp tuned.out alone.out || fail "another plan gives other bytes"
"$CORNERTURN" run file.run --plan best.json 2>log || fail "the plan that was found: $(cat log)"
cmp tuned.out alone.out || fail "the plan that was found gives other bytes"
[ -s best.json.journal ] || fail "no journal"
[ -z "$(ls -d cornerturn-* 2>/dev/null)" ] || fail "left behind: $(ls -d cornerturn-*)"

# ---- a station's packets
port=$((20000 + $$ % 20000))
"$sender" --beamlets 1 --rate 12207 --packets 9000000 "127.0.0.1:$port" & station=$!
trap 'kill $station; rm -rf "$work"' EXIT
cat >live.run <<END
{ "cornerturn": 1, "block": { "T": 4096 }, "nodes": {
  "v": { "stage": "source.lofar", "listen": "127.0.0.1:$port", "duration_s": 8, "subbands": 12 },
  "fir": { "stage": "fir", "input": "v", "channels": 16, "taps": 8 },
  "fft": { "stage": "fft", "input": "fir" },
  "power": { "stage": "detect", "input": "fft", "stokes": "I", "integrate": 16 },
  "out": { "stage": "sink.raw", "input": "power", "file": "power.raw" } } }
END
"$CORNERTURN" tune live.run --continuous --budget 3 --stats live.jsonl 2>live.log || fail "packets: $(cat live.log)"
tail -n 1 live.jsonl | grep -q '"packets_dropped": 0,' || fail "packets were dropped: $(cat live.log; tail -n 1 live.jsonl)"
grep -q 'took over' live.log || fail "packets: $(cat live.log)"
kill $station
trap 'rm -rf "$work"' EXIT

# ---- killed, and gone on with
head -c 24000000 /dev/urandom >sent.in
pipe sent.in whole.out >whole.run
pipe sent.in killed.out >killed.run
"$CORNERTURN" run whole.run 2>log || fail "run: $(cat log)"
for n in 1 2 3; do
    "$CORNERTURN" tune killed.run --continuous --resume --checkpoint 0 2>killed.log & run=$!
    sleep "0.$n"
    kill -9 $run 2>/dev/null
    wait $run 2>/dev/null
done
"$CORNERTURN" tune killed.run --continuous --resume --checkpoint 0 2>killed.log || fail "gone on with: $(cat killed.log)"
cmp whole.out killed.out || fail "killed and gone on with: other bytes"
sleep 1
left=$(grep -lzs "[k]illed.run" /proc/[0-9]*/cmdline)
[ -z "$left" ] || fail "searches are left behind: $left"

# ---- interrupted
pipe - stopped.out >stopped.run
{ cat chunk; sleep 3; } | "$CORNERTURN" tune stopped.run --continuous 2>log & run=$!
sleep 1.5
kill -INT $run
wait $run
[ $? = 130 ] || fail "interrupted: $(cat log)"

# ---- mistakes
check "a budget of nothing" says 2 '--budget: expected 1 second or more' "$CORNERTURN" tune pipe.run --continuous --budget 0
check "run has no budget" says 2 'budget' "$CORNERTURN" run pipe.run --budget 3
check "a plan that cannot be written" says 5 'no/best.json' "$CORNERTURN" tune file.run --continuous -o no/best.json

[ "$failed" = 0 ] && echo "continuous: all as expected"
exit "$failed"
