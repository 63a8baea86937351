#!/usr/bin/env bash
# kill_test.sh BUILD: jobs of ranks are stopped at random moments: a rank or mpirun by SIGKILL, a rank by SIGTERM
# or SIGINT, mpirun by SIGINT. Within 10 s no rank is left, nothing has an output's name, and an interrupt of one rank
# is the exit code of all. The next run removes what killed ones left, and is whole.
# Open MPI 4.1's mpirun can stand still when a rank is killed as it connects: it has then said that this one was
# unreachable, and no rank is left that it could wait for. That is counted, and no failure of ranks (docs/ranks.md).
# KILLS=20 of each (1); SEED=n for the same moments again. Skipped without mpirun.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
build=${1:-build}
. "$(dirname "${BASH_SOURCE[0]}")/ranks.sh" "$build"
seed=${SEED:-$((RANDOM * 32768 + RANDOM))}
RANDOM=$((seed % 32768))
kills=0 slowest=0 stood=0

fail() { echo "failed (SEED=$seed): $*"; failed=$((failed + 1)); }

# A source with a hole of 20 GB, which no job gets to the end of; and a short one.
cat >short.json <<'END'
{ "cornerturn": 1, "block": { "T": 4096 }, "nodes": {
  "v": { "stage": "source.raw", "file": "few.raw", "dims": "TSP", "type": "ci8", "sizes": { "S": 5, "P": 2 },
         "sample_time_s": 5.12e-6 },
  "fir": { "stage": "fir", "input": "v", "channels": 16, "taps": 4 },
  "a": { "stage": "sink.npy", "input": "fir", "file": "out/a.npy" },
  "b": { "stage": "sink.raw", "input": "v", "file": "out/b.raw" } } }
END
sed 's/few\.raw/many.raw/' short.json >long.json
truncate -s 20G many.raw
head -c 800000 /dev/urandom >few.raw
mkdir out
"$CORNERTURN" run short.json --quiet || exit 1
mv out one && mkdir out

cat >rank.sh <<'END'
echo $$ >pid$OMPI_COMM_WORLD_RANK
exec "$CORNERTURN" run long.json --quiet --whole
END
start()
{
    rm -f pid?
    setsid timeout -k 1 60 mpirun --oversubscribe --bind-to none -n 3 bash rank.sh >/dev/null 2>err & job=$!
    for _ in $(seq 1000); do [ -s pid0 ] && [ -s pid1 ] && [ -s pid2 ] && break; sleep 0.01; done
}
lives() { [ -n "$(ps -o stat= -p "$(cat pid0),$(cat pid1),$(cat pid2)" | grep -v '^Z')" ]; }
# Whether the rank waits for signals of those who ask to stop (SIGTERM is 15).
listens() { local caught; caught=$(sed -n 's/^SigCgt:\t//p' "/proc/$1/status" 2>/dev/null); [ -n "$caught" ] && ((0x$caught & 0x4000)); }

# Whether mpirun stands by itself, which a second interrupt ends.
stands()
{
    local mpirun
    mpirun=$(pgrep -P "$job")
    [ "$1" = KILL ] && ! lives && grep -q 'PMIX ERROR: UNREACHABLE' err || return
    stood=$((stood + 1))
    for _ in 1 2 3; do kill -INT "$mpirun" 2>/dev/null || return 0; sleep 1; done
    kill -KILL "$mpirun" 2>/dev/null && fail "interrupts do not end mpirun"
}

# kill_one SIGNAL WHOM: a rank, or mpirun
kill_one()
{
    local whom=$2 code heard=0 since before new
    before=$(ls -A out)
    start
    [ "$1" = KILL ] || for _ in $(seq 1000); do listens "$(cat pid0)" && listens "$(cat pid1)" && listens "$(cat pid2)" && break; sleep 0.01; done
    sleep "$(printf '%d.%03d' $((RANDOM % 2)) $((RANDOM % 1000)))"
    [ "$whom" = mpirun ] || whom=$(cat "pid$((RANDOM % 3))")
    [ "$whom" != mpirun ] || whom=$(pgrep -P "$job")
    [ "$1" = KILL ] || ! listens "$whom" || heard=1
    kill -"$1" "$whom" || fail "$1 $2: whom to kill was gone: $(cat err)"
    since=$SECONDS
    while { lives || kill -0 "$job" 2>/dev/null; } && [ $((SECONDS - since)) -lt 10 ]; do sleep 0.1; done
    [ $((SECONDS - since)) -le $slowest ] || slowest=$((SECONDS - since))
    lives && { fail "$1 $2: a rank lives on"; kill -KILL $(cat pid?); }
    ! kill -0 "$job" 2>/dev/null || stands "$1" || fail "$1 $2: the job has not ended in 10 s: $(cat err)"
    wait "$job"; code=$?
    [ $code -ne 0 ] || fail "$1 $2: exit code 0"
    [ -z "$(ls out)" ] || fail "$1 $2: $(ls out) is left"
    kills=$((kills + 1))
    [ "$1" = KILL ] || [ "$2" = mpirun ] || [ $heard = 0 ] && return
    [ "$code" = 130 ] || fail "$1 $2: exit code $code: $(cat err)"
    [ "$(grep -cE '^interrupted|did not say why' err)" = 1 ] || fail "$1 $2: it is not said once: $(cat err)"
    # One that is told to end before it opens its files has not yet removed what killed ones left.
    new=$(ls -A out | grep -vxF -e "$before")
    [ -z "$new" ] || fail "$1 $2: $new is left"
}

for ((round = 0; round < ${KILLS:-1}; round++)); do
    kill_one KILL rank
    kill_one KILL mpirun
    kill_one TERM rank
    kill_one INT mpirun
    [ $round -lt 1 ] || kill_one INT rank
done
timeout 120 mpirun --oversubscribe --bind-to none -n 3 "$CORNERTURN" run short.json --quiet 2>err || fail "the next run: $(cat err)"
diff -r one out || fail "the next run wrote something else"
[ -z "$(find out -name '.*' -type f)" ] || fail "the next run did not remove $(ls -A out)"
echo "$kills kills, the slowest to end in $slowest s, mpirun stood $stood times, $failed failed"
[ "$failed" -eq 0 ]
