#!/usr/bin/env bash
# building_test.sh: a signal to the whole group, as a terminal sends Ctrl-C, while the driver's compiler
# works in a process of its own: the run ends with exit code 130, and leaves what it says or nothing.
# ROUNDS=20 tries each signal as often.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C POCL_AFFINITY=1
failed=0 seen=0

cat >p.json <<'END'
{ "cornerturn": 1, "block": { "T": 256 }, "nodes": {
  "v": { "stage": "source.raw", "file": "v.raw", "dims": "SPT", "type": "ci8", "sizes": { "S": 1, "P": 2 },
         "sample_time_s": 5.12e-6 },
  "fir": { "stage": "fir", "input": "v", "channels": 8, "taps": 2 },
  "out": { "stage": "sink.raw", "input": "fir", "file": "out.raw" } } }
END
head -c 8192 /dev/urandom >v.raw

# compiles PID: it has a child
compiles() { [ -n "$(cat "/proc/$1"/task/*/children 2>/dev/null)" ]; }

# kept_is_there: out.raw has as many samples as the run says, of 2 x 8 complex floats
kept_is_there()
{
    local samples
    samples=$(sed -n 's/^kept: out.raw: .* \([0-9]*\) samples.*/\1/p' log)
    [ -n "$samples" ] && [ "$(stat -c %s out.raw)" = $((samples * 128)) ]
}

# stop SIGNAL: as soon as the compiler has a process, or after the run where it has none
stop()
{
    rm -rf cache out.raw out.raw.json
    mkdir cache
    set -m # a group of its own
    POCL_CACHE_DIR=$work/cache "$CORNERTURN" run p.json >log 2>&1 &
    set +m
    local run=$! code
    until compiles $run || ! kill -0 $run 2>/dev/null; do :; done
    compiles $run && seen=$((seen + 1))
    kill -"$1" -- -$run 2>/dev/null
    wait $run
    code=$?
    [ $code = 130 ] && { [ ! -e out.raw ] || kept_is_there; } && return
    [ $code = 0 ] && [ -s out.raw ] && return
    echo "failed: SIG$1 while a kernel was built: exit code $code" "$(cat log)"
    failed=$((failed + 1))
}

for ((round = 0; round < ${ROUNDS:-1}; round++)); do
    for signal in INT TERM HUP; do stop $signal; done
done
[ -z "$(find . -name '.cornerturn*')" ] || { echo "failed: something is left"; failed=1; }
[ $seen -gt 0 ] || { echo "skipped: the compiler has no process of its own"; [ $failed = 0 ] && exit 77; }
exit $((failed > 0))
