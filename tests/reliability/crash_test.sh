#!/usr/bin/env bash
# crash_test.sh BUILD: a kernel or a plug-in that crashes in a run has its node named, and the process still
# ends by the signal. Sanitizers have handlers of their own.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
grep -q -e '-fsanitize=' "$1/CMakeCache.txt" && { echo 'skipped: a sanitizer says it'; exit 77; }
root=$(pwd)
. "$root/tests/shared/check.sh"
in_a_folder
export POCL_CACHE_DIR=$work/cache
mkdir cache
ulimit -c 0

cc -std=c11 -shared -fPIC -I"$root/include" "$root/tests/reliability/crashing.c" -o crashing.so || exit 1
cat >bad.json <<'END'
{ "cornerturn": 1, "stage": "bad", "version": 1, "summary": "crashes at one value", "source": "bad.cl", "entry": "bad",
  "ports": { "X": { "is": "in", "dims": "STP", "types": "cf32 ci8" }, "Y": { "is": "out", "dims": "STP", "types": "cf32" } },
  "params": { "value": { "kind": "integer", "default": 99 }, "divide": { "kind": "bool", "default": false } },
  "parallel": "T, S, P" }
END
cat >bad.cl <<'END'
kernel void bad(CT_ARGS)
{
    if (CT_OUTSIDE) return;
    const float2 x = X_LOAD(ID_S, ID_T, ID_P);
    volatile int none = 0;
    if ((int)x.x == P_VALUE && P_DIVIDE) none = 7 / none;
    if ((int)x.x == P_VALUE && !P_DIVIDE) *(volatile global int *)(ulong)8 = none;
    Y_SAVE(ID_S, ID_T, ID_P, x);
}
END
# Four blocks, all of ones but for one 77 in the last one.
for ((t = 0; t < 400; t++)); do [ $t = 333 ] && printf 'M\1' || printf '\1\1'; done >v.raw
cat >p.json <<'END'
{ "cornerturn": 1, "block": { "T": 100 }, "stages": ["bad.json"], "nodes": {
    "v": { "stage": "source.raw", "file": "v.raw", "dims": "TSP", "type": "ci8", "sizes": { "S": 1, "P": 1 } },
    "before": { "stage": "bad", "input": "v" },
    "mine": { "stage": "bad", "input": "before" },
    "after": { "stage": "bad", "input": "mine" },
    "plain": { "stage": "my.plain", "input": "after" },
    "threaded": { "stage": "my.threaded", "input": "mine" },
    "out": { "stage": "sink.npy", "input": "after", "file": "out.npy" } } }
END

# run SETTING...
run()
{
    local settings=()
    for setting in "$@"; do settings+=(--set "$setting"); done
    "$CORNERTURN" run p.json --library ./crashing.so --plan default "${settings[@]}"
}

# crashes SIGNAL NODE WHEN SETTING...: by this signal, after one sentence that names the node and says when
crashes()
{
    local code=0
    run "${@:4}" >said 2>&1 || code=$?
    cat said
    [ "$code" -eq $((128 + $(kill -l "$1"))) ] && [ ! -e out.npy ] &&
        [ "$(grep -c crashed said)" -eq 1 ] && grep -qF "node \"$2\" has crashed while $3 (SIG$1," said
}

shapes='its shapes were inferred' start='its kernel was started for the first time' block='a block was computed'
check 'shapes' crashes SEGV plain "$shapes" plain.at=infer
check 'shapes, a division by zero' crashes FPE threaded "$shapes" threaded.at=infer threaded.divide=true
check 'a kernel, at once' crashes SEGV mine "$start" mine.value=0
for node in before mine after; do
    check "a kernel, in a later block: $node" crashes SEGV $node "$block" $node.value=77
done
check 'a sink that begins' crashes SEGV plain "$block" plain.at=open
for node in plain threaded; do
    check "a sink that writes: $node" crashes SEGV $node "$block" $node.at=write
    check "one that gives up: $node" crashes ABRT $node "$block" $node.at=write $node.abort=true
done
check 'a sink that ends' crashes SEGV threaded "$block" threaded.at=close

# A driver may go on after a division by zero in a kernel, as PoCL does.
divides() { run mine.value=77 mine.divide=true || crashes FPE mine "$block" mine.value=77 mine.divide=true; }
check 'a kernel that divides by zero' divides
rm -f out.npy

check 'a run that does not crash' run
[ "$failed" -eq 0 ]
