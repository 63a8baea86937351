#!/usr/bin/env bash
# h5parm_test.sh: gains of an H5parm as LoSoTo and h5py write it: names of their own length, weights of
# 16 bits, compressed chunks, axes in LoSoTo's order. What `delay` makes of simulated voltages is what numpy makes
# of them by the definition. Where h5py is missing, or the build is without HDF5, this is skipped.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "$0")/../shared/check.sh"
# Any python3 with h5py: the first may be another one than Debian's.
python=
for one in python3 /usr/bin/python3; do
    "$one" -c 'import h5py, numpy' 2>/dev/null && python=$one && break
done
[ -n "$python" ] || { echo "no python3 with h5py: skipped"; exit 77; }

in_a_folder
cat >pipeline.json <<'END'
{ "cornerturn": 1,
  "observation": { "names": ["CS001HBA0", "RS106HBA", "CS002HBA1"] },
  "nodes": {
    "sky": { "stage": "source.simulate", "samples": 16384, "start_mjd": 59759.0625, "type": "ci8",
             "stations": [[0, 0, 0], [31, -7, 1], [-120, 40, 0]] },
    "ppf": { "stage": "ppf", "input": "sky", "channels": 16, "taps": 4 },
    "cal": { "stage": "delay", "input": "ppf", "delays": [[0], [1e-8], [-3e-9]],
             "gains": { "file": "cal.h5", "soltabs": ["amplitude000", "phase000"], "direction": "[CasA]",
                        "frequency": "linear" } },
    "a": { "stage": "sink.npy", "input": "ppf", "file": "a.npy", "layout": "SPTC" },
    "b": { "stage": "sink.npy", "input": "cal", "file": "b.npy", "layout": "SPTC" } },
  "block": { "T": 1024 } }
END
cat >write.py <<'END'
import h5py, numpy as np
random = np.random.default_rng(5)
start = 59759.0625 * 86400
with h5py.File("cal.h5", "w") as file:
    soltabs = file.create_group("sol000")
    for name, kind in ("amplitude000", "amplitude"), ("phase000", "phase"):
        table = soltabs.create_group(name)
        table.attrs["TITLE"] = np.bytes_(kind)
        times = start + np.array([0.0, 0.0211, 0.05]) + (0.00437 if kind == "phase" else 0)
        freqs = 149.9e6 + 40e3 * np.arange(6)
        shape = len(times), len(freqs), 4, 2, 2
        values = random.uniform(0.5, 2, shape) if kind == "amplitude" else random.uniform(-3, 3, shape)
        weights = (random.uniform(size=shape) > 0.02).astype(np.float16)
        for set_, array in ("val", values), ("weight", weights):
            data = table.create_dataset(set_, data=array, chunks=(1, 3, 4, 2, 1), compression="gzip", shuffle=True)
            data.attrs["AXES"] = "time,freq,ant,dir,pol" if kind == "phase" else np.bytes_("time,freq,ant,dir,pol")
        table["time"], table["freq"] = times, freqs
        names = ["CS002HBA1", "DE601HBA", "CS001HBA0", "RS106HBA"]
        table.create_dataset("ant", data=names if kind == "phase" else np.array(names, "S16"))
        table["dir"], table["pol"] = ["[pointing]", "[CasA]"], np.array(["XX", "YY"], "S2")
END
cat >check.py <<'END'
import json
import h5py, numpy as np
a, b = np.load("a.npy"), np.load("b.npy")
said = json.load(open("b.npy.json"))
hz, step = np.array(said["frequency_hz"]), said["sample_time_s"]
at = 59759.0625 * 86400 + said["start_s"] + step * np.arange(a.shape[2])
tau = [0, 1e-8, -3e-9]
gain = np.ones(a.shape, complex)
for name in "amplitude000", "phase000":
    table = h5py.File("cal.h5")["sol000/" + name]
    value = np.where(table["weight"][()] > 0, table["val"][()], np.nan)[:, :, :, 1, :]
    names = [n.decode() for n in table["ant"][()]]
    time, freq = table["time"][()], table["freq"][()]
    near = np.abs(at[:, None] - time).argmin(1)
    place = np.clip((hz - freq[0]) / (freq[1] - freq[0]), 0, len(freq) - 1)
    low = np.minimum(place.astype(int), len(freq) - 2)
    part = place - low
    for s, station in enumerate(["CS001HBA0", "RS106HBA", "CS002HBA1"]):
        for p in range(2):
            one = value[near][:, :, names.index(station), p]
            x, y = one[:, low], one[:, low + 1]
            apart = y - x
            if name == "phase000":
                apart -= 2 * np.pi * np.rint(apart / 2 / np.pi)
            mixed = x + part * apart
            mixed = np.where(np.isnan(x) & (part > 0.5), y, np.where(np.isnan(y) & (part <= 0.5), x, mixed))
            # visibilities' solutions are the conjugates of voltages'
            gain[s, p] *= mixed if name == "amplitude000" else np.exp(-1j * mixed)
gain[:, :] = np.where(np.isnan(gain).any(1, keepdims=True), np.nan, gain)
phase = np.exp(2j * np.pi * hz * np.array(tau)[:, None])[:, None, None, :]
wanted = np.nan_to_num(a * phase / gain)
zero = np.isnan(gain).mean()
wrong = np.abs(b - wanted).max() / np.abs(wanted).max()
print("%.1f %% flagged, off by %.1e" % (100 * zero, wrong))
assert 0.01 < zero < 0.5 and wrong < 1e-5, (zero, wrong)
assert abs(np.abs(b).std() / np.abs(a).std() - 1) > 0.05
END
"$python" write.py || fail "h5py cannot write"
if grep 'built without HDF5' <("$CORNERTURN" validate pipeline.json 2>&1); then exit 77; fi
"$CORNERTURN" run pipeline.json 2>log || fail "$(cat log)"
"$python" check.py || fail "gains are not what numpy makes of the file"

# The same bytes whatever the block.
cp b.npy whole.npy
sed 's/"T": 1024/"T": 4096/' pipeline.json >other.json
"$CORNERTURN" run other.json 2>log || fail "$(cat log)"
cmp -s b.npy whole.npy || fail "another block gives other bytes"
echo "$failed failed"
[ "$failed" -eq 0 ]
