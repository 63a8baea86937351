#!/usr/bin/env bash
# power_test.sh BUILD: stages that filter power, in whole runs: what is written equals loops over plain numbers,
# the last window, which the stream does not fill, and a mask included; it is the same to the last bit for every
# block, and on several ranks. EXHAUSTIVE=1: more blocks and ranks.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
build=${1:-build}
[[ $build = /* ]] || build=$PWD/$build
. "$(dirname "$0")/../shared/check.sh"
here=$(cd "$(dirname "$0")" && pwd)
in_a_folder
command -v python3 >/dev/null || { echo "python3 is not installed: skipped"; exit 77; }

# 1000 samples of 42 stations and 5 channels; a ninth of them is flagged.
head -c $((1000 * 42 * 5)) /dev/urandom >in.raw
python3 -c 'import sys; sys.stdout.buffer.write(bytes(1 if n * 7919 % 9 == 0 else 0 for n in range(42 * 1000 * 5)))' >mask.raw

# pipeline NAME STAGE: into NAME.raw
pipeline()
{
    cat >"$1.json" <<END
{ "cornerturn": 1, "block": { "T": 1000 }, "nodes": {
  "v": { "stage": "source.raw", "file": "in.raw", "dims": "TSC", "type": "u8", "sizes": { "S": 42, "C": 5 }, "sample_time_s": 1e-3 },
  "m": { "stage": "source.raw", "file": "mask.raw", "dims": "STC", "type": "u8", "sizes": { "S": 42, "C": 5, "T": 1000 },
         "sample_time_s": 1e-3 },
  "x": { "input": { "X": "v", "M": "m" }, $2 },
  "out": { "stage": "sink.raw", "input": "x", "file": "$1.raw", "layout": "STC" } } }
END
}

# same NAME: whatever the block and the ranks
same()
{
    local block n
    "$CORNERTURN" run "$1.json" --quiet >log 2>&1 || { fail "$1" "$(cat log)"; return; }
    mv "$1.raw" whole.raw
    for block in 7 ${EXHAUSTIVE:+64 999}; do
        sed "s/\"T\": 1000 }, \"nodes\"/\"T\": $block }, \"nodes\"/" "$1.json" >short.json
        check "$1, blocks of $block" "$CORNERTURN" run short.json --quiet
        cmp -s whole.raw "$1.raw" || fail "$1, blocks of $block: other numbers"
    done
    if command -v mpirun >/dev/null && [ -f "$build/libcornerturn_mpi.so" ]; then
        for n in 3 ${EXHAUSTIVE:+2 7}; do
            check "$1, $n ranks" env POCL_AFFINITY=0 POCL_MAX_PTHREAD_COUNT=1 OMPI_ALLOW_RUN_AS_ROOT=1 \
                OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader \
                timeout 120 mpirun --oversubscribe -n $n "$CORNERTURN" run "$1.json" --quiet --ranks S=$n
            cmp -s whole.raw "$1.raw" || fail "$1, $n ranks: other numbers"
        done
    fi
    python3 "$here/power_truth.py" "$1" in.raw mask.raw whole.raw || fail "$1: not what a plain loop gives"
}

pipeline mean '"stage": "zerodm", "type": "i16", "scale": 16'
same mean
pipeline fit '"stage": "zerodm", "mode": "fit", "window": 64'
same fit
pipeline levels '"stage": "convert", "type": "f32", "levels": "channel", "window": 64'
same levels
pipeline slow '"stage": "baseline", "window": 256'
same slow
exit $((failed > 0))
