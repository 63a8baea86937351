#!/usr/bin/env bash
# psrfits_test.sh: sink.psrfits as other readers see it: what astropy reads of files of 2 to 32 bits, one and four products, with
# flags, is what sink.npy writes of the same array; and `your`, where it is there. Without astropy this is skipped.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "$0")/../shared/check.sh"
python=
for one in ${PSRFITS_PYTHON:-} python3 /usr/bin/python3; do
    "$one" -c 'import astropy.io.fits, numpy' 2>/dev/null && python=$one && break
done
[ -n "$python" ] || { echo "no python3 with astropy: skipped"; exit 77; }

in_a_folder
sinks=
for bits in 0 2 4 8 16 32; do
    sinks+=", \"p$bits\": { \"stage\": \"sink.psrfits\", \"input\": \"stokes\", \"file\": \"p$bits.sf\", \"bits\": $bits, \"row_samples\": 104 }"
done
cat >p.json <<END
{ "cornerturn": 1, "block": { "T": 6000 }, "observation": { "telescope": "LOFAR", "source_name": "J0000+0000" }, "nodes": {
  "v": { "stage": "source.simulate", "stations": 3, "samples": 30000, "start_mjd": 60310.123, "frequency_hz": 150e6,
         "tones": [{ "frequency_hz": 20000, "amplitude": 0.5 }] },
  "fir": { "stage": "fir", "input": "v", "channels": 12, "taps": 4 },
  "fft": { "stage": "fft", "input": "fir" },
  "stokes": { "stage": "detect", "input": "fft", "stokes": "IQUV", "integrate": 5 },
  "npy": { "stage": "sink.npy", "input": "stokes", "file": "p.npy", "layout": "STQC" }
  $sinks } }
END
if grep 'built without CFITSIO' <("$CORNERTURN" validate p.json 2>&1); then exit 77; fi
"$CORNERTURN" run p.json 2>log || fail "$(cat log)"

cat >read.py <<'END'
import json
import sys
import numpy as np
from astropy.io import fits

right = np.load("p.npy")
about = json.load(open("p.npy.json"))
stations, samples, products, channels = right.shape


def numbers(row, header):
    bits, data = header["NBITS"], np.asarray(row["DATA"])
    if bits < 8:
        data = np.unpackbits(data.ravel().view(np.uint8)).reshape(-1, bits) @ (1 << np.arange(bits)[::-1])
    shape = header["NSBLK"], header["NPOL"], header["NCHAN"]
    scale, offset = (np.asarray(row[name], float).reshape(1, *shape[1:]) for name in ("DAT_SCL", "DAT_OFFS"))
    return (data.reshape(shape).astype(float) - header["ZERO_OFF"]) * scale + offset


# Root mean squares, in deviations of the numbers. Few bits clip what is no Gaussian noise.
errors = {0: 0, 32: 0, 16: 1e-4, 8: 3e-2, 4: 0.3, 2: 0.7}
for bits, most in errors.items():
    for s in range(stations):
        file = fits.open(f"p{bits}_S{s:03}.sf")
        file.verify("exception")
        head, table = file[0].header, file["SUBINT"]
        assert (head["OBS_MODE"], head["TELESCOP"], head["OBSNCHAN"]) == ("SEARCH", "LOFAR", channels), head
        assert table.header["POL_TYPE"] == "IQUV" and table.header["NSTOT"] == samples
        begin = head["STT_IMJD"] + (head["STT_SMJD"] + head["STT_OFFS"]) / 86400
        expected = about["start_mjd"] + (about["start_s"] - about["sample_time_s"] / 2) / 86400
        assert abs(begin - expected) * 86400 < 1e-5, (begin, expected)
        assert np.allclose(table.data["DAT_FREQ"] * 1e6, about["frequency_hz"], rtol=1e-12)
        assert (table.data["DAT_WTS"] == 1).sum() >= 0.8 * table.data["DAT_WTS"].size
        rows = table.header["NSBLK"] * table.header["TBIN"]
        assert np.allclose(table.data["OFFS_SUB"], (np.arange(len(table.data)) + 0.5) * rows)
        found = np.concatenate([numbers(row, table.header) for row in table.data])[:samples]
        whole = np.repeat((table.data["DAT_WTS"] == 1).all(axis=1), table.header["NSBLK"])[:samples]
        error, noise = (found - right[s])[whole], right[s].std(axis=0)
        off = np.sqrt((error**2).mean(axis=0)) / noise
        assert error.size and off.max() <= most, (bits, s, off.max())
print("astropy: equal")

try:
    import your
except ImportError:
    sys.exit()
file = your.Your("p32_S001.sf")
found = file.get_data(0, samples)[whole]  # of several products the first, times weights
expected = right[1, whole, 0]
if file.your_header.foff < 0:
    expected = expected[:, ::-1]
assert np.array_equal(found, expected), np.abs(found - expected).max()
print("your: equal")
END
"$python" read.py || fail "astropy reads something else"
exit "$failed"
