#!/usr/bin/env bash
# says_test.sh: what a run says at its end, compared with the files that are there: names, bytes, shapes, the
# pulses, missing samples; in ten lines at most.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "$0")/../shared/check.sh"
in_a_folder

# run PIPELINE [OPTION...]: leaves what it says in `text`
run() { "$CORNERTURN" run "$@" --plan default 2>text; }
said() { cat text; grep -qE -- "$1" text; }
bytes() { cat "$@" | wc -c; }

# Arrays: 97 samples of 3 x 2, in the sink's layout; then the first 40 of them, in two blocks.
cat >a.json <<'END'
{ "cornerturn": 1, "block": { "T": 20 }, "nodes": {
  "v": { "stage": "source.raw", "file": "v.raw", "dims": "TSP", "type": "ci8", "sizes": { "S": 3, "P": 2 }, "sample_time_s": 0.25 },
  "out": { "stage": "sink.npy", "input": "v", "file": "out.npy", "layout": "SPT" },
  "raw": { "stage": "sink.raw", "input": "v", "file": "raw.bin", "layout": "TPS" } } }
END
head -c $((97 * 12)) /dev/urandom >v.raw
run a.json --build-only --quiet # on a slow machine lines say how far building is
check 'a run' run a.json
check 'two outputs and the speed' test "$(wc -l <text)" -eq 3
check 'an array' said "^wrote out.npy and out[.a-z]*json \(1\.[0-9]* kB\): S=3 P=2 T=97, ci8$"
size=$(bytes out.npy out.*json)
check 'its bytes' said "out.*json \($(printf '%s.%s' "${size::1}" "${size:1:1}")"
check 'another order' said '^wrote raw.bin and raw.*: T=97 P=2 S=3, ci8$'
check 'the real-time factor' said '^5 blocks in .* x real time'
check 'two blocks' run a.json --blocks 2
check 'what these give' said '^wrote out.npy .*: S=3 P=2 T=40, ci8; stopped after block 2 of 5$'
run a.json --quiet
check 'nothing where it is to be quiet' test ! -s text

# Many sinks: ten lines at most, and how many there are more.
{
    echo '{ "cornerturn": 1, "block": { "T": 20 }, "nodes": {'
    for ((i = 1; i <= 13; i++)); do
        echo "\"o$i\": { \"stage\": \"sink.raw\", \"input\": \"v\", \"file\": \"o$i.bin\" },"
    done
    sed -n '/"v":/s/,$/ } }/p' a.json
} >many.json
check 'many sinks' run many.json
check 'ten lines at most' test "$(wc -l <text)" -le 10
check 'and more' said '^and what 6 more sinks have written$'

# Pulses: the one that was put in; none in noise.
cat >fil.json <<'END'
{ "cornerturn": 1, "nodes": {
  "fil": { "stage": "source.sigproc", "file": "sky.fil" },
  "dd": { "stage": "dedisp", "input": "fil", "dm": { "start": 0, "step": 5, "count": 11 } },
  "pulses": { "stage": "pulses", "input": "dd", "threshold": 9 },
  "found": { "stage": "sink.candidates", "input": "pulses", "file": "found.json" } } }
END
sky=(sky.fil duration_s=2 channels=32 frequency_hz=350e6 bandwidth_hz=32e6)
simulate() { "$CORNERTURN" simulate "${sky[@]}" "$@"; }
check 'a pulse' simulate 'pulses=[{"dm": 30, "time_s": 1.0, "width_s": 0.004, "amplitude": 2}]'
check 'is found' run fil.json
check 'and said' said '^wrote found.json \(.*\): [0-9]+ pulses?'
check 'with its place' said '^  S/N [0-9.]+ at (0\.9|1\.0)[0-9]* s, DM (25|30|35), beam 0'
strongest=$(grep -oE '"snr": [0-9.]+' found.json | head -n 1 | tr -d '"snr: ')
check 'the strongest of the file' said "^  S/N $(LC_ALL=C printf '%.1f' "$strongest") at "
check 'noise' simulate
check 'has none' run fil.json
check 'which is said' said '^wrote found.json .*: none above the threshold; the strongest: S/N [0-9.]+ at '
[ "$failed" -eq 0 ]
