#!/usr/bin/env bash
# vdif_test.sh: what source.vdif reads is what baseband reads of the same files, its samples and its own writer's: 1 to 8 bits, real and
# complex, several threads and channels, all headers, frames that are lost, swapped, repeated and damaged; and what sink.vdif writes
# is what baseband reads. Times too. Skipped where no python3 has baseband.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "$0")/../shared/check.sh"
python=
for one in "${PYTHON:-python3}" python3 /usr/bin/python3; do
    "$one" -c 'from baseband import vdif' 2>/dev/null && python=$one && break
done
[ -n "$python" ] || { echo "no python3 with baseband: skipped"; exit 77; }

in_a_folder
cat >make.py <<'END'
import json
import shutil
import numpy as np
from astropy import units as u
from astropy.time import Time
from baseband import data, vdif
noise = np.random.default_rng(11)
nodes, cases = {}, []


def case(name, **keys):
    """A file to read, and what the node is told."""
    cases.append(name)
    nodes[f"in_{name}"] = dict(stage="source.vdif", files=keys.pop("files", f"{name}.vdif"), **keys)


for name, keys in (("sample", {}), ("arochime", {"sample_rate_hz": 390625}), ("bps1", {"sample_rate_hz": 8e6}),
                   ("mwa", {"sample_rate_hz": 1.28e6})):
    shutil.copy(getattr(data, f"SAMPLE_{name.upper()}_VDIF" if name != "sample" else "SAMPLE_VDIF"), f"{name}.vdif")
    case(name, **keys)
case("pols", files="sample.vdif", threads=[5, 0, 3, 6], polarizations="threads")

# baseband's writer: frames of 0.25 ms, from frame 4 of a second on, over two files
rate = 32000 * 40
for edv in False, 0, 1, 3:
    for bits in 1, 2, 4, 8:
        for parts in 1, 2:
            threads, channels = (1, 1) if edv == 3 else noise.choice([(1, 1), (2, 1), (3, 4), (2, 8), (5, 1)])
            samples = 40000 // bits // parts if edv == 3 else 320
            sets_s = rate // samples
            name = f"edv{edv}_{bits}_{parts}"
            header = dict(edv=edv, time=Time("2021-07-03T06:00:07") + 3 / sets_s * u.s, bps=bits, complex_data=parts == 2,
                          nchan=int(channels), samples_per_frame=samples, station="Ef", sample_rate=rate * u.Hz)
            header = vdif.VDIFHeader.fromvalues(**header)
            sigma = {1: 1, 2: 2.2, 4: 1.2, 8: 1}[bits]
            numbers = noise.normal(0, sigma, (samples * 14, threads, channels, parts)).astype("f4")
            numbers = numbers[..., 0] if parts == 1 else numbers[..., 0] + 1j * numbers[..., 1]
            with vdif.open(f"{name}.vdif", "ws", header0=header, sample_rate=rate * u.Hz, nthread=int(threads),
                           squeeze=False) as out:
                out.write(numbers)
            # in two files, of which the first ends within a frame
            raw = open(f"{name}.vdif", "rb").read()
            cut = len(raw) // 2 + 12
            for i, part in enumerate((raw[:cut], raw[cut:])):
                open(f"{name}.{i}.vdif", "wb").write(part)
            keys = {} if edv in (1, 3) else {"sample_rate_hz": rate}
            case(name, **keys, files=[f"{name}.0.vdif", f"{name}.1.vdif"], polarizations="none")

# Frames that are lost, repeated, out of order by a few, and bytes between them that are none
raw = np.frombuffer(open("edv1_8_2.vdif", "rb").read(), "u1")
size = vdif.open("edv1_8_2.vdif", "rb").read_header().frame_nbytes
frames = raw.reshape(-1, size)
order = list(range(len(frames)))
lost = sorted(noise.choice(np.arange(1, len(order) - 1), 5, replace=False).tolist())
kept = [i for i in order if i not in lost]
for i in range(2, len(kept) - 2, 3):
    kept[i], kept[i - 1] = kept[i - 1], kept[i]
kept.insert(6, kept[4])
pieces = [frames[i].tobytes() for i in kept]
pieces[5] += bytes(noise.integers(0, 256, 1234, "u1"))
open("damaged.vdif", "wb").write(b"".join(pieces))
np.save("lost.npy", lost)
case("damaged", polarizations="none")

# A rate that only frame numbers tell: three seconds of 50 frames of one sample, of two threads
header = vdif.VDIFHeader.fromvalues(edv=0, time=Time("2016-12-31T23:59:58"), bps=8, complex_data=True, nchan=4,
                                    samples_per_frame=1, sample_rate=50 * u.Hz)
with vdif.open("slow.vdif", "ws", header0=header, sample_rate=50 * u.Hz, nthread=2, squeeze=False) as out:
    values = noise.normal(0, 1, (170, 2, 4, 2)).astype("f4")
    out.write(values[..., 0] + 1j * values[..., 1])
case("slow", polarizations="none")

for name in cases:
    nodes[f"out_{name}"] = {"stage": "sink.npy", "input": f"in_{name}", "file": f"{name}.npy"}
    pipeline = {"cornerturn": 1, "block": {"T": 100 if name != "sample" else 4567},
                "nodes": {f"in_{name}": nodes[f"in_{name}"], f"out_{name}": nodes[f"out_{name}"]}}
    json.dump(pipeline, open(f"{name}.json", "w"))
print(*cases, file=open("cases", "w"))

# For the sink: levels, or whole numbers, in arrays of several shapes
values, sinks = {}, []
for bits in 1, 2, 4, 8, 16:
    for parts in 1, 2:
        for dims, sizes, keys in (("SPT", (1, 2, 4500), {}), ("T", (4500,), {"legacy": True}),
                                  ("SPTC", (1, 2, 4500, 8), {"edv": 0}), ("TC", (4500, 3), {"threads": "channels"}),
                                  ("PT", (1, 80000), {"edv": 3})):
            name = f"w{bits}_{parts}_{dims}"
            if bits < 4:
                levels = np.array([-1, 1] if bits == 1 else [-3.316505, -1, 1, 3.316505], "f4")
                numbers = levels[noise.integers(0, len(levels), (*sizes, parts))]
                numbers = numbers[..., 0] if parts == 1 else numbers.view("c8")[..., 0]
            else:
                kind = "i1" if bits <= 8 else "i2"
                numbers = noise.integers(-1 << bits - 1, 1 << bits - 1, (*sizes, parts)).astype(kind)
                numbers = numbers[..., 0] if parts == 1 else numbers
            np.save(f"{name}.npy", numbers)
            json.dump({"cornerturn": 1, "block": {"T": 777}, "nodes": {
                "a": {"stage": "source.npy", "file": f"{name}.npy", "dims": dims, "sample_time_s": 1 / 1.6e6,
                      "start_mjd": 59337.25, "start_s": 2.25 + 100.5 / 1.6e6,
                      **({} if bits < 4 or parts == 1 else {"type": "ci8" if bits <= 8 else "ci16"})},
                "b": {"stage": "sink.vdif", "input": "a", "file": f"{name}.vdif", "bits": bits, "station": "Wb",
                      "samples_per_frame": 8000 // bits // parts if dims == "PT" else 320, **keys}}},
                open(f"{name}.json", "w"))
            sinks.append(name)
print(*sinks, file=open("sinks", "w"))
END
"$python" make.py || { echo "baseband could not write"; exit 1; }

for name in $(cat cases) $(cat sinks); do
    "$CORNERTURN" run "$name.json" >log 2>&1 || fail "$name: $(cat log)"
    case $name in damaged) mv log damaged.log ;; esac
done
check "lost frames are counted" grep -q ' 5 frames missing (zero, flagged)' damaged.log
check "repeated ones" grep -q ' 1 frames repeated (the first one counts)' damaged.log
check "and what is none" grep -q ' 1 stretches that are no frames of this kind' damaged.log

# Flags become the invalid bit, whose frames baseband leaves out
sed 's/sink.npy/sink.vdif/; s/damaged.npy/again.vdif/; s/"file": "again.vdif"/&, "threads": "channels", "samples_per_frame": 320/' \
    damaged.json >again.json
"$CORNERTURN" run again.json >log 2>&1 || fail "again: $(cat log)"

cat >read.py <<'END'
import json
import numpy as np
from astropy import units as u
from astropy.time import Time, TimeDelta
from baseband import vdif
RATES = {"arochime": 390625, "bps1": 8e6, "mwa": 1.28e6, "slow": 50}


def start(about):
    """The beginning of the first sample: start_mjd is a whole second."""
    second = round(about["start_mjd"] * 86400)
    return Time(second // 86400, format="mjd") + TimeDelta(
        second % 86400, about["start_s"] - about["sample_time_s"] / 2, format="sec")


def ours(name):
    """T, thread, channel of an array whose C is thread * channels + channel, or P is a thread."""
    about = json.load(open(f"{name}.npy.json"))
    data = np.load(f"{name}.npy")
    if about["type"] in ("ci8", "ci16"):
        data = data[..., 0] + 1j * data[..., 1]
    dims = about["dims"]
    data = np.moveaxis(data, dims.index("T"), 0)
    return data.reshape(data.shape[0], -1), about


def whole(theirs, bits):
    """baseband's numbers as ours."""
    parts = (np.real(theirs), np.imag(theirs))
    scaled = {1: lambda x: x, 2: lambda x: x, 4: lambda x: np.rint(x * 2.95), 8: lambda x: np.rint(x * 35.5 - 0.5)}[bits]
    return scaled(parts[0]) + (1j * scaled(parts[1]) if np.iscomplexobj(theirs) else 0)


for name in open("cases").read().split():
    found, about = ours(name)
    rate = RATES.get(name, 32000 * 40 if name.startswith("edv") else None)
    if name == "damaged":
        with vdif.open("edv1_8_2.vdif", "rs", squeeze=False) as file:
            data, bits, samples, threads = file.read(), 8, file.samples_per_frame, file.sample_shape[0]
        for frame in np.load("lost.npy"):
            data[frame // threads * samples:(frame // threads + 1) * samples, frame % threads] = np.nan
        data = np.where(np.isnan(data), 0, whole(data, 8))
    else:
        with vdif.open("sample.vdif" if name == "pols" else f"{name}.vdif", "rs", squeeze=False,
                       sample_rate=None if rate is None else rate * u.Hz) as file:
            bits = file.bps
            assert abs((start(about) - file.start_time).sec) < 1e-9, (name, start(about), file.start_time)
            data = whole(file.read(), bits)
            assert abs(about["sample_time_s"] * file.sample_rate.to_value(u.Hz) - 1) < 1e-12, name
    if name == "pols":
        assert about["dims"] == "SPCT", about["dims"]
        found = np.moveaxis(np.load("pols.npy"), 3, 0).reshape(len(found), 2, 2)
        assert np.array_equal(found, data[:, [5, 0, 3, 6], 0].reshape(-1, 2, 2).swapaxes(1, 2)), name
        continue
    if name == "arochime":  # two threads are polarizations
        found = np.moveaxis(np.load("arochime.npy"), 2, 0)[:, 0]
        found = found[..., 0] + 1j * found[..., 1]
    assert found.size == data.size and np.array_equal(found.reshape(data.shape), data), name
    print(name, bits, data.shape)

for name in open("sinks").read().split():
    bits, parts, dims = name[1:].split("_")
    bits, parts = int(bits), int(parts)
    mine = np.load(f"{name}.npy")
    if parts == 2 and bits > 2:
        mine = mine[..., 0].astype("f4") + 1j * mine[..., 1]
    mine = mine.reshape({"SPT": (2, -1, 1), "T": (1, -1, 1), "SPTC": (2, -1, 8), "TC": (-1, 3), "PT": (1, -1, 1)}[dims])
    mine = mine[..., None] if dims == "TC" else mine.swapaxes(0, 1)
    with vdif.open(f"{name}.vdif", "rb") as file:
        first = file.read_header()
        assert first.station == "Wb" and first.bps == bits and first.nchan == mine.shape[2]
        assert first.edv == {"SPT": 1, "T": False, "SPTC": 0, "TC": 1, "PT": 3}[dims]
    if bits == 16:  # which baseband does not decode
        raw = np.fromfile(f"{name}.vdif", "u1").reshape(-1, first.frame_nbytes)[:, first.nbytes:]
        numbers = (np.ascontiguousarray(raw).view("<u2").astype("i4") - 32768).astype("f4")
        numbers = numbers.view("c8") if parts == 2 else numbers
        threads = mine.shape[1]
        theirs = numbers.reshape(-1, threads, first.samples_per_frame, first.nchan).swapaxes(1, 2)
        theirs = theirs.reshape(-1, threads, first.nchan)[400100 % first.samples_per_frame:]
    else:
        with vdif.open(f"{name}.vdif", "rs", squeeze=False, sample_rate=1.6 * u.MHz) as file:
            lead = (Time("2021-05-03T06:00:02.25") - file.start_time).sec * 1.6e6 + 100
            assert lead >= 0 and abs(lead - round(lead)) < 1e-3, (name, file.start_time)
            theirs = whole(file.read(), bits)
            assert bits < 4 or not theirs[:round(lead)].any(), name  # the first frame is filled up
            theirs = theirs[round(lead):]
    assert len(theirs) - len(mine) < first.samples_per_frame
    assert np.array_equal(theirs[:len(mine)], mine), name
    assert not whole(theirs[len(mine):], 1).any() or bits < 4, name  # the last frame is filled up
    print(name, theirs.shape)

with vdif.open("again.vdif", "rb") as file:
    header = file.read_header()
    raw = np.fromfile("again.vdif", "u1").reshape(-1, header.frame_nbytes)
    print("invalid frames", (raw[:, 3] >> 7).sum())
with vdif.open("edv1_8_2.vdif", "rb") as file:
    channels, threads = file.read_header().nchan, len(file.get_thread_ids())
lost = np.load("lost.npy")
invalid = np.flatnonzero(raw[:, 3] >> 7)
assert set(invalid // channels) == set(lost.tolist()) and len(invalid) == len(lost) * channels
END
"$python" read.py || fail "baseband read something else"
echo "$failed failed"
[ "$failed" -eq 0 ]
