#!/usr/bin/env bash
# guppi_test.sh: what source.guppi reads is what baseband and blimpy read of the same files: 8, 4 and 2 bits, blocks that
# overlap, headers that DIRECTIO fills up, several files, time slowest; and the time of the first sample. Skipped where no
# python3 has both.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "$0")/../shared/check.sh"
python=
for one in "${PYTHON:-python3}" python3 /usr/bin/python3; do
    "$one" -c 'import baseband, blimpy.guppi' 2>/dev/null && python=$one && break
done
[ -n "$python" ] || { echo "no python3 with baseband and blimpy: skipped"; exit 77; }

in_a_folder
cat >make.py <<'END'
import shutil
import numpy as np
from astropy import units as u
from astropy.time import Time
from baseband import guppi
from baseband.data import SAMPLE_PUPPI
shutil.copy(SAMPLE_PUPPI, "puppi.raw")
noise = np.random.default_rng(7)

# baseband's own: 5 blocks of 320 samples over two files, 6 channels; and time slowest
for name, packets, directio in (("ours", "1SFA", 0), ("filled", "1SFA", 1), ("simple", "SIMPLE", 0)):
    header = guppi.GUPPIHeader.fromvalues(
        time=Time("2021-05-03T06:00:07"), sample_rate=-3 * u.MHz / 6, samples_per_frame=320, npol=2, nchan=6,
        bps=8, obsfreq=1400.5, pktfmt=packets, pktsize=384, pktidx=0, directio=directio)
    data = noise.integers(-128, 128, (1600, 2, 6, 2)).astype("f4").view("c8")[..., 0]
    with guppi.open([f"{name}.{i:04}.raw" for i in range(2)], "ws", header0=header, frames_per_file=3) as out:
        out.write(data)


# Blocks as blimpy reads them, one after the other
def block(index, bits, overlap, numbers):
    cards = {"BLOCSIZE": numbers.size, "OBSNCHAN": 7, "NPOL": 4, "NBITS": bits, "OVERLAP": overlap, "PKTSIZE": 224,
             "PKTIDX": index, "TBIN": 1e-6, "OBSFREQ": 1500.25, "OBSBW": -7.0, "STT_IMJD": 59337, "STT_SMJD": 3600,
             "STT_OFFS": 0.25, "DIRECTIO": 1, "SRC_NAME": "'B0329+54'", "TELESCOP": "'GBT     '"}
    text = "".join(f"{key:8}= {value}".ljust(80) for key, value in cards.items()) + "END".ljust(80)
    return text.encode().ljust(-(-len(text) // 512) * 512, b"\0") + numbers.tobytes()


for bits in 8, 4, 2:
    samples, overlap = 512, 64 // 8 * bits  # 224 bytes are 8, 16 or 32 samples; a block is a multiple of 512 bytes
    step = (samples - overlap) * 7 * 4 * bits // 8 // 224
    with open(f"bits{bits}.raw", "wb") as file:
        for i in range(4):
            file.write(block(i * step + 100, bits, overlap, noise.integers(0, 256, 7 * samples * 4 * bits // 8).astype("u1")))
END
"$python" make.py || { echo "baseband could not write"; exit 1; }

copy() { # NAME FILES
    echo "{ \"cornerturn\": 1, \"block\": { \"T\": 100 }, \"nodes\": { \"a\": { \"stage\": \"source.guppi\", \"files\": $2 },
            \"b\": { \"stage\": \"sink.npy\", \"file\": \"$1.npy\", \"layout\": \"SPTC\", \"input\": \"a\" } } }" >copy.json
    "$CORNERTURN" run copy.json >log 2>&1 || fail "$1: $(cat log)"
}
copy puppi '"puppi.raw"'
for name in ours filled simple; do copy $name "[\"$name.0000.raw\", \"$name.0001.raw\"]"; done
for bits in 8 4 2; do copy bits$bits "\"bits$bits.raw\""; done

cat >read.py <<'END'
import json
import numpy as np
from astropy.time import Time, TimeDelta
from baseband import guppi
from blimpy.guppi import GuppiRaw
from blimpy.utils import unpack


def ours(name):
    about = json.load(open(f"{name}.npy.json"))
    data = np.load(f"{name}.npy").astype("f4")
    data = data.reshape(*data.shape[:4], 2)
    return (data[0, ..., 0] + 1j * data[0, ..., 1]).transpose(1, 0, 2), about


for name in "puppi", "ours", "filled", "simple":
    files = "puppi.raw" if name == "puppi" else [f"{name}.{i:04}.raw" for i in range(2)]
    found, about = ours(name)
    with guppi.open(files, "rs", squeeze=False) as file:
        expected = file.read()
        assert found.shape == expected.shape, (name, found.shape, expected.shape)
        if name == "puppi":  # cut from a longer file: what should be repeated is not; frame by frame it is sure which is meant
            file.fh_raw.seek(0)
            frames = [file.fh_raw.read_frame().data for i in range(4)]
            expected = np.concatenate([frame[:960] for frame in frames[:3]] + [frames[3]])
        assert (found == expected).all(), name
        start = Time(about["start_mjd"], format="mjd", scale="utc") + TimeDelta(
            about["start_s"] - about["sample_time_s"] / 2, format="sec")
        assert abs((start - file.start_time).sec) < 1e-6, name
        assert abs(file.sample_rate.to_value("Hz") * about["sample_time_s"] - 1) < 1e-12
    print(name, "as baseband reads it:", found.shape)
assert ours("ours")[1]["frequency_hz"][0] == 1401.75e6 and ours("ours")[1]["frequency_hz"][5] == 1399.25e6

for bits in 8, 4, 2:
    found, about = ours(f"bits{bits}")
    # blimpy's blocks, and its unpack() of bytes without sign: what its blocks do below 8 bits spoils every byte with one
    parts = []
    with GuppiRaw(f"bits{bits}.raw") as file:
        for i in range(file.n_blocks):
            header, at = file.read_header()
            shape = file.read_next_data_block_shape(header)
            file.file_obj.seek(at)
            block = unpack(np.fromfile(file.file_obj, "u1", header["BLOCSIZE"]), bits).view("i1").reshape(shape)
            keep = shape[1] - (0 if i + 1 == file.n_blocks else header["OVERLAP"])
            parts.append(block[:, :keep])
    expected = np.concatenate(parts, axis=1).astype(int).reshape(7, -1, 2, 2)  # C, T, P, parts
    if bits == 4:
        expected = (expected ^ 8) - 8  # blimpy leaves the sign to its caller
    expected = (expected[..., 0] + 1j * expected[..., 1]).transpose(1, 2, 0)
    assert found.shape == expected.shape and (found == expected).all(), bits
    index = 100 * 224 * 8 // (7 * 4 * bits)
    start = (about["start_mjd"] - 59337) * 86400 - 3600 + about["start_s"]
    assert abs(start - 0.25 - (index + 0.5) * 1e-6) < 1e-6, start
    print(bits, "bits as blimpy reads them:", found.shape)
END
"$python" read.py || fail "baseband or blimpy read something else"
echo "$failed failed"
[ "$failed" -eq 0 ]
