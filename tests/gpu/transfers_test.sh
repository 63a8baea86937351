#!/usr/bin/env bash
# transfers_test.sh BUILD: a pipeline runs on a CPU that is treated as a GPU, under a layer that notes what is put on
# queues and holds kernels back (tests/gpu/record.c): each block is sent while the kernels of the block before it are
# held, on a queue of its own, results come on another one, and nothing blocks from the second block to the last one. The
# outputs are those of the CPU as it is, which has one queue and no transfers.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
layer=$(realpath "$1/tests/record.so") device=as:$(pwd)/examples/devices/h200.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C
fail() { echo "$*"; [ -f log ] && tail -n 60 log; exit 1; }

# 11 blocks and a part of one: time is not the slowest dimension on its way through `fir`, whose blocks overlap.
head -c $((2 * 5 * 2 * (11 * 96 + 17))) /dev/urandom >voltages.raw
pipeline()
{
    cat <<JSON
{ "cornerturn": 1, "block": { "T": 96 }, "nodes": {
  "v": { "stage": "source.raw", "file": "voltages.raw", "dims": "TSP", "type": "ci8", "sizes": { "S": 5, "P": 2 } },
  "fir": { "stage": "fir", "input": "v", "channels": 4, "taps": 4 },
  "power": { "stage": "detect", "input": "fir", "integrate": 3 },
  "out": { "stage": "sink.raw", "input": "power", "file": "$1.raw" },
  "again": { "stage": "sink.npy", "input": "v", "file": "$1.npy", "layout": "STP" } } }
JSON
}
pipeline cpu >cpu.json
pipeline gpu >gpu.json
RECORD=cpu.log LD_PRELOAD=$layer "$CORNERTURN" run cpu.json --quiet || fail "the run on a CPU failed"
for hold in 0 1; do
    rm -f log gpu.raw gpu.npy
    RECORD=log RECORD_HOLD=$hold LD_PRELOAD=$layer timeout -s KILL 60 "$CORNERTURN" run gpu.json --quiet --device "$device" ||
        fail "the run failed, hold $hold"
    cmp cpu.raw gpu.raw && cmp cpu.npy gpu.npy || fail "other bytes than on a CPU, hold $hold"
    awk -v hold="$hold" '
        function complain(text) { print text; bad = 1 }
        /^# held/ { held = $3; next }
        /^# stalled/ { stalled[$4] = $3; next }
        { call[$1] = $2; blocking[$1] = $4; waits[$1] = $7; lines = $1 + 1 }
        $2 == "kernel" { kernels[$3] = 1; if (sent > 0 && !(sent in kernel)) kernel[sent] = $1 }
        $2 == "write" && !$4 { writes[$3] = 1; write[++sent] = $1 }
        $2 == "read" && !$4 { reads[$3] = 1; fetched++; if ($7 == "-") complain("a read waits for nothing: " $0) }
        END {
            if (sent != 12) complain(sent " blocks were sent, not 12")
            if (fetched < 12) complain("results were fetched " fetched " times")
            if (length(kernels) != 1 || length(writes) != 1 || length(reads) != 1) complain("kernels, writes or reads on several queues")
            for (q in kernels) if (q in writes || q in reads) complain("transfers on the queue of the kernels")
            for (q in writes) if (q in reads) complain("both directions on one queue")
            for (n = write[2]; n < write[sent]; n++) if (blocking[n]) complain("a call that blocks: " n " " call[n])
            for (b = 2; b <= sent; b++) # its kernels, and what comes after them, are not waited for
                if (waits[write[b]] == "-" || waits[write[b]] + 0 > kernel[b - 1]) complain("block " b " waits for the kernels of the one before it")
            for (n in stalled) if (n + 0 > write[2] && n + 0 < write[sent]) complain("the run waits for kernels that are held: " n " " stalled[n])
            if (hold && held < sent - 2) complain("kernels were held until the next block had come " held " times")
            exit bad
        }' log || fail "hold $hold"
done
awk '$3 > 1 { queues = 1 } ($2 == "read" || $2 == "write") && !$4 { sent = 1 } $2 == "kernel" { kernels++ }
    END { exit queues || sent || !kernels }' cpu.log || { tail -n 20 cpu.log; fail "a CPU has one queue and no transfers"; }
echo "$(awk '$2 == "write" && !$4' log | wc -l) blocks were sent, each while the kernels of the one before were held"
