#!/usr/bin/env bash
# info_test.sh: `cornerturn info FILE` knows what the product writes and reads: a file of every source and sink that
# `cornerturn info stages` lists, and what the command itself leaves. Files are made by running pipelines.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "$0")/../shared/check.sh"
in_a_folder

# ---- files

run() { "$CORNERTURN" run "$@" >log 2>&1 || fail "run $*: $(cat log)"; }
"$CORNERTURN" simulate sky.npy stations=3 samples=40000 >log 2>&1 || fail "$(cat log)"
"$CORNERTURN" simulate sky.udp stations=1 samples=1600 >log 2>&1 || fail "$(cat log)"
"$CORNERTURN" simulate sky.fil duration_s=3 channels=64 sample_time_s=1e-3 frequency_hz=1400e6 bandwidth_hz=300e6 \
    'pulses=[{"dm": 100, "time_s": 1.5, "width_s": 0.004, "amplitude": 3}]' >log 2>&1 || fail "$(cat log)"
cat >band.json <<'END'
{ "cornerturn": 1, "nodes": {
  "band": { "stage": "source.sigproc", "file": "sky.fil" },
  "fits": { "stage": "sink.psrfits", "input": "band", "file": "band.sf" },
  "dd": { "stage": "dedisp", "input": "band", "dm": [ { "start": 90, "step": 10, "count": 3 } ] },
  "tim": { "stage": "sink.sigproc", "input": "dd", "file": "s.tim" },
  "presto": { "stage": "sink.presto", "input": "dd", "file": "p.dat" },
  "pulses": { "stage": "pulses", "input": "dd", "threshold": 7 },
  "found": { "stage": "sink.candidates", "input": "pulses", "file": "found.json", "csv": "found.csv", "picture": "found.svg",
             "singlepulse": "found.singlepulse", "heimdall": "found.cand", "t2": "found_t2.csv" } } }
END
cat >sky.json <<'END'
{ "cornerturn": 1, "nodes": {
  "v": { "stage": "source.npy", "file": "sky.npy" },
  "raw": { "stage": "sink.raw", "input": "v", "file": "v.raw" },
  "npy": { "stage": "sink.npy", "input": "v", "file": "v.npy" },
  "dada": { "stage": "sink.dada", "input": "v", "file": "v.dada" },
  "w": { "stage": "source.npy", "file": "sky.npy", "sample_time_s": 5e-6 },
  "vdif": { "stage": "sink.vdif", "input": "w", "file": "v.vdif" } } }
END
run band.json --trace --stats stats.json --metrics metrics.txt
"$CORNERTURN" run sky.json --trace --json >trace.json 2>log || fail "$(cat log)"
"$CORNERTURN" explain band.json --save plan.json >log 2>&1 || fail "$(cat log)"
"$CORNERTURN" explain band.json --json >explain.json 2>log || fail "$(cat log)"
"$CORNERTURN" plot s_DM90.000.tim -o s.png >log 2>&1 || fail "$(cat log)"
{ printf '%-80s' 'BLOCSIZE= 16000' 'OBSNCHAN= 2' 'NPOL    = 4' 'NBITS   = 8' 'PKTSIZE = 16000' 'PKTIDX  = 1' 'TBIN    = 5E-6' \
    'OBSFREQ = 150' 'OBSBW   = 0.4' END; head -c 16000 /dev/zero; } >g.raw
mkdir guppi && mv g.raw guppi
# The journal of a run that dies
echo '{ "cornerturn": 1, "block": { "T": 16 }, "nodes": {
  "v": { "stage": "source.npy", "file": "sky.npy" }, "out": { "stage": "sink.raw", "input": "v", "file": "died/x.raw" } } }' >died.json
mkdir died
"$CORNERTURN" run died.json --resume --checkpoint 0 2>log & dying=$!
for _ in $(seq 1000); do
    [ -n "$(find died -name '.cornerturn*.journal' -size +0 2>/dev/null)" ] && break
    sleep 0.005
done
kill -KILL $dying 2>/dev/null; wait $dying 2>/dev/null
find died -name '.cornerturn*.journal' -exec cp {} run.journal \;

hdf5=''
cat >uv.json <<'END'
{ "cornerturn": 1, "block": { "T": 4000 },
  "observation": { "stations": [[3826577.5, 461022.6, 5064892.5], [3826877.3, 460953.4, 5064671.1],
                                [3826177.1, 461322.9, 5065165.0]] }, "nodes": {
  "v": { "stage": "source.npy", "file": "sky.npy" },
  "fir": { "stage": "fir", "input": "v", "channels": 16, "taps": 8 },
  "fft": { "stage": "fft", "input": "fir" },
  "vis": { "stage": "correlator", "input": "fft", "integrate": 10 },
  "a": { "stage": "sink.uvh5", "input": { "X": "vis", "COUNTS": "vis.COUNTS" }, "file": "v.uvh5" },
  "power": { "stage": "detect", "input": "fft", "integrate": 7 },
  "f": { "stage": "sink.fbh5", "input": "power", "file": "f.h5" },
  "p": { "stage": "sink.lofar_bf", "input": "power", "file": "bf.h5", "raw": true } } }
END
if grep 'built without HDF5' <("$CORNERTURN" validate uv.json 2>&1); then
    echo 'HDF5: skipped'
else
    hdf5=yes
    run uv.json
    echo '{ "cornerturn": 1, "nodes": { "band": { "stage": "source.sigproc", "file": "sky.fil" },
      "cuts": { "stage": "sink.cutouts", "input": "band", "candidates": "found.json", "file": "cut.h5" } } }' >cuts.json
    run cuts.json
fi
ms=''
sed 's|"fft": {|"towards": { "stage": "delay", "input": "fft", "radec": [299.87, 40.73] },\n  &|
     s|"input": "fft", "integrate": 10|"input": "towards", "integrate": 10|; s/sink.uvh5/sink.ms/; s|v.uvh5|v.ms|
     /"f":/d; s|"power".*|"x": { "stage": "sink.npy", "input": "fir", "file": "x.npy" } } }|; /"p":/d' uv.json >ms.json
if grep -E 'built without|cannot be loaded' <("$CORNERTURN" validate ms.json 2>&1); then echo 'Measurement Set: skipped'; else ms=yes; run ms.json; fi
h5parm=''
for python in "${PYTHON:-python3}" python3 /usr/bin/python3; do
    [ -n "$hdf5" ] && "$python" - 2>/dev/null <<'END' && h5parm=yes && break
import h5py, numpy as np
with h5py.File("gains.h5", "w") as file:
    table = file.create_group("sol000/phase000")
    table.attrs["TITLE"] = np.bytes_("phase")
    for name in "val", "weight":
        table.create_dataset(name, data=np.zeros((4, 3))).attrs["AXES"] = np.bytes_("time,ant")
END
done

# ---- what is said: stages : file : a part of it; "-": what the command leaves, for which there is no stage
cat >rows <<'L'
source.npy sink.npy:v.npy:NumPy
-:v.npy.json:the description of the array beside it
source.raw sink.raw:v.raw:numbers without a header
source.sigproc sink.sigproc:sky.fil:SIGPROC filterbank
source.sigproc sink.sigproc:s_DM90.000.tim:SIGPROC time series
source.presto sink.presto:p_DM100.000.dat:PRESTO time series
source.presto sink.presto:p_DM100.000.inf:PRESTO's description of the .dat
source.dada sink.dada:v_S000.dada:DADA
source.vdif sink.vdif:v_S000.vdif:VDIF
source.guppi:guppi/g.raw:GUPPI
source.lofar sink.lofar:sky.udp:station packets
sink.candidates:found.json:candidates
sink.candidates:found.csv:candidates, a table
sink.candidates:found_t2.csv:candidates, a table
sink.candidates:found.singlepulse:candidates, a table
sink.candidates:found.cand:heimdall's table
sink.candidates:found.svg:a picture (SVG)
-:s.png:a picture (PNG)
-:band.json:a pipeline
-:plan.json:a plan
-:explain.json:explain --json
-:trace.json:times of a run
-:stats.json:a run's progress
-:metrics.txt:OpenMetrics
-:run.journal:the journal of a run
L
grep -q CFITSIO <("$CORNERTURN" info band.sf 2>&1) || echo 'source.psrfits sink.psrfits:band.sf:PSRFITS' >>rows
[ -z "$hdf5" ] || cat >>rows <<'L'
source.fbh5 sink.fbh5:f_S001.h5:FBH5 filterbank
source.lofar_bf sink.lofar_bf:bf_S001.h5:LOFAR beam-formed data (ICD 3), HDF5
source.lofar_bf sink.lofar_bf:bf_S001.raw:LOFAR beam-formed data (ICD 3), samples
sink.uvh5:v.uvh5:UVH5
sink.cutouts:cut_000.h5:a candidate's cut-out
L
[ -z "$ms" ] || echo 'sink.ms:v.ms:Measurement Set' >>rows
[ -z "$h5parm" ] || echo '-:gains.h5:phase, time,ant 4 x 3' >>rows
count=0
while IFS=: read -r _ file text; do
    count=$((count + 1))
    "$CORNERTURN" info "$file" >log 2>&1 || fail "info $file: $(cat log)"
    grep -qF "$text" log || fail "info $file does not say \"$text\": $(cat log)"
done <rows

# A source or sink without a file above: those that have none, and what this build cannot do
none='source.simulate source.caller sink.caller'
[ -n "$hdf5" ] || none+=' source.fbh5 sink.fbh5 source.lofar_bf sink.lofar_bf sink.uvh5 sink.cutouts'
[ -n "$ms" ] || none+=' sink.ms'
grep -q '^source.psrfits' rows || none+=' source.psrfits sink.psrfits'
for stage in $("$CORNERTURN" info stages | awk '/^(source|sink)\./ { print $1 }'); do
    [[ " $none " == *" $stage "* ]] || grep -qE "^([^:]* )?$stage[ :]" rows || fail "no file of $stage is described"
done
echo "$count files, $failed failed"
[ "$failed" -eq 0 ]
