#!/usr/bin/env bash
# command_test.sh BUILD: the command under mpirun. What one process does is done, and said, once, with the exit code
# that it has without mpirun; `tune` and `explain` probe the job's network; while rank 0 tunes the others use no core,
# and an interrupt of any of them leaves the best plan so far. What is wrong with --ranks is said in one sentence.
# Skipped without mpirun.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "${BASH_SOURCE[0]}")/ranks.sh" "${1:-build}"
export XDG_DATA_HOME=$PWD

cat >p.json <<'END'
{ "cornerturn": 1, "block": { "T": 1024 },
  "nodes": {
    "sky": { "stage": "source.simulate", "stations": 5, "samples": 2048, "seed": 3, "layout": "SPT" },
    "fir": { "stage": "fir", "input": "sky", "channels": 16, "taps": 4 },
    "fft": { "stage": "fft", "input": "fir" },
    "vis": { "stage": "correlator", "input": "fft", "integrate": 32 },
    "out": { "stage": "sink.npy", "input": "vis", "file": "vis.npy" } } }
END

# ---- once
n=2
once() { # as n ranks: CODE PATTERN ARGUMENTS..
    local code=$1 pattern=$2 found
    shift 2
    ranks "$n" "$CORNERTURN" "$@" >said 2>&1
    found=$?
    [ $found = "$code" ] || { fail "$*: expected exit code $code, found $found"; cat said; }
    [ "$(grep -c -- "$pattern" said)" = 1 ] || { fail "$*: '$pattern' is not said once"; cat said; }
}
once 0 '^cornerturn [0-9]' --version
once 0 '^p.json: valid$' validate p.json
once 5 'nowhere.json' validate nowhere.json
once 2 "unknown verb 'rum'" rum p.json
once 0 '^usage: cornerturn run' run --help
once 0 '^sky  ' explain p.json
once 3 'vis/layout' explain p.json --set vis.layout=QQ
once 2 'is missing: where the plan goes' tune p.json
once 0 'cells to measure' tune p.json --dry-run
once 2 "'S=3' is for 3 ranks, and this job has 2" tune p.json -o n.json --ranks S=3
once 2 "'3' is for 3 ranks, and this job has 2" run p.json --ranks 3
once 2 "split along 'Z': expected dimensions among C, P, S, T" run p.json --ranks Z=2
once 2 "split along 'Z'" tune p.json -o n.json --ranks Z=2
once 0 'blocks in' run p.json --ranks 2
[ -e n.json ] || [ -e n.json.journal ] && fail 'a plan was left where --ranks was wrong'

# ---- what --ranks says, without a job
refused() { # PATTERN ARGUMENTS..
    local pattern=$1
    shift
    "$CORNERTURN" "$@" >said 2>&1
    [ $? = 2 ] && [ "$(wc -l <said)" = 1 ] && grep -q -- "$pattern" said || { fail "$*: expected '$pattern'"; cat said; }
}
refused "expected 1 to 1000000, or dimensions such as S=4,C=2, found '0'" explain p.json --ranks 0
refused 'parts are 1 or more' explain p.json --ranks S=0
refused 'each dimension once' explain p.json --ranks S=2,S=2
refused 'dimensions are capital letters' explain p.json --ranks s=2
refused "found 'S=2,'" explain p.json --ranks S=2,
refused "split along 'Z': expected dimensions among C, P, S, T" explain p.json --ranks S=2,Z=2
refused "split along 'Z'" tune p.json -o n.json --ranks Z=2 --network 1Gb/s,1us
refused 'is missing; under mpirun it is probed' tune p.json -o n.json --ranks 2
refused 'was not started by mpirun' run p.json --ranks S=2
[ -e n.json ] || [ -e n.json.journal ] && fail 'a plan was left where --ranks was wrong'

# ---- tune and explain in a job
job() { # N ARGUMENTS..: each rank's process id is in pidN, and what it used of a core in timesN
    local n=$1
    shift
    ranks "$n" bash -c 'me=$OMPI_COMM_WORLD_RANK; (echo $BASHPID >pid$me; exec "$@"); code=$?; times >times$me; exit $code' - "$CORNERTURN" "$@"
}
job 3 tune p.json -o t.json --budget 40 --only fft >said 2>&1 || { fail 'tune in a job'; cat said; }
[ "$(grep -c '^between the ranks: .*Gb/s,.*us a message$' said)" = 1 ] || { fail 'the network is not said once'; cat said; }
[ "$(grep -c '^foretold over ranks: ' said)" = 1 ] || { fail 'what is foretold is not said once'; cat said; }
network=$(sed -n 's/^between the ranks: \(.*\) a message$/\1/p' said)
grep -q "\"network\":\"$network\"" t.json && grep -q '"ranks": { "size": 3' t.json || { fail 'the plan is not of this job'; head -6 t.json; }
used=$(tail -n 1 times2 | awk '{ split($1, u, /[ms]/); split($2, s, /[ms]/); print 60 * (u[1] + s[1]) + u[2] + s[2] }')
awk "BEGIN { exit !($used < 2) }" || fail "a rank that waits used $used s of a core"
n=3
once 0 'blocks in' run p.json --plan t.json
ranks 2 "$CORNERTURN" run p.json --plan t.json >said 2>&1
[ $? = 3 ] && [ "$(grep -c 'planned for 3 ranks, and here are 2' said)" = 1 ] || { fail 'a plan of other ranks'; cat said; }
once 0 '^foretold for 3 ranks, from t.json.journal, each at .* us a message' explain p.json --plan t.json
once 0 '^foretold for 3 ranks, from t.json.journal, each at 8 Gb/s, 5 us' explain p.json --plan t.json --network 8Gb/s,5us
ranks 3 bash -c '[ $OMPI_COMM_WORLD_RANK = 2 ] && more=--set=fir.taps=8; exec "$0" tune p.json -o n.json $more' "$CORNERTURN" >said 2>&1
[ $? = 3 ] && [ "$(grep -c 'do not have the same pipeline' said)" = 1 ] || { fail 'another pipeline on one rank'; cat said; }

# An interrupt of a rank that waits.
rm -f pid*
job 3 tune p.json -o i.json --budget 60 >said 2>&1 & tuning=$!
for _ in $(seq 1000); do [ "$(wc -l 2>/dev/null <i.json.journal || echo 0)" -gt 4 ] && break; sleep 0.05; done
kill -INT "$(cat pid1)"
wait $tuning
code=$?
[ $code = 130 ] && [ "$(grep -c 'interrupted' said)" = 1 ] || { fail "an interrupt of a rank that waits: exit code $code"; cat said; }
grep -q '"complete":false' i.json || fail 'an interrupt left no plan'

[ $failed -eq 0 ] && echo "ranks_command: once, and for all"
exit $((failed > 0))
