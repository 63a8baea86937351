#!/usr/bin/env bash
# uvh5_test.sh: sink.uvh5 as a reader sees it. The simulated source of examples/visibilities.json stands
# where w = (r_ant2 - r_ant1) . u puts it: exp(-2 pi i w f / c) brings all phases to 0, and those of the
# conjugates do not come there. And a run that is stopped keeps a file that is whole. h5py reads; where
# it is missing, or the build is without HDF5, this is skipped.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "$0")/../shared/check.sh"
example=$PWD/examples/visibilities.json
if grep 'built without HDF5' <("$CORNERTURN" validate "$example" 2>&1); then exit 77; fi
# Any python3 with h5py: the first may be another one than Debian's.
python=
for one in python3 /usr/bin/python3; do
    "$one" -c 'import h5py, numpy' 2>/dev/null && python=$one && break
done
[ -n "$python" ] || { echo "no python3 with h5py: skipped"; exit 77; }

in_a_folder
mkdir data && cp "$example" . || exit 1
"$CORNERTURN" run visibilities.json 2>log || fail "$(cat log)"
cat >read.py <<'END'
import sys
import h5py, numpy as np
file = h5py.File("data/vis.uvh5", "r")
header, data = file["Header"], file["Data"]
one = lambda name: header[name][()]
assert one("version") == b"1.1" and one("telescope_name") == b"LOFAR", one("version")
assert list(one("antenna_names")) == [b"CS1", b"CS2", b"CS3", b"CS4", b"CS5"]
assert one("Nblts") == 15 * one("Ntimes") == len(one("time_array")) == len(data["visdata"])
assert data["flags"].dtype == bool and header["flex_spw"].dtype == bool
assert list(one("polarization_array")) == [-5, -6, -7, -8]
a, b = one("ant_1_array"), one("ant_2_array")
vis = data["visdata"][()]
vis = vis["r"] + 1j * vis["i"] if vis.dtype.names else vis
weight = data["nsamples"][()]
assert (weight[:15].max() < 1) and (weight[15:] == 1).all() and not data["flags"][()].any()
assert (vis[a == b][..., :2].imag == 0).all() and (vis[a == b][..., :2].real > 0).all()
assert np.allclose(np.diff(one("time_array")[::15]) * 86400, one("integration_time")[0], atol=1e-4)
azimuth, height = np.radians(40), np.radians(60)
u = [np.sin(azimuth) * np.cos(height), np.cos(azimuth) * np.cos(height), np.sin(height)]
w = (one("uvw_array") @ u)[:, None, None] * one("freq_array")[None, :, None] / 299792458.0
def rms(values):
    values = (values * np.exp(-2j * np.pi * w))[a != b][:, 2:-2, :2]
    return np.degrees(np.sqrt((np.angle(values) ** 2).mean()))
print("phases: %.2f degrees rms, conjugates %.2f" % (rms(vis), rms(vis.conj())))
assert rms(vis) < 4 and rms(vis.conj()) > 60
END
"$python" read.py || fail "what h5py reads is not what was simulated"

# A run without an end in sight, stopped once blocks are done.
sed 's/"samples": 65536/"samples": 262144/; s/16384/1024/' visibilities.json >long.json
"$CORNERTURN" run long.json --set vis.integrate=2 --set out.samples=2 --keep 2>log & run=$!
for _ in $(seq 600); do
    [ -n "$(find data -name '.*.part' -size +1500k 2>/dev/null)" ] && break
    kill -0 "$run" 2>/dev/null || break
    sleep 0.02
done
kill -INT "$run" 2>/dev/null
wait "$run"; code=$?
[ "$code" = 130 ] || [ "$code" = 0 ] || fail "a stopped run: exit $code: $(cat log)"
"$python" - "$code" <<'END' || fail "a stopped run's file is not whole: $(cat log)"
import sys
import h5py
file = h5py.File("data/vis.uvh5", "r")
rows = file["Header/Nblts"][()]
print(rows // 15, "integrations,", file["Header/history"][()].rstrip(b"\0").decode())
assert rows > 0 and rows == 15 * file["Header/Ntimes"][()] == len(file["Data/visdata"]) == len(file["Header/uvw_array"])
assert sys.argv[1] == "0" or b"stopped after block" in file["Header/history"][()]
END
echo "$failed failed"
[ "$failed" -eq 0 ]
