#!/usr/bin/env bash
# baseband_test.sh: sink.dada as baseband reads it, and baseband's files as source.dada does: every
# sample, the time of the first and the last, the band. Skipped where no python3 has baseband.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "$0")/../shared/check.sh"
# Any python3 with baseband: PYTHON, or one of the system's.
python=
for one in "${PYTHON:-python3}" python3 /usr/bin/python3; do
    "$one" -c 'import baseband, astropy' 2>/dev/null && python=$one && break
done
[ -n "$python" ] || { echo "no python3 with baseband: skipped"; exit 77; }

in_a_folder
cat >make.py <<'END'
import json
import numpy as np
from astropy import units as u
from astropy.time import Time
from baseband import dada
noise = np.random.default_rng(5)
# 2 polarizations, 4 channels (baseband cuts samples of whole words of 4 bytes only), 1009 samples of 5.12 us, from 0.3 of a sample after the second's 7th on
step = 5.12e-6
for name, pols, channels in (("one", 2, 1), ("many", 1, 4), ("both", 2, 4)):
    data = noise.integers(-128, 128, (1, pols, 1009, channels, 2)).astype("i1")
    np.save(name + ".npy", data)
    json.dump({"dims": "SPTC", "sample_time_s": step, "start_mjd": 59337.25, "start_s": 7.8 * step,
               "channel_width_hz": 195312.5, "source_name": "PSR B0329+54", "telescope": "LOFAR",
               "frequency_hz": [150e6 + 195312.5 * c for c in range(channels)]},
              open(name + ".json", "w"))
# baseband's own file, of two polarizations and four channels
header = dada.DADAHeader.fromvalues(time=Time("2021-05-03T06:00:00"), sample_rate=1 / (5.12 * u.us),
    samples_per_frame=1009, npol=2, nchan=4, bps=8, complex_data=True, freq=150.29296875, bw=0.78125)
volts = np.load("both.npy")[0].astype("f4")
with dada.open("theirs.dada", "ws", header0=header) as out:
    out.write((volts[..., 0] + 1j * volts[..., 1]).transpose(1, 0, 2))
END
"$python" make.py || { echo "baseband could not write"; exit 1; }

# copy SOURCE SINK
copy() { echo "{ \"cornerturn\": 1, \"nodes\": { \"a\": { $1 }, \"b\": { $2, \"input\": \"a\" } } }" >copy.json
         "$CORNERTURN" run copy.json >log 2>&1 || fail "$(cat log)"; }
for name in one many both; do
    copy "\"stage\": \"source.npy\", \"file\": \"$name.npy\"" \
         "\"stage\": \"sink.dada\", \"file\": \"$name.dada\", \"order\": \"TPF\""
done
copy '"stage": "source.dada", "files": "theirs.dada", "order": "TPF"' \
     '"stage": "sink.npy", "file": "theirs.npy", "layout": "SPTC"'

cat >read.py <<'END'
import json
import numpy as np
from astropy import units as u
from astropy.time import Time
from baseband import dada
step = 5.12e-6
start = Time(59337, 0.25, format="mjd", scale="utc") + 7.3 * step * u.s
for name, channels in (("one", 1), ("many", 4), ("both", 4)):
    expected = np.load(name + ".npy")[0].astype("f4")
    expected = (expected[..., 0] + 1j * expected[..., 1]).transpose(1, 0, 2)
    with dada.open(name + ".dada", "rs", squeeze=False) as file:
        assert file.shape == expected.shape, file.shape
        assert (file.read() == expected).all(), name
        early, late = file.start_time - start, file.stop_time - start - 1009 * step * u.s
        print(name, "off by %.2g s and %.2g s" % (early.sec, late.sec))
        assert abs(early.sec) < 1e-9 and abs(late.sec) < 1e-9
        header = file.header0
        assert abs(header["FREQ"] * 1e6 - 150e6 - 195312.5 * (channels - 1) / 2) < 1e-3
        assert abs(header["BW"] * 1e6 - 195312.5 * channels) < 1e-6 and file.header0.sideband
        assert header["SOURCE"] == "PSR_B0329+54" and header["TELESCOPE"] == "LOFAR"
        file.seek(start + 500 * step * u.s)
        assert file.tell() == 500 and (file.read(9) == expected[500:509]).all()
ours, about = np.load("theirs.npy"), json.load(open("theirs.npy.json"))
assert (ours.reshape(1, 2, 1009, 4, 2) == np.load("both.npy")).all()
assert about["start_mjd"] == 59337.25 and abs(about["start_s"] - step / 2) < 1e-12
assert abs(about["sample_time_s"] - step) < 1e-15
assert np.allclose(about["frequency_hz"], 150e6 + 195312.5 * np.arange(4), rtol=1e-12)
END
"$python" read.py || fail "what baseband reads is not what was written"
echo "$failed failed"
[ "$failed" -eq 0 ]
