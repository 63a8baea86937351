#!/usr/bin/env bash
# kill_test.sh: runs with several sinks are stopped at random moments, with and without kernels, which
# are compiled or in the cache. After SIGTERM, SIGINT and SIGHUP the exit code is 130 and what blocks have
# given is there, and says so; with --whole nothing is; or the run was done and all is whole. After SIGKILL
# each output is what it was, whole, or absent, and the next run removes what the dead one left.
# KILLS=100 kills as often by each signal (1; with EXHAUSTIVE=1 3); SEED=n for the same moments again.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
# Kills do not ask for a disk that keeps its word, and this one is fast.
[ -w /dev/shm ] && export TMPDIR=/dev/shm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir warm
export LC_ALL=C POCL_AFFINITY=1 POCL_CACHE_DIR=$work/warm
seed=${SEED:-$((RANDOM * 32768 + RANDOM))}
RANDOM=$((seed % 32768))
KILLS=${KILLS:-$((${EXHAUSTIVE:-0} ? 3 : 1))}
failed=0 kills=0 done_before=0 whole_left=0
declare -A codes long

fail() { echo "failed (SEED=$seed): $*"; failed=$((failed + 1)); }
hidden() { find out -name '.cornerturn*'; }

cat >plain.json <<'END'
{ "cornerturn": 1, "block": { "T": 256 }, "nodes": {
  "v": { "stage": "source.raw", "file": "v.raw", "dims": "TSP", "type": "ci8", "sizes": { "S": 5, "P": 2 },
         "sample_time_s": 5.12e-6 },
  "a": { "stage": "sink.npy", "input": "v", "file": "out/a.npy" },
  "b": { "stage": "sink.raw", "input": "v", "file": "out/b.raw", "layout": "SPT" },
  "c": { "stage": "sink.lofar", "input": "v", "file": "out/c.udp" } } }
END
cat >kernel.json <<'END'
{ "cornerturn": 1, "block": { "T": 4096 }, "nodes": {
  "v": { "stage": "source.raw", "file": "v.raw", "dims": "TSP", "type": "ci8", "sizes": { "S": 5, "P": 2 },
         "sample_time_s": 5.12e-6 },
  "fir": { "stage": "fir", "input": "v", "channels": 16, "taps": 4 },
  "a": { "stage": "sink.npy", "input": "fir", "file": "out/a.npy" },
  "b": { "stage": "sink.npy", "input": "v", "file": "out/b.npy" } } }
END
head -c 8000000 /dev/urandom >v.raw

# whole NAME: what an undisturbed run writes, and how long it takes once its kernels are in the cache
whole()
{
    for _ in 1 2; do
        rm -rf out && mkdir out
        local start; start=$(date +%s%N)
        "$CORNERTURN" run "$1.json" 2>log || fail 'an undisturbed run' "$(cat log)"
        long[$1]=$((($(date +%s%N) - start) / 1000000))
    done
    mv out "whole.$1"
}
whole plain
whole kernel
long[cold]=$((long[kernel] + 400))
[ "$(find whole.plain -type f | wc -l)" -eq 9 ] || fail "expected 9 files, found $(ls whole.plain)"

# Half of the names have something already: a text that a description could be, too.
put_old()
{
    rm -rf out before
    mkdir out
    local file
    for file in $(ls "whole.$1"); do ((RANDOM % 2)) && echo "{\"dims\": \"$file\"}" >"out/$file"; done
    cp -r out before
}

# start NAME [OPTIONS]: when it listens to signals it is `run`
start()
{
    local name=$1
    shift
    "$CORNERTURN" run "$name.json" "$@" 2>log & run=$!
    for _ in $(seq 1000); do
        caught=$(sed -n 's/^SigCgt:\t//p' "/proc/$run/status" 2>/dev/null)
        [ -z "$caught" ] || ((0x$caught & 0x4000)) && break
        sleep 0.001
    done
}
# wait_up_to MILLISECONDS: a random part of it
wait_up_to()
{
    local wait=$((RANDOM * $1 / 32768))
    sleep "$(printf '%d.%03d' $((wait / 1000)) $((wait % 1000)))"
}

# whole_old_or_absent SIGNAL NAME: each of the files
whole_old_or_absent()
{
    local file
    for file in $(ls "whole.$2"); do
        cmp -s "out/$file" "whole.$2/$file" && { whole_left=$((whole_left + 1)); continue; }
        if [ -e "out/$file" ]; then
            cmp -s "out/$file" "before/$file" || fail "$1: $file is torn"
        elif [ "$1" != KILL ] && [ -e "before/$file" ]; then
            fail "$1: $file is gone"
        fi
    done
}

# kill_one SIGNAL KIND: plain, kernel, or cold, which is kernel with an empty cache
kill_one()
{
    local signal=$1 name=$2 code
    [ "$2" = cold ] && name=kernel && rm -rf cold && mkdir cold
    put_old "$name"
    if [ "$2" = cold ]; then POCL_CACHE_DIR=$work/cold start "$name" --whole; else start "$name" --whole; fi
    wait_up_to "${long[$2]}"
    kill -"$signal" "$run" 2>/dev/null
    wait "$run" 2>/dev/null; code=$?
    kills=$((kills + 1)) codes[$code]=$((${codes[$code]:-0} + 1))
    whole_old_or_absent "$signal" "$name"
    if [ "$code" = 0 ]; then
        done_before=$((done_before + 1))
        diff -r out "whole.$name" >/dev/null || fail "$signal $2: exit 0, but not all is whole"
    elif [ "$signal" != KILL ]; then
        [ "$code" = 130 ] || fail "$signal $2: exit $code" "$(cat log)"
        diff -r out before || fail "$signal $2: something was written"
    fi
    [ "$signal" = KILL ] || [ -z "$(hidden)" ] || fail "$signal $2 left $(hidden)"
}

# keep_one SIGNAL: without --whole; what is there begins as the whole does, and says that it is not all
keep_one()
{
    local code bytes header
    put_old plain
    start plain
    wait_up_to "${long[plain]}"
    kill -"$1" "$run" 2>/dev/null
    wait "$run" 2>/dev/null; code=$?
    kills=$((kills + 1))
    [ -z "$(hidden)" ] || fail "$1: left $(hidden)"
    if [ "$code" = 0 ]; then
        diff -r out whole.plain >/dev/null || fail "$1: exit 0, but not all is whole"
    elif grep -q '^kept: ' log; then
        header=$(($(stat -c %s whole.plain/a.npy) - $(stat -c %s v.raw)))
        bytes=$(($(stat -c %s out/a.npy) - header))
        [ $((bytes % (256 * 20))) = 0 ] || [ "$bytes" = "$(stat -c %s v.raw)" ] || fail "$1: half a block"
        cmp -s <(tail -c +$((header + 1)) out/a.npy) <(head -c "$bytes" v.raw) || fail "$1: other bytes"
        [ "$(stat -c %s out/b.raw)" = "$bytes" ] || fail "$1: sinks of different lengths"
        grep -q '"incomplete": "stopped after block' out/a.npy.json || fail "$1: $(cat out/a.npy.json)"
    else
        diff -r out before || fail "$1: something was written"
    fi
    [ "$code" = 0 ] || [ "$code" = 130 ] || fail "$1: exit $code" "$(cat log)"
}

kinds=(plain kernel cold)
for round in $(seq 0 $((KILLS - 1))); do
    for signal in TERM INT HUP KILL; do kill_one "$signal" "${kinds[round % 3]}"; done
    for name in plain kernel; do
        [ "$name" = plain ] || [ "${kinds[round % 3]}" != plain ] || continue
        rm -rf out/* # not the hidden files
        "$CORNERTURN" run "$name.json" 2>log || fail 'the next run' "$(cat log)"
        diff -r out "whole.$name" || fail 'the next run wrote something else'
        [ -z "$(hidden)" ] || fail "the next run did not remove $(hidden)"
    done
    signals=(TERM INT HUP)
    keep_one "${signals[round % 3]}"
done
echo "$kills kills ($KILLS of each signal, and of runs that keep), $done_before came too late, exit codes$(for code in "${!codes[@]}"; do printf " %s: %s times," "$code" "${codes[$code]}"; done), $failed failed"
[ "$failed" -eq 0 ]
