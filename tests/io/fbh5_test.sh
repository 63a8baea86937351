#!/usr/bin/env bash
# fbh5_test.sh: filterbanks in HDF5: files made by h5py with blimpy's names through source.fbh5, what
# sink.fbh5 writes as h5py sees it, and where there is blimpy its own files and its Waterfall of ours,
# header and all. Whole arrays are compared. Skipped where no python3 has h5py.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "$0")/../shared/check.sh"
python=
for one in "${PYTHON:-python3}" python3 /usr/bin/python3; do
    "$one" -c 'import h5py, numpy' 2>/dev/null && python=$one && break
done
[ -n "$python" ] || { echo "no python3 with h5py: skipped"; exit 77; }
blimpy=
"$python" -c 'import blimpy' 2>/dev/null && blimpy=1
unset HDF5_PLUGIN_PATH # bitshuffle is there below only

in_a_folder
cat >make.py <<'END'
import json
import h5py, numpy as np
noise = np.random.default_rng(7)
def array(name, dims, data, band):
    np.save(name + ".npy", data)
    json.dump({"dims": dims, "sample_time_s": 0.01, "start_mjd": 56339.6791667, "start_s": 0.005,
               "frequency_hz": band, "channel_width_hz": 195312.5, "source_name": "B0329+54", "telescope": "GBT",
               "src_raj": 33259.3, "src_dej": -543443.5}, open(name + ".npy.json", "w"))
# 2 beams, 2 IFs, 5 channels that fall; 3 that rise; more channels than fit into a chunk
array("power", "BTQC", noise.normal(100, 9, (2, 1009, 2, 5)).astype("f4"), [1500e6 - 195312.5 * c for c in range(5)])
for kind in ("u1", "i1", "u2", "i2"):
    array(kind, "TC", noise.integers(0, 120, (70001, 3)).astype(kind), [1e9 + 195312.5 * c for c in range(3)])
array("wide", "TC", noise.normal(0, 1, (3, 300007)).astype("f4"), [1e9 + 195312.5 * c for c in range(300007)])

def fbh5(name, data, mask=None, kind="FILTERBANK", head={}, **how):
    with h5py.File(name, "w") as file:
        file.attrs["CLASS"], file.attrs["VERSION"] = kind, "1.0"
        set = file.create_dataset("data", data=data, **how)
        empty = file.create_dataset("mask", shape=data.shape, dtype="uint8", chunks=True)
        if mask is not None:
            empty[:] = mask
        said = dict(machine_id=20, telescope_id=6, src_raj=3.5498055, src_dej=-54.57875, az_start=1.5, za_start=2.5,
                    data_type=1, fch1=1500.0, foff=-0.5, nchans=data.shape[-1], nbeams=1, ibeam=-1, nbits=data.itemsize * 8,
                    tstart=56339.6791667, tsamp=0.001, nifs=data.shape[1], source_name="B0329+54", rawdatafile="x.raw")
        said.update(head)
        for key, value in said.items():
            set.attrs[key] = value
shape = 517, 2, 6
for kind in ("u1", "u2", "i1", "i2", "f4", ">f4", ">u2"):
    data = noise.integers(0, 120, shape).astype(kind)
    np.save(kind.replace(">", "big") + ".ref.npy", data.astype(kind.replace(">", "")))
    fbh5("t_%s.h5" % kind.replace(">", "big"), data, chunks=(100, 1, 4), compression="gzip", shuffle=True)
data = np.load("f4.ref.npy")
fbh5("whole.h5", data[:, :1], head={"foff": 0.25, "src_raj": b"03:32:59.3", "source_name": np.bytes_("X 1")})
mask = (noise.random(shape) < 0.1).astype("u1")
np.save("mask.ref.npy", mask.any(axis=1))
fbh5("masked.h5", data, mask=mask)
fbh5("other.h5", data, kind="SOMETHING")
fbh5("flat.h5", data[:, 0])
fbh5("double.h5", data.astype("f8"))
fbh5("nan.h5", data, head={"tsamp": float("nan")}), fbh5("below.h5", data, head={"foff": -900.0})
fbh5("backwards.h5", data, head={"tsamp": -1.0})
with h5py.File("lost.h5", "w") as file:
    file.attrs["CLASS"] = np.bytes_("FILTERBANK")
    plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plan.set_chunk((100, 1, 6)), plan.set_filter(32008, h5py.h5z.FLAG_OPTIONAL, (0, 2))
    h5py.h5d.create(file.id, b"data", h5py.h5t.IEEE_F32LE, h5py.h5s.create_simple((503, 1, 6)), plan)
END
"$python" make.py || { echo "h5py could not write"; exit 1; }

# copy SOURCE SINK [BLOCK]
copy() { echo "{ \"cornerturn\": 1, \"nodes\": { \"a\": { $1 }, \"b\": { $2, \"input\": \"a\" } }${3:+, \"block\": { \"T\": $3 \}} }" >copy.json
         "$CORNERTURN" run copy.json >log 2>&1 || fail "$2: $(cat log)"; }
npy() { echo "\"stage\": \"source.npy\", \"file\": \"$1.npy\""; }
from() { echo "\"stage\": \"source.fbh5\", \"file\": \"$1\""; }
to() { echo "\"stage\": \"sink.fbh5\", \"file\": \"$1\", \"compression\": \"${2:-none}\""; }
echo "{ \"cornerturn\": 1, \"nodes\": { \"a\": { $(npy u1) }, \"b\": { $(to x.h5), \"input\": \"a\" } } }" >copy.json
if grep 'built without HDF5' <("$CORNERTURN" validate copy.json 2>&1); then exit 77; fi
for kind in u1 u2 i1 i2 f4 bigf4 bigu2; do
    copy "$(from "t_$kind.h5")" "\"stage\": \"sink.npy\", \"file\": \"t_$kind.npy\", \"layout\": \"CQT\"" 97
done
copy "$(from whole.h5)" '"stage": "sink.npy", "file": "whole.npy"' 1000
copy "$(from masked.h5)" '"stage": "sink.npy", "file": "masked.npy"' 100
copy "$(from masked.h5), \"products\": \"XX YY\"" '"stage": "sink.psrfits", "bits": 8, "row_samples": 1, "file": "masked.sf"' 100
copy "$(npy power)" "$(to p.h5 gzip)" 101
for kind in u1:3001 i1:3001 u2:3001 i2:3001 wide:2; do
    block=${kind#*:} kind=${kind%:*}
    copy "$(npy $kind)" "$(to o_$kind.h5)" "$block"
    copy "$(from o_$kind.h5)" "\"stage\": \"sink.npy\", \"file\": \"o_$kind.npy\"" "$block"
done
# The same bytes for every block.
mkdir first && mv p_B*.h5 o_u2.h5 first
copy "$(npy power)" "$(to p.h5 gzip)" 1009
copy "$(npy u2)" "$(to o_u2.h5)" 70001
for file in p_B*.h5 o_u2.h5; do cmp "$file" "first/$file" || fail "$file depends on the block"; done

cat >read.py <<'END'
import json
import h5py, numpy as np
for kind in ("u1", "u2", "i1", "i2", "f4", "bigf4", "bigu2"):
    right, found = np.load(kind + ".ref.npy"), np.load("t_%s.npy" % kind)
    assert found.dtype == right.dtype and (found == right.transpose(2, 1, 0)).all(), kind
about = json.load(open("t_f4.npy.json"))
assert about["start_mjd"] == 56339.6791667 and about["start_s"] == 0.0005 and about["sample_time_s"] == 0.001
assert about["frequency_hz"] == [1500e6 - 5e5 * c for c in range(6)] and about["channel_width_hz"] == 5e5
assert about["telescope"] == "GBT" and about["source_name"] == "B0329+54"
assert abs(about["src_raj"] - 33259.2998) < 1e-3 and abs(about["src_dej"] + 543443.5) < 1e-3
data = np.load("f4.ref.npy")
assert (np.load("whole.npy") == data[:, 0]).all() and (np.load("masked.npy") == data).all()
about = json.load(open("whole.npy.json"))
assert about["frequency_hz"][1] == 1500.25e6 and about["source_name"] == "X 1" and abs(about["src_raj"] - 33259.3) < 1e-6
power = np.load("power.npy")
for b in range(2):
    file = h5py.File("p_B%03d.h5" % b)
    assert file.attrs["CLASS"] == "FILTERBANK" and file.attrs["VERSION"] == "1.0"
    set = file["data"]
    assert (set[()] == power[b]).all() and set.dtype == "<f4" and list(set.attrs["DIMENSION_LABELS"]) == ["time", "feed_id", "frequency"]
    said = dict(set.attrs)
    said.pop("DIMENSION_LABELS")
    assert abs(said.pop("src_raj") - (3 + 32 / 60 + 59.3 / 3600)) < 1e-12 and abs(said.pop("src_dej") + 54 + 34 / 60 + 43.5 / 3600) < 1e-12
    assert said == dict(machine_id=0, telescope_id=6, az_start=0, za_start=0, data_type=1, fch1=1500, foff=-0.1953125, nchans=5,
                        nbeams=2, ibeam=b, nbits=32, tstart=56339.6791667, tsamp=0.01, nifs=2, source_name="B0329+54"), said
for kind in ("u1", "i1", "u2", "i2", "wide"):
    right = np.load(kind + ".npy")
    set = h5py.File("o_%s.h5" % kind)["data"]
    assert set.dtype == right.dtype and (set[:, 0] == right).all(), kind
    assert (np.load("o_%s.npy" % kind) == right).all(), kind
    assert set.attrs["foff"] == 0.1953125 and set.attrs["fch1"] == 1000 and set.chunks[0] * set.chunks[2] * right.itemsize <= 2**20
    old, new = json.load(open(kind + ".npy.json")), json.load(open("o_%s.npy.json" % kind))
    assert all(abs(old[key] - new[key]) < 1e-8 for key in ("start_mjd", "sample_time_s", "src_raj", "src_dej", "channel_width_hz"))
    assert np.allclose(old["frequency_hz"], new["frequency_hz"], rtol=1e-15)
try:
    import astropy.io.fits as fits
    weights = np.concatenate([row["DAT_WTS"][None] for row in fits.open("masked.sf")["SUBINT"].data])
    flagged = np.load("mask.ref.npy")
    assert ((weights == 0) == flagged).all() or ((weights == 0) == flagged[:, ::-1]).all()
except ImportError:
    pass
END
"$python" read.py || fail "what h5py reads is not what was written"

"$CORNERTURN" info t_u2.h5 >log || fail "info fails"
for line in 'FBH5 filterbank' 'B0329+54' 'GBT' 'T 517, Q 2, C 6' '16 bits, read as u16' '2013-02-16 16:18:00' '1500.000000 to 1497.500000 MHz'; do
    grep -q "$line" log || fail "info lacks \"$line\": $(cat log)"
done

# refuses TEXT FILE: the source must say so
refuses() { echo "{ \"cornerturn\": 1, \"nodes\": { \"a\": { $(from "$2") }, \"b\": { \"stage\": \"sink.npy\", \"input\": \"a\", \"file\": \"x.npy\" } } }" >copy.json
            check "$1" says 5 "$1" "$CORNERTURN" run copy.json; }
refuses 'expected a filterbank in HDF5 (CLASS "FILTERBANK"), found another HDF5 file' other.h5
refuses 'expected a filterbank in HDF5 (FBH5), found a .npy file' u1.npy
refuses 'data: expected time, IFs and channels, found 2 dimensions' flat.h5
refuses 'data: expected integers of 8 or 16 bits or floats of 32, found numbers of 8 bytes' double.h5
refuses 'fch1, foff: expected frequencies above 0, found 1500 to -3000 MHz' below.h5
refuses 'tsamp: expected a time above 0, found -1' backwards.h5
refuses "filter 32008 (no name), which is not installed: expected it in a folder of HDF5_PLUGIN_PATH" lost.h5
head -c 3000 t_f4.h5 >cut.h5
refuses 'found one that is damaged or cut short' cut.h5
echo "{ \"cornerturn\": 1, \"nodes\": { \"a\": { $(npy u1) }, \"b\": { $(to x.h5 bitshuffle), \"input\": \"a\" } } }" >copy.json
check "bitshuffle is not there" says 3 'b/compression: HDF5 does not find this filter: expected it in a folder of HDF5_PLUGIN_PATH' "$CORNERTURN" validate copy.json
sed 's/sink.fbh5", "file": "x.h5", "compression": "bitshuffle"/sink.npy", "file": "x.npy"/; s/source.npy", "file": "u1.npy"/source.sigproc", "file": "whole.h5"/' copy.json >foreign.json
check 'others say what it is' says 5 'found a filterbank in HDF5 (FBH5): use source.fbh5' "$CORNERTURN" validate foreign.json

# ---- blimpy, which brings bitshuffle
if [ -n "$blimpy" ]; then
    plugins=$("$python" -c 'import hdf5plugin; print(hdf5plugin.PLUGIN_PATH)') # for our library: h5py has its own
    command=$CORNERTURN
    printf '#!/bin/sh\nHDF5_PLUGIN_PATH=${PLUGINS:-%s} exec "%s" "$@"\n' "$plugins" "$command" >with_plugins && chmod +x with_plugins
    CORNERTURN=$PWD/with_plugins
    copy "$(npy power)" '"stage": "sink.sigproc", "file": "b.fil"'
    for kind in u1 u2; do copy "$(npy $kind)" "\"stage\": \"sink.sigproc\", \"file\": \"b_$kind.fil\""; done
    copy "$(npy power)" "$(to ours.h5 bitshuffle)" 103
    for kind in u1 u2; do copy "$(npy $kind)" "$(to ours_$kind.h5 bitshuffle)" 1003; done
    cat >blimp.py <<'END'
import numpy as np
from blimpy import Waterfall
for name in ("b_B001", "b_u1", "b_u2"):
    fil = Waterfall(name + ".fil")
    fil.write_to_hdf5(name + ".h5")
for name, right in (("ours_B001", np.load("power.npy")[1]), ("ours_u1", np.load("u1.npy")[:, None]), ("ours_u2", np.load("u2.npy")[:, None])):
    ours = Waterfall(name + ".h5")
    assert ours.data.shape == right.shape and ours.data.dtype == right.dtype and (ours.data == right).all(), name
    theirs = Waterfall(name.replace("ours", "b") + ".fil")
    ascends = ours.header["foff"] > 0 # SIGPROC's channels fall
    for key in theirs.header:
        if key in ("fch1", "foff", "signed"):
            continue
        a, b = ours.header[key], theirs.header[key]
        assert (abs(a.value - b.value) < 1e-9) if key in ("src_raj", "src_dej") else a == b, (key, a, b)
    assert (np.sort(ours.get_freqs()) == np.sort(theirs.get_freqs())).all()
    assert (ours.data == (theirs.data[..., ::-1] if ascends else theirs.data)).all(), name
END
    "$python" blimp.py >log 2>&1 || fail "blimpy reads otherwise: $(tail -n 5 log)"
    for name in B001 u1 u2; do
        copy "$(from "b_$name.h5")" "\"stage\": \"sink.npy\", \"file\": \"their_$name.npy\"" 211
        copy "\"stage\": \"source.sigproc\", \"file\": \"b_$name.fil\"" "\"stage\": \"sink.npy\", \"file\": \"fil_$name.npy\"" 211
        cmp "their_$name.npy" "fil_$name.npy" || fail "blimpy's $name.h5 has other samples"
        "$python" - $name <<'END' || fail "blimpy's header of $name reads otherwise"
import json, sys
a, b = (json.load(open("%s_%s.npy.json" % (which, sys.argv[1]))) for which in ("their", "fil"))
for key in set(a) | set(b):
    if key in ("src_raj", "src_dej"):
        assert abs(a[key] - b[key]) < 1e-6, (key, a[key], b[key])
    else:
        assert a[key] == b[key], (key, a[key], b[key])
END
    done
    copy "$(from ours_B001.h5)" '"stage": "sink.npy", "file": "again.npy"'
    "$python" -c 'import numpy; assert (numpy.load("again.npy") == numpy.load("power.npy")[1]).all()' || fail "bitshuffle is not read back"
    check "the filter is named" says 5 "is compressed by HDF5's filter 32008 (bitshuffle" env PLUGINS=/nowhere "$CORNERTURN" run copy.json
fi
echo "blimpy: ${blimpy:-not there}; $failed failed"
[ "$failed" -eq 0 ]
