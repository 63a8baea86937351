#!/usr/bin/env bash
# kill_test.sh: runs with several sinks are stopped at random moments. After SIGTERM, SIGINT and SIGHUP
# nothing is left and the exit code is 130, or the run was done and all is whole; after SIGKILL each
# output is what it was, whole, or absent, and the next run removes what the dead one left.
# KILLS=100 kills as often by each signal; SEED=n for the same moments again.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C POCL_AFFINITY=1
seed=${SEED:-$((RANDOM * 32768 + RANDOM))}
RANDOM=$((seed % 32768))
failed=0 done_before=0

fail() { echo "failed (SEED=$seed): $*"; failed=$((failed + 1)); }
hidden() { find . -name '.cornerturn*'; }

mkdir out
cat >p.json <<'END'
{ "cornerturn": 1, "block": { "T": 256 }, "nodes": {
  "v": { "stage": "source.raw", "file": "v.raw", "dims": "TSP", "type": "ci8", "sizes": { "S": 5, "P": 2 },
         "sample_time_s": 5.12e-6 },
  "a": { "stage": "sink.npy", "input": "v", "file": "out/a.npy" },
  "b": { "stage": "sink.raw", "input": "v", "file": "out/b.raw", "layout": "SPT" },
  "c": { "stage": "sink.lofar", "input": "v", "file": "out/c.udp" } } }
END
head -c 8000000 /dev/urandom >v.raw
start=$(date +%s%N)
"$CORNERTURN" run p.json 2>log || fail 'an undisturbed run' "$(cat log)"
long=$((($(date +%s%N) - start) / 1000000))
mv out whole
files=$(cd whole && find . -type f | sort)
[ "$(echo "$files" | wc -l)" -eq 9 ] || fail "expected 9 files, found $files"

# Half of the names have something already: a text that a description could be, too.
put_old()
{
    rm -rf out before
    mkdir out
    for name in $files; do ((RANDOM % 2)) && echo "{\"dims\": \"$name\"}" >"out/$name"; done
    cp -r out before
}

# whole_old_or_absent: each of the files
whole_old_or_absent()
{
    for name in $files; do
        cmp -s "out/$name" "whole/$name" && continue
        if [ -e "out/$name" ]; then
            cmp -s "out/$name" "before/$name" || fail "$1: $name is torn"
        elif [ "$1" != KILL ] && [ -e "before/$name" ]; then
            fail "$1: $name is gone"
        fi
    done
}

for round in $(seq "${KILLS:-2}"); do
    for signal in TERM INT HUP KILL; do
        put_old
        "$CORNERTURN" run p.json 2>log & run=$!
        # From when the first file is in the making: before that there is nothing to leave behind.
        for _ in $(seq 500); do [ -n "$(hidden)" ] || ! kill -0 "$run" 2>/dev/null && break; sleep 0.005; done
        sleep "0.$(printf %03d $((RANDOM % (long < 900 ? long : 900))))"
        kill -"$signal" "$run" 2>/dev/null
        wait "$run" 2>/dev/null; code=$?
        whole_old_or_absent "$signal"
        if [ "$code" = 0 ]; then
            done_before=$((done_before + 1))
            diff -r out whole >/dev/null || fail "$signal: exit 0, but not all is whole"
        elif [ "$signal" != KILL ]; then
            [ "$code" = 130 ] || fail "$signal: exit $code" "$(cat log)"
            diff -r out before || fail "$signal: something was written"
        fi
        [ "$signal" = KILL ] || [ -z "$(hidden)" ] || fail "$signal left $(hidden)"
    done
    "$CORNERTURN" run p.json 2>log || fail 'the next run' "$(cat log)"
    diff -r out whole || fail 'the next run wrote something else'
    [ -z "$(hidden)" ] || fail "the next run did not remove $(hidden)"
done
echo "${KILLS:-2} of each signal, $done_before came too late, $failed failed"
[ "$failed" -eq 0 ]
