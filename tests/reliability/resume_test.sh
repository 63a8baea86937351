#!/usr/bin/env bash
# resume_test.sh: runs that are killed at random moments, and gone on with until they are done, write
# byte for byte what an undisturbed run writes: with histories, sums over blocks, packets (lost ones
# too), searches for pulses, several sinks. KILLS=200 for so many kills (3; with EXHAUSTIVE=1
# 8); SEED=n for the same moments.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
# Kills do not ask for a disk that keeps its word, and this one is fast.
[ -w /dev/shm ] && export TMPDIR=/dev/shm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C POCL_AFFINITY=1
seed=${SEED:-$((RANDOM * 32768 + RANDOM))}
RANDOM=$((seed % 32768))
kills=${KILLS:-$((${EXHAUSTIVE:-0} ? 8 : 3))}
failed=0 killed=0 resumed=0

fail() { echo "failed (SEED=$seed): $*"; failed=$((failed + 1)); }
hidden() { find . -name '.cornerturn*'; }

mkdir in
"$CORNERTURN" simulate in/sky.npy stations=3 samples=600000 seed=5 'pulses=[{"dm": 3, "time_s": 0.2, "width_s": 0.002, "amplitude": 2}]' >log 2>&1 || fail "$(cat log)"
"$CORNERTURN" simulate in/s.udp stations=2 samples=600000 seed=6 >log 2>&1 || fail "$(cat log)"
# Packets of one beamlet have 80 bytes: two are swapped, 123 are lost.
for file in in/s*.udp; do
    { head -c 80000 "$file"; tail -c +80081 "$file" | head -c 80; tail -c +80001 "$file" | head -c 80
      tail -c +90001 "$file"; } >cut && mv cut "$file"
done
# Odd blocks, so that histories, sums and packets begin and end within them.
cat >sky.json <<'END'
{ "cornerturn": 1, "block": { "T": 4000 }, "nodes": {
  "v": { "stage": "source.npy", "file": "in/sky.npy" },
  "fir": { "stage": "fir", "input": "v", "channels": 16, "taps": 8 },
  "power": { "stage": "detect", "input": "fir", "integrate": 7 },
  "dd": { "stage": "dedisp", "input": "power", "dm": [ { "start": 0, "step": 0.5, "count": 12 } ] },
  "vis": { "stage": "correlator", "input": "fir", "integrate": 1193 },
  "long": { "stage": "correlator", "input": "fir", "integrate": 500 },
  "series": { "stage": "sink.sigproc", "input": "dd", "file": "out/s.tim" },
  "presto": { "stage": "sink.presto", "input": "dd", "file": "out/p.dat" },
  "bank": { "stage": "sink.sigproc", "input": "power", "file": "out/p.fil" },
  "fits": { "stage": "sink.psrfits", "input": "power", "file": "out/p.sf", "bits": 4, "row_samples": 264 },
  "dada": { "stage": "sink.dada", "input": "fir", "file": "out/x.dada" },
  "search": { "stage": "sink.candidates", "input": "dd", "file": "out/f.json", "picture": "out/f.svg" },
  "pulses": { "stage": "pulses", "input": "dd", "threshold": 3.5 },
  "found": { "stage": "sink.candidates", "input": "pulses", "file": "out/g.json", "csv": "out/g.csv", "t2": "out/t2.csv" },
  "filtered": { "stage": "sink.npy", "input": "fir", "file": "out/x.npy", "layout": "SCPT" },
  "a": { "stage": "sink.npy", "input": "vis", "file": "out/v.npy" },
  "b": { "stage": "sink.npy", "input": "long.COUNTS", "file": "out/n.npy" } } }
END
cat >packets.json <<'END'
{ "cornerturn": 1, "block": { "T": 4000 }, "nodes": {
  "v": { "stage": "source.lofar", "files": [["in/s_S000.udp"], ["in/s_S001.udp"]], "span": "all", "subbands": 256, "zone": 1 },
  "fir": { "stage": "fir", "input": "v", "channels": 8, "taps": 16 },
  "vis": { "stage": "correlator", "input": "fir", "integrate": 1187 },
  "again": { "stage": "sink.lofar", "input": "v", "file": "out/s.udp", "lost": 0.2 },
  "a": { "stage": "sink.npy", "input": "vis", "file": "out/v.npy" },
  "b": { "stage": "sink.raw", "input": "vis.COUNTS", "file": "out/n.raw" } } }
END

# GUPPI raw: 300 blocks of 2000 samples, of which every seventh is lost.
for index in $(seq 300); do
    [ $((index % 7)) -ne 3 ] || continue
    printf '%-80s' 'BLOCSIZE= 16000' 'OBSNCHAN= 2' 'NPOL    = 4' 'NBITS   = 8' 'PKTSIZE = 16000' "PKTIDX  = $index" 'TBIN    = 5E-6' \
        'OBSFREQ = 150' 'OBSBW   = 0.4' END
    tail -c +$((index * 999)) in/sky.npy | head -c 16000
done >in/g.raw
cat >guppi.json <<'END'
{ "cornerturn": 1, "block": { "T": 4000 }, "nodes": {
  "v": { "stage": "source.guppi", "files": "in/g.raw" },
  "vis": { "stage": "correlator", "input": "v", "integrate": 1187 },
  "copy": { "stage": "sink.npy", "input": "v", "file": "out/g.npy", "layout": "SPTC" },
  "a": { "stage": "sink.npy", "input": "vis", "file": "out/v.npy" },
  "b": { "stage": "sink.raw", "input": "vis.COUNTS", "file": "out/n.raw" } } }
END

# VDIF: frames of 640 bytes and a header, of two threads, of which some are lost.
cat >make.json <<'END'
{ "cornerturn": 1, "nodes": {
  "v": { "stage": "source.raw", "file": "in/sky.npy", "skip_bytes": 128, "dims": "TP", "type": "ci8", "sizes": { "P": 2 },
         "sample_time_s": 5e-6 },
  "out": { "stage": "sink.vdif", "input": "v", "file": "in/all.vdif", "samples_per_frame": 320 } } }
END
"$CORNERTURN" run make.json >log 2>&1 || fail "$(cat log)"
{ head -c 672000 in/all.vdif; tail -c +674689 in/all.vdif | head -c 1344000; tail -c +2100001 in/all.vdif; } >in/v.vdif
cat >vdif.json <<'END'
{ "cornerturn": 1, "block": { "T": 4000 }, "nodes": {
  "in": { "stage": "source.vdif", "files": "in/v.vdif" },
  "fir": { "stage": "fir", "input": "in", "channels": 16, "taps": 8 },
  "vis": { "stage": "correlator", "input": "fir", "integrate": 1193 },
  "again": { "stage": "sink.vdif", "input": "in", "file": "out/v.vdif", "bits": 4, "scale": 0.05 },
  "copy": { "stage": "sink.npy", "input": "in", "file": "out/g.npy", "layout": "SPT" },
  "a": { "stage": "sink.npy", "input": "vis", "file": "out/v.npy" },
  "b": { "stage": "sink.raw", "input": "vis.COUNTS", "file": "out/n.raw" } } }
END

cat >uv.json <<'END'
{ "cornerturn": 1, "block": { "T": 4000 },
  "observation": { "stations": [[3826577.5, 461022.6, 5064892.5], [3826877.3, 460953.4, 5064671.1],
                                [3826177.1, 461322.9, 5065165.0]] }, "nodes": {
  "v": { "stage": "source.npy", "file": "in/sky.npy" },
  "fir": { "stage": "fir", "input": "v", "channels": 16, "taps": 8 },
  "fft": { "stage": "fft", "input": "fir" },
  "vis": { "stage": "correlator", "input": "fft", "integrate": 10 },
  "a": { "stage": "sink.uvh5", "input": { "X": "vis", "COUNTS": "vis.COUNTS" }, "file": "out/v.uvh5" },
  "power": { "stage": "detect", "input": "fft", "integrate": 7 },
  "p": { "stage": "sink.lofar_bf", "input": "power", "file": "out/p.h5" },
  "f": { "stage": "sink.fbh5", "input": "power", "file": "out/f.h5", "compression": "gzip" },
  "x": { "stage": "sink.lofar_bf", "input": "fft", "file": "out/x.h5", "raw": true } } }
END
names="sky packets guppi vdif uv"
if grep 'built without HDF5' <("$CORNERTURN" validate uv.json 2>&1); then
    echo "sink.uvh5, sink.lofar_bf, sink.fbh5: skipped"
    names="sky packets guppi vdif"
fi

# A Measurement Set is a folder; its samples are delayed towards a place first.
sed 's|"fft": {|"towards": { "stage": "delay", "input": "fft", "radec": [299.87, 40.73] },\n  &|
     s|"input": "fft", "integ|"input": "towards", "integ|; s/sink.uvh5/sink.ms/; s|out/v.uvh5|out/v.ms|' uv.json >ms.json
if grep -E 'built without|cannot be loaded' <("$CORNERTURN" validate ms.json 2>&1); then
    echo "sink.ms: skipped"
else
    names="$names ms"
fi

# compare NAME: with the undisturbed run, what it said of its inputs included; and nothing else is there
compare()
{
    diff -r out "whole.$1" >log.diff || fail "$1: another output than of an undisturbed run: $(cat log.diff)"
    diff <(grep '^v: ' log) <(grep '^v: ' log.whole) || fail "$1: another account of the input"
    [ -z "$(hidden)" ] || fail "$1: left behind: $(hidden)"
    rm -rf out
}

# lines: in the journal
lines() { cat out/.cornerturn*.journal 2>/dev/null | wc -l; }

# go_on NAME KILLS: kills it so often, mostly once blocks are done, and then until it is done. `long`:
# milliseconds of a run
go_on()
{
    local code before n=0
    while :; do
        mkdir -p out
        before=$(lines)
        "$CORNERTURN" run "$1.json" --resume --checkpoint 0 2>log & run=$!
        if [ "$n" -lt "$2" ]; then
            for _ in $(seq $((RANDOM % 4 * 400))); do
                [ "$(lines)" -gt $((before < 3 ? 2 : before)) ] || ! kill -0 "$run" 2>/dev/null && break
                sleep 0.002
            done
            wait=$((RANDOM * long / 130000))
            sleep "$(printf '%d.%03d' $((wait / 1000)) $((wait % 1000)))"
            kill -KILL "$run" 2>/dev/null
        fi
        wait "$run" 2>/dev/null; code=$?
        grep -q 'going on' log && resumed=$((resumed + 1))
        [ "$code" = 0 ] || [ "$code" = 137 ] || { fail "$1: exit $code: $(cat log)"; return; }
        [ "$code" = 137 ] && n=$((n + 1)) killed=$((killed + 1)) && continue
        compare "$1"
        [ "$n" -lt "$2" ] || return
    done
}

for name in $names; do
    mkdir out
    "$CORNERTURN" run "$name.json" 2>log.whole || fail "$name: $(cat log.whole)"
    mv out "whole.$name" && mkdir out
    start=$(date +%s%N)
    "$CORNERTURN" run "$name.json" --resume --checkpoint 0 --stats stats 2>log || fail "$name: $(cat log)"
    long=$((($(date +%s%N) - start) / 1000000))
    told=$(sed -n '$s/.*"time_s": *\([0-9]*\).*/\1/p' stats)
    [ "${told:-$long}" -le $((long / 1000)) ] || fail "$name: began ${told:-?} s ago, and ran for $long ms"
    compare "$name"
    go_on "$name" $(((kills + 2) / 3))
done
echo "$killed kills, $resumed runs went on from a journal, $failed failed"
[ "$failed" -eq 0 ]
