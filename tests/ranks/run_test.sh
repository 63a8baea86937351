#!/usr/bin/env bash
# run_test.sh BUILD: what several ranks read, and what comes beside data: flags of lost packets, of
# a stage that flags, and of files that bring them; byte for byte as one process has them.
# Skipped without mpirun.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
build=${1:-build}
. "$(dirname "${BASH_SOURCE[0]}")/ranks.sh" "$build"

# Three stations with two lanes of two beamlets each, of which packets are lost.
cat >make.json <<'END'
{ "cornerturn": 1, "nodes": {
  "v": { "stage": "source.raw", "file": "noise", "dims": "TSPC", "type": "ci8", "sizes": { "S": 3, "P": 2, "C": 4 },
         "sample_time_s": 5.12e-6, "start_mjd": 60000, "frequency_hz": [1.50e8, 1.502e8, 1.504e8, 1.506e8],
         "channel_width_hz": 195312.5 },
  "out": { "stage": "sink.lofar", "input": "v", "file": "s.udp", "lanes": 2 } } }
END
head -c $((24 * 2 * 8192)) /dev/urandom >noise
"$CORNERTURN" run make.json --quiet || exit 1
lose() { # FILE PACKET..: packets have 16 bytes, and 16 samples of 2 beamlets
    local file=$1 packet bytes=$((16 + 16 * 2 * 4))
    shift
    for packet; do # from the last to the first
        { head -c $((packet * bytes)) "$file"; tail -c +$(((packet + 1) * bytes + 1)) "$file"; } >less
        mv less "$file"
    done
}
lose s_S000_L1.udp 700 699 698 3
lose s_S001_L0.udp 512 511 90
lose s_S001_L1.udp 510 90
lose s_S002_L0.udp 90 89
cat >packets.json <<'END'
{ "cornerturn": 1, "block": { "T": 2048 },
  "constants": { "stations": [[3, -31, 0], [41, 12, 0], [-22, 36, 0]] },
  "nodes": {
    "sky":   { "stage": "source.lofar", "subbands": 256, "zone": 1,
               "files": [["s_S000_L0.udp", "s_S000_L1.udp"], ["s_S001_L0.udp", "s_S001_L1.udp"], ["s_S002_L0.udp", "s_S002_L1.udp"]] },
    "fir":   { "stage": "fir", "input": "sky", "channels": 8, "taps": 4 },
    "fft":   { "stage": "fft", "input": "fir" },
    "flag":  { "stage": "flag", "input": "fft", "window": 32, "false_alarms": 0.05 },
    "vis":   { "stage": "correlator", "input": "flag", "integrate": 64 },
    "beams": { "stage": "beamformer", "input": "flag", "positions": "$stations", "directions": [[40, 60], [43, 60]] },
    "power": { "stage": "detect", "input": "beams", "stokes": "I", "integrate": 8 },
    "a": { "stage": "sink.npy", "input": "vis", "file": "out/vis.npy" },
    "b": { "stage": "sink.npy", "input": "vis.COUNTS", "file": "out/counts.npy" },
    "c": { "stage": "sink.npy", "input": "flag.F", "file": "out/flags.npy" },
    "d": { "stage": "sink.npy", "input": "power", "file": "out/power.npy" } } }
END
mkdir out one
one() { rm -rf one out; mkdir out; "$CORNERTURN" run "$@" --quiet 2>err || { fail "one process: $*"; cat err; }; mv out one; mkdir out; }
same() { # NAME: what was just written is what one process wrote
    local file
    for file in one/*; do cmp -s "$file" "out/${file#one/}" || fail "$1: ${file#one/} is another"; done
    rm -f out/*
}

one packets.json
for n in 2 3; do
    ranks $n "$CORNERTURN" run packets.json --quiet 2>err || { fail "packets, $n ranks"; cat err; }
    same "packets, $n ranks"
done
# Memory that ranks of a machine share takes all of them: one that is told to do without must not be waited for.
timeout 60 mpirun --oversubscribe -n 1 -x CORNERTURN_SHARED_MEMORY=off "$CORNERTURN" run packets.json --quiet : \
    -n 1 "$CORNERTURN" run packets.json --quiet 2>err || { fail "one of two ranks without shared memory"; cat err; }
same "one of two ranks without shared memory"
[ "$(od -An -v -tu1 -w1 -j128 one/flags.npy | sort -u | wc -l)" -gt 1 ] || fail "nothing is flagged"
"$CORNERTURN" explain packets.json --ranks 2 >plan.txt
grep -q 'fft>.* C|' plan.txt || fail "what flags is not split"

# Split along stations up to the correlator: each rank clears its own stations' samples.
sed 's/"stage": "fft",/"stage": "fft", "layout": { "write": "S|PTC" },/; s/"files":/"layout": "S|PTC", "files":/' packets.json >stations.json
ranks 3 "$CORNERTURN" run stations.json --quiet --ranks S=3 2>err || { fail "packets along stations"; cat err; }
same "packets along stations"

# Each rank has read its own station's lanes and says what they lacked, once; rank 0 has counted its own only.
ranks 3 "$CORNERTURN" run stations.json --ranks S=3 --stats counts.json 2>err || { fail "the account of lanes"; cat err; }
for lane in S000_L1 S001_L0 S001_L1 S002_L0; do
    [ "$(grep -c "s_$lane.udp: .* missing" err)" = 1 ] || { fail "what lane $lane lacked is not said once"; cat err; }
done
grep -q '"station": *"0"' counts.json && ! grep -q '"station": *"[12]"' counts.json || fail "rank 0 has not read just its station: $(tail -n 1 counts.json)"
one stations.json # of the same layouts
rm -rf out; mkdir out

# Flags that come beside the data are split with them, and join those of the data.
sed 's/"vis":   .*/"vis": { "stage": "correlator", "input": { "X": "fft", "M": "flag.F" }, "integrate": 64 },\n/
     s/"beams": { "stage": "beamformer", "input": "flag"/"again": { "stage": "flag", "window": 64, "false_alarms": 0.2, "input": { "X": "fft", "M": "flag.F" } },\n"beams": { "stage": "beamformer", "input": "again"/' packets.json >brought.json
one brought.json
ranks 2 "$CORNERTURN" run brought.json --quiet 2>err || { fail "flags that are brought"; cat err; }
same "flags that are brought"

# ---- other sources in parts: along all their dimensions but time, by seeking

source_case() { # NAME SOURCE RANKS GRID
    cat >source.json <<END
{ "cornerturn": 1, "block": { "T": 1024 }, "nodes": {
  "sky": { $2 },
  "fir": { "stage": "fir", "input": "sky", "channels": 8, "taps": 4 },
  "out": { "stage": "sink.npy", "input": "fir", "file": "out/fir.npy" } } }
END
    one source.json
    ranks "$3" "$CORNERTURN" run source.json --quiet --ranks "$4" 2>err || { fail "$1"; cat err; }
    same "$1"
}
raw='"stage": "source.raw", "file": "noise", "dims": "TSPC", "type": "ci8", "sizes": { "S": 3, "P": 2, "C": 4 }, "sample_time_s": 5.12e-6, "frequency_hz": [1.50e8, 1.502e8, 1.504e8, 1.506e8], "channel_width_hz": 195312.5'
source_case "raw numbers along stations" "$raw, \"layout\": \"S|P|TC\"" 4 S=2,P=2
source_case "raw numbers that grow" "$raw, \"layout\": \"TS|PC\", \"follow_s\": 0.2" 2 S=2
source_case "a simulated sky" '"stage": "source.simulate", "stations": 5, "samples": 5000, "layout": "S|PT", "pulses": [{"dm": 0.01, "time_s": 0.01, "width_s": 1e-4, "amplitude": 3, "az": 40, "el": 60}]' 3 S=3
source_case "powers in an array" '"stage": "source.simulate", "stations": 5, "samples": 5000' 2 P=2

# What only one rank reads otherwise, or cannot read again, is said once.
wrong() { # N CODE SENTENCE ARGUMENTS..
    local n=$1 code=$2 sentence=$3 found
    shift 3
    ranks "$n" "$@" >/dev/null 2>err
    found=$?
    [ $found = "$code" ] || { fail "'$sentence': expected exit code $code, found $found"; cat err; }
    [ "$(grep -c -- "$sentence" err)" = 1 ] || { fail "'$sentence' is not said once"; cat err; }
    [ -z "$(ls -A out)" ] || fail "'$sentence': $(ls -A out) is left"
    rm -f out/*
}
other() { echo "[ \$OMPI_COMM_WORLD_RANK = 1 ] && { cd other; }; exec \"$CORNERTURN\" run here.json --quiet"; }
rm -rf out/* one; mkdir -p other/out
cp s_S*.udp noise other/
sed "s|out/|$work/out/|" packets.json >here.json
cp here.json other/
rm other/s_S002_L1.udp
wrong 2 5 "s_S002_L1.udp" bash -c "$(other)"
cp s_S002_L1.udp other/; lose other/s_S002_L1.udp 511 510 509 508
wrong 2 3 "do not have the same start, length and shape of what the sources read" bash -c "$(other)"
mkfifo pipe
printf '%s' "{ \"cornerturn\": 1, \"block\": { \"T\": 1024 }, \"nodes\": { \"sky\": { ${raw/noise/pipe} }, \"out\": { \"stage\": \"sink.npy\", \"input\": \"sky\", \"file\": \"out/x.npy\" } } }" >piped.json
wrong 2 5 "what comes out of a pipe is read once" "$CORNERTURN" run piped.json

# ---- runs that end early

head -c $((24 * 800000)) /dev/urandom >long
cat >early.json <<END
{ "cornerturn": 1, "block": { "T": 1024 }, "nodes": {
  "sky": { ${raw/noise/long} },
  "fir": { "stage": "fir", "input": "sky", "channels": 8, "taps": 4 },
  "fft": { "stage": "fft", "input": "fir" },
  "vis": { "stage": "correlator", "input": "fft", "integrate": 64 },
  "a": { "stage": "sink.npy", "input": "vis", "file": "out/vis.npy" },
  "b": { "stage": "sink.raw", "input": "fft", "layout": "TSPC", "file": "out/fft.raw" } } }
END
one early.json

start() { # ARGUMENTS..: in the background, until some blocks are done
    ranks 2 bash -c "echo \$\$ >pid\$OMPI_COMM_WORLD_RANK; exec \"$CORNERTURN\" run early.json --quiet $*" >log 2>&1 &
    for _ in $(seq 1000); do [ -n "$(find out -name '.cornerturn*' -size +100k)" ] && break; sleep 0.02; done
}

# Killed: it goes on where it was, byte for byte.
start --resume --checkpoint 0
kill -KILL "$(cat pid1)" || fail "the run to be killed had ended"
wait
[ -n "$(find out -name '*.journal')" ] || fail "a killed run has left no journal"
ranks 2 "$CORNERTURN" run early.json --quiet --resume 2>err || { fail "a run that goes on"; cat err; }
grep -q "going on after block" err || fail "it began anew: $(cat err)"
same "a run that goes on"

# Interrupted, whichever rank: whole blocks are kept, and said once.
rm -rf out; mkdir out
start
kill -INT "$(cat pid1)" || fail "the run to be interrupted had ended"
wait %%
found=$?
[ $found = 130 ] || { fail "an interrupted run: expected exit code 130, found $found"; cat log; }
[ "$(grep -c "interrupted after block" log)" = 1 ] || { fail "an interrupt is not said once"; cat log; }
grep -q "kept: out/fft.raw: .* of .* blocks" log || { fail "an interrupted run says nothing of what it keeps"; cat log; }
[ -s out/fft.raw ] && head -c "$(stat -c %s out/fft.raw)" one/fft.raw | cmp -s - out/fft.raw ||
    fail "what an interrupted run keeps is another"

[ $failed -eq 0 ] && echo "ranks: sources and flags as one"
exit $((failed > 0))
