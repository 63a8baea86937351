#!/usr/bin/env bash
# ms_test.sh: sink.ms as its readers see it. What python-casacore reads is what h5py reads of sink.uvh5 in
# the same run; wsclean finds a simulated source where it was put, as strong as the stations' own power says.
# A folder that is no Measurement Set is never replaced, a full disk is a message, a stopped run keeps
# whole integrations. Without casacore in the build all of it is skipped, without a reader its part.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "$0")/../shared/check.sh"

# Two sinks of one run: 15 stations within 2 km, a source 0.8 degrees east and 0.5 south of the phase centre.
sky()
{
    cat <<'END_OF'
{ "cornerturn": 1, "block": { "T": 16384 },
  "observation": { "telescope": "LOFAR", "source_name": "a field", "ra_deg": 299.868, "dec_deg": 40.734, "dut1_s": 0,
    "site": [3826577.462, 461022.624, 5064892.526],
    "stations": [[3825537.1, 460325.1, 5065739.2], [3826872.8, 461942.7, 5064587.5], [3826229.7, 459600.5, 5065286.5],
                 [3827390.9, 460446.3, 5064334.8], [3825811.5, 461877.4, 5065390.9], [3826518.8, 462413.3, 5064811.6],
                 [3827709.1, 461421.2, 5064008.7], [3826101.9, 460992.7, 5065254.3], [3825218.2, 461134.9, 5065898.5],
                 [3826983.1, 461183.7, 5064573.6], [3826399.2, 461389.5, 5064993.4], [3827150.7, 462005.3, 5064374.1],
                 [3826646.7, 460701.2, 5064869.4], [3825954.3, 459992.4, 5065455.2], [3826790.3, 459719.1, 5064853.3]] },
  "nodes": {
    "sky": { "stage": "source.simulate", "samples": 131072, "seed": 3, "start_mjd": 59759.06, "frequency_hz": 60e6,
             "type": "cf32", "noise": 0.5,
             "pulses": [ { "dm": 0, "time_s": 0.3, "width_s": 100, "amplitude": 1,
                           "ra_deg": 300.915876244118, "dec_deg": 40.22922608565403 } ] },
    "fir": { "stage": "fir", "input": "sky", "channels": 32, "taps": 4 },
    "fft": { "stage": "fft", "input": "fir" },
    "towards": { "stage": "delay", "input": "fft" },
    "vis": { "stage": "correlator", "input": "towards", "integrate": 512 },
    "uv": { "stage": "sink.uvh5", "input": { "X": "vis", "COUNTS": "vis.COUNTS" }, "file": "v.uvh5" },
    "ms": { "stage": "sink.ms", "input": { "X": "vis", "COUNTS": "vis.COUNTS" }, "file": "v.ms" } } }
END_OF
}

in_a_folder
sky >sky.json
if grep -E 'built without' <("$CORNERTURN" validate sky.json 2>&1); then exit 77; fi

"$CORNERTURN" run sky.json 2>log || fail "$(cat log)"
[ -z "$(find . -name '.cornerturn*')" ] || fail "left behind: $(find . -name '.cornerturn*')"

# One that is there is replaced, by the same bytes.
mv v.ms one && cp -r one v.ms && echo old >v.ms/old
MALLOC_PERTURB_=85 "$CORNERTURN" run sky.json 2>log || fail "$(cat log)"
diff -r one v.ms >log || fail "another run writes other bytes: $(cat log)"

# What is no Measurement Set stays: a folder, a file; nor can it be a device.
mkdir mine && echo precious >mine/text
check 'a folder of another kind is refused' says 5 'is no Measurement Set that could be replaced' \
    "$CORNERTURN" run sky.json --set ms.file=mine
[ "$(cat mine/text)" = precious ] || fail 'a folder was replaced'
echo precious >text
check 'a file is refused' says 5 'text: cannot be written: Not a directory' "$CORNERTURN" validate sky.json --set ms.file=text
check 'a device is refused' says 5 '/dev/null: cannot be written: Not a directory' "$CORNERTURN" validate sky.json --set ms.file=/dev/null
check 'a missing folder is refused' says 5 'No such file or directory' "$CORNERTURN" validate sky.json --set ms.file=no/v.ms

# The command without the module that should stand beside it.
mkdir alone && cp "$CORNERTURN" "$(dirname "$CORNERTURN")"/libcornerturn.so.0 alone || fail 'no copy of the command'
check 'a missing module is one sentence' says 3 'the module that writes Measurement Sets cannot be loaded' \
    env LD_LIBRARY_PATH="$PWD/alone" alone/cornerturn validate sky.json

# Three stations' noise from a file or a pipe: raw INPUT OUTPUT
raw()
{
    cat <<END_OF
{ "cornerturn": 1, "block": { "T": 4096 },
  "observation": { "ra_deg": 299.868, "dec_deg": 40.734, "dut1_s": 0, "stations": [[3826577.5, 461022.6, 5064892.5],
                   [3826877.3, 460953.4, 5064671.1], [3826177.1, 461322.9, 5065165.0]] },
  "nodes": {
    "v": { "stage": "source.raw", "file": "$1", "dims": "TSP", "type": "ci8", "sizes": { "S": 3, "P": 2 },
           "sample_time_s": 5.12e-6, "start_mjd": 59759.06, "frequency_hz": [60e6], "channel_width_hz": 195312.5 },
    "fir": { "stage": "fir", "input": "v", "channels": 16, "taps": 4 },
    "fft": { "stage": "fft", "input": "fir" },
    "towards": { "stage": "delay", "input": "fft" },
    "vis": { "stage": "correlator", "input": "towards", "integrate": 4 },
    "ms": { "stage": "sink.ms", "input": { "X": "vis", "COUNTS": "vis.COUNTS" }, "file": "$2" } } }
END_OF
}
sample=12
head -c $((131072 * sample)) /dev/urandom >noise.in

# A disk that is full: at once, at a journal's line, in the middle of rows.
mkdir disk
if mount -t tmpfs -o size=1m tmpfs disk 2>/dev/null; then
    trap 'cd /; umount "$work/disk"; rm -rf "$work"' EXIT
    raw noise.in disk/v.ms >full.json
    full()
    {
        mount -o remount,size=$1 disk
        "$CORNERTURN" run full.json ${@:2} 2>log
        code=$?
        [ "$code" = 5 ] && grep -q 'disk/v.ms: cannot be written: .*No space left' log || fail "$*: exit $code: $(cat log)"
        [ -e disk/v.ms ] && fail "$*: half a Measurement Set has the name"
        [ $# -gt 1 ] || [ -z "$(ls -A disk)" ] || fail "$*: left behind: $(ls -A disk)"
        find disk -mindepth 1 -delete
    }
    full 900k
    full 2m
    full 6m
    full 2m --resume --checkpoint 0
    full 6m --resume --checkpoint 0
else
    echo "no right to mount a small disk: that part is left out"
fi

# Readers: any python3 with both modules; the first may be another one than Debian's.
python=
for one in python3 /usr/bin/python3; do
    "$one" -c 'import casacore.tables, h5py, numpy' 2>/dev/null && python=$one && break
done
if [ -z "$python" ]; then
    echo "no python3 with casacore and h5py: what is in it is not looked at"
    echo "$failed failed"
    [ "$failed" -eq 0 ]
    exit
fi
cat >read.py <<'END'
import h5py, numpy as np
from casacore.tables import table
uv, ms = h5py.File("v.uvh5", "r"), table("v.ms", ack=False)
header, data = uv["Header"], uv["Data"]
get = lambda column: ms.getcol(column)
vis = data["visdata"][()]
vis = vis["r"] + 1j * vis["i"] if vis.dtype.names else vis
order = [0, 2, 3, 1]  # XX XY YX YY of XX YY XY YX
assert (get("DATA") == vis[..., order]).all() and vis.shape == (8 * 120, 32, 4)
assert (get("FLAG") == data["flags"][()][..., order]).all()
weight = data["nsamples"][()][..., order]
assert (get("WEIGHT_SPECTRUM") == weight).all() and weight.min() < 1
assert np.allclose(get("WEIGHT"), weight.mean(1), rtol=1e-6)
assert np.allclose(get("SIGMA"), 1 / np.sqrt(weight.mean(1)), rtol=1e-6)
assert (get("UVW") == header["uvw_array"][()]).all() and np.abs(get("UVW")).max() > 1000
assert (get("ANTENNA1") == header["ant_1_array"][()]).all() and (get("ANTENNA2") == header["ant_2_array"][()]).all()
apart = get("TIME") - (header["time_array"][()] - 2400000.5) * 86400
assert np.abs(apart).max() < 1e-4 and (np.diff(get("TIME")) >= 0).all() and (get("TIME_CENTROID") == get("TIME")).all()
assert (get("INTERVAL") == header["integration_time"][()]).all() and (get("EXPOSURE") == get("INTERVAL")).all()
assert not get("FLAG_ROW").any() and (get("SCAN_NUMBER") == 1).all()
for column in "FEED1 FEED2 DATA_DESC_ID FIELD_ID OBSERVATION_ID ARRAY_ID STATE_ID PROCESSOR_ID".split():
    assert (get(column) == 0).all(), column
sub = lambda name: table("v.ms/" + name, ack=False)
antenna, band, field, feed = sub("ANTENNA"), sub("SPECTRAL_WINDOW"), sub("FIELD"), sub("FEED")
site = np.array([3826577.462, 461022.624, 5064892.526])
assert np.abs(antenna.getcol("POSITION") - site - header["antenna_positions"][()]).max() < 1e-6
assert antenna.getcol("NAME") == [str(n) for n in range(15)] and feed.getcol("ANTENNA_ID").tolist() == list(range(15))
assert (band.getcell("CHAN_FREQ", 0) == header["freq_array"][()]).all() and (band.getcell("CHAN_WIDTH", 0) > 0).all()
centre = np.radians([299.868, 40.734])
for column in "PHASE_DIR DELAY_DIR REFERENCE_DIR".split():
    assert np.abs(field.getcell(column, 0) - centre).max() < 1e-12
    assert field.getcolkeyword(column, "MEASINFO")["Ref"] == "ICRS"
assert field.getcell("NAME", 0) == "a field"
assert sub("POLARIZATION").getcell("CORR_TYPE", 0).tolist() == [9, 10, 11, 12]
assert sub("POLARIZATION").getcell("CORR_PRODUCT", 0).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
assert feed.getcell("POLARIZATION_TYPE", 0) == ["X", "Y"]
seen = sub("OBSERVATION")
half = get("INTERVAL")[0] / 2
assert seen.getcell("TELESCOPE_NAME", 0) == "LOFAR"
assert np.abs(seen.getcell("TIME_RANGE", 0) - [get("TIME")[0] - half, get("TIME")[-1] + half]).max() < 1e-5
assert "sink.ms" in sub("HISTORY").getcell("MESSAGE", 0)
for name in "DATA_DESCRIPTION FIELD HISTORY OBSERVATION POLARIZATION PROCESSOR SPECTRAL_WINDOW STATE".split():
    assert sub(name).nrows() == 1, name
assert ms.getkeyword("MS_VERSION") == 2
print(ms.nrows(), "rows are those of the UVH5 file")
END
"$python" read.py || fail "what python-casacore reads is not what UVH5 has"

# What lacks samples: of one station all for a time, so that some baselines have nothing; counts for each channel.
cat >gaps.py <<'END'
import h5py, numpy as np
from casacore.tables import table
ms, data = table("v.ms", ack=False), h5py.File("v.uvh5", "r")["Data"]
order = [0, 2, 3, 1]
flag, weight = ms.getcol("FLAG"), ms.getcol("WEIGHT_SPECTRUM")
assert (flag == data["flags"][()][..., order]).all() and 0 < flag.mean() < 0.5
assert (weight == data["nsamples"][()][..., order]).all() and (weight[flag] == 0).all()
assert (ms.getcol("FLAG_ROW") == flag.all((1, 2))).all() and ms.getcol("FLAG_ROW").any()
sigma = ms.getcol("SIGMA")
assert (sigma[ms.getcol("WEIGHT") == 0] == -1).all() and np.isfinite(sigma).all()
print("%.3f flagged" % flag.mean())
END
"$CORNERTURN" simulate s.udp stations=3 samples=131072 seed=6 start_mjd=59759.06 >log 2>&1 || fail "$(cat log)"
{ head -c 80000 s_S001.udp; tail -c +240001 s_S001.udp; } >cut && mv cut s_S001.udp
cat >gaps.json <<'END'
{ "cornerturn": 1, "block": { "T": 4096 },
  "observation": { "ra_deg": 299.868, "dec_deg": 40.734, "dut1_s": 0, "stations": [[3826577.5, 461022.6, 5064892.5],
                   [3826877.3, 460953.4, 5064671.1], [3826177.1, 461322.9, 5065165.0]] },
  "nodes": {
    "v": { "stage": "source.lofar", "files": [["s_S000.udp"], ["s_S001.udp"], ["s_S002.udp"]], "subbands": 256, "zone": 1 },
    "fir": { "stage": "fir", "input": "v", "channels": 16, "taps": 4 },
    "fft": { "stage": "fft", "input": "fir" },
    "towards": { "stage": "delay", "input": "fft" },
    "vis": { "stage": "correlator", "input": "towards", "integrate": 64 },
    "uv": { "stage": "sink.uvh5", "input": { "X": "vis", "COUNTS": "vis.COUNTS" }, "file": "v.uvh5" },
    "ms": { "stage": "sink.ms", "input": { "X": "vis", "COUNTS": "vis.COUNTS" }, "file": "v.ms" } } }
END
"$CORNERTURN" run gaps.json 2>log || fail "$(cat log)"
"$python" gaps.py || fail "flags and weights are not those of UVH5"

# A run that is stopped keeps whole integrations: 6 baselines of each 64 samples, in blocks of 64 integrations.
mkfifo feed
raw feed stopped.ms >stopped.json
{ head -c $((20 * 4096 * sample + 2000 * sample)) noise.in; exec sleep 60; } >feed & writer=$!
"$CORNERTURN" run stopped.json 2>log & run=$!
for _ in $(seq 200); do
    [ -n "$(find . -path './.cornerturn*' -name 'table.f*_TSM0' -size +300k 2>/dev/null)" ] && break
    sleep 0.1
done
sleep 0.5
kill -INT "$run"
wait "$run"; code=$?
kill "$writer"
[ "$code" = 130 ] || fail "a stopped run: exit $code: $(cat log)"
"$python" - <<'END' || fail "a stopped run's Measurement Set is not whole: $(cat log)"
from casacore.tables import table
ms = table("stopped.ms", ack=False)
said = table("stopped.ms/HISTORY", ack=False).getcell("MESSAGE", 0)
print(ms.nrows() // 6, "integrations,", said)
assert ms.nrows() == 20 * 64 * 6 and ms.getcol("DATA").any(axis=(1, 2))[64:].all() and "stopped after block 20" in said
END

# An image: of Stokes I, where the source's power over the stations' own is 1 / (1 + 0.5^2).
if command -v wsclean >/dev/null; then
    OPENBLAS_NUM_THREADS=1 wsclean -name image -size 1024 1024 -scale 10asec -pol I -weight natural -niter 0 -no-update-model-required one >log 2>&1 ||
        fail "wsclean: $(tail -n 5 log)"
    cat >find.py <<'END'
import numpy as np
from casacore.tables import table
raw = open("image-dirty.fits", "rb").read()
cards, at = {}, 0
while not raw[at:at + 8].startswith(b"END"):
    card = raw[at:at + 80].decode("ascii", "replace")
    cards[card[:8].strip()] = card[10:].split(" /")[0].strip()
    at += 80
at = (at // 2880 + 1) * 2880
image = np.frombuffer(raw[at:at + 4 * 1024 * 1024], ">f4").reshape(1024, 1024)
y, x = np.unravel_index(np.argmax(image), image.shape)
top = lambda a, b, c: (a - c) / (2 * (a - 2 * b + c))
x1 = x + top(image[y, x - 1], image[y, x], image[y, x + 1]) + 1 - float(cards["CRPIX1"])
y1 = y + top(image[y - 1, x], image[y, x], image[y + 1, x]) + 1 - float(cards["CRPIX2"])
place = [x1 * float(cards["CDELT1"]), y1 * float(cards["CDELT2"])]
expected = [np.degrees(np.sin(np.radians(0.8))), np.degrees(np.sin(np.radians(-0.5)))]
ms = table("one", ack=False)
own = ms.getcol("DATA")[ms.getcol("ANTENNA1") == ms.getcol("ANTENNA2")][..., [0, 3]].real.mean()
flux = image.max() / own * 1.25
print("a source at l, m = %.4f, %.4f degrees, expected 0.8000, -0.5000; flux %.3f of 1" % (*place, flux))
assert np.hypot(place[0] - expected[0], place[1] - expected[1]) < 5 / 3600 and abs(flux - 1) < 0.03
END
    "$python" find.py || fail "wsclean finds the source elsewhere"
else
    echo "no wsclean: no image"
fi
echo "$failed failed"
[ "$failed" -eq 0 ]
