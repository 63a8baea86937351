#!/usr/bin/env bash
# lofar_bf_test.sh: LOFAR's beam-formed HDF5 as h5py sees it: what sink.lofar_bf writes, with samples in
# the file or in a raw file beside it; and files with the attributes of LOFAR's own correlator, made by
# h5py, through source.lofar_bf. Whole arrays are compared. Skipped where no python3 has h5py.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "$0")/../shared/check.sh"
python=
for one in "${PYTHON:-python3}" python3 /usr/bin/python3; do
    "$one" -c 'import h5py, numpy' 2>/dev/null && python=$one && break
done
[ -n "$python" ] || { echo "no python3 with h5py: skipped"; exit 77; }

in_a_folder
echo '{ "cornerturn": 1, "nodes": { "a": { "stage": "source.lofar_bf", "files": "none.h5" } } }' >probe.json
if grep 'built without HDF5' <("$CORNERTURN" validate probe.json 2>&1); then exit 77; fi
cat >make.py <<'END'
import json, os
import h5py, numpy as np
noise = np.random.default_rng(7)
# Power of 2 beams, 4 Stokes parameters, 5 channels that fall; voltages of 3 channels.
data = noise.normal(100, 9, (2, 1009, 4, 5)).astype("f4")
np.save("power.npy", data)
json.dump({"dims": "BTQC", "sample_time_s": 0.01, "start_mjd": 56339.6791667, "start_s": 1.005,
           "frequency_hz": [150e6 - 195312.5 * c for c in range(5)], "channel_width_hz": 195312.5,
           "source_name": "B0329+54", "telescope": "LOFAR", "products": "IQUV", "src_raj": 33259.3, "src_dej": 543443.5},
          open("power.npy.json", "w"))
data = noise.normal(0, 9, (1, 2, 997, 3, 2)).astype("f4").view("c8")[..., 0]
np.save("volts.npy", data)
json.dump({"dims": "SPTC", "sample_time_s": 5.12e-6, "start_mjd": 59000, "start_s": 2.56e-6,
           "frequency_hz": [1e8, 1.01e8, 1.04e8], "channel_width_hz": 195312.5},
          open("volts.npy.json", "w"))

# A file as COBALT writes it, whose samples are in L1_SAP001_B002_S0_P000_bf.raw.
def cobalt(name, component, number, data, declared=None, start="2013-02-16T16:18:00.000000000Z", **more):
    raw = name.replace(".h5", ".raw")
    data.astype("<f4").tofile(raw)
    text = h5py.string_dtype("ascii")
    file = h5py.File(name, "w")
    def put(at, **values):
        for key, value in values.items():
            if isinstance(value, str):
                at.attrs.create(key, value, dtype=text)
            elif isinstance(value, list) and isinstance(value[0], str):
                at.attrs.create(key, value, dtype=text)
            else:
                at.attrs[key] = value
    put(file, GROUPTYPE="Root", FILENAME=name, FILEDATE="2013-02-16T16:20:00.0", FILETYPE="bf", TELESCOPE="LOFAR",
        PROJECT_ID="LC0_011", PROJECT_TITLE="Pulsars", OBSERVATION_ID="85000",
        OBSERVATION_START_UTC=start, OBSERVATION_START_MJD=np.float64(56339.6791666667),
        OBSERVATION_END_UTC="2013-02-16T16:20:00.000000000Z", OBSERVATION_NOF_STATIONS=np.uint32(2),
        OBSERVATION_STATIONS_LIST=["CS002HBA0", "CS003HBA1"], OBSERVATION_FREQUENCY_UNIT="MHz",
        CLOCK_FREQUENCY=200.0, CLOCK_FREQUENCY_UNIT="MHz", ANTENNA_SET="HBA_DUAL", FILTER_SELECTION="HBA_110_190",
        TARGETS=["PSR B0329+54", "other"], OBSERVATION_NOF_SUB_ARRAY_POINTINGS=np.uint32(2))
    file.create_group("SYS_LOG")
    sap = file.create_group("SUB_ARRAY_POINTING_001")
    put(sap, GROUPTYPE="SubArrayPointing", POINT_RA=53.2475, POINT_DEC=54.5788, OBSERVATION_NOF_BEAMS=np.uint32(4))
    beam = sap.create_group("BEAM_002")
    put(beam, GROUPTYPE="Beam", TARGETS=["PSR B0329+54"], NOF_SAMPLES=np.uint32(len(data)), SAMPLING_RATE=762.939453125,
        SAMPLING_RATE_UNIT="Hz", SAMPLING_TIME=0.00131072, SAMPLING_TIME_UNIT="s", CHANNELS_PER_SUBBAND=np.uint32(2),
        SUBBAND_WIDTH=195312.5, SUBBAND_WIDTH_UNIT="Hz", CHANNEL_WIDTH=97656.25, CHANNEL_WIDTH_UNIT="Hz",
        POINT_RA=53.3, POINT_RA_UNIT="deg", POINT_DEC=-0.5, POINT_DEC_UNIT="deg", BEAM_FREQUENCY_CENTER=120.0,
        BEAM_FREQUENCY_CENTER_UNIT="MHz", DISPERSION_MEASURE=0.0, OBSERVATION_NOF_STOKES=np.uint32(4),
        NOF_STOKES=np.uint32(1), STOKES_COMPONENTS=[component], COMPLEX_VOLTAGE=np.int32(component[0] in "XY"), **more)
    coordinates = beam.create_group("COORDINATES")
    put(coordinates, COORDINATE_TYPES=["Time", "Spectral"])
    put(coordinates.create_group("COORDINATE_0"), INCREMENT=0.00131072, AXIS_UNITS=["us"])
    # LOFAR writes Hz here and says MHz
    put(coordinates.create_group("COORDINATE_1"), AXIS_VALUES_WORLD=np.array(BAND), AXIS_UNITS=["MHz"])
    plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plan.set_external(os.path.basename(raw).encode(), 0, h5py.h5f.UNLIMITED)
    space = h5py.h5s.create_simple((declared or len(data), data.shape[1]), (h5py.h5s.UNLIMITED, data.shape[1]))
    set = h5py.Dataset(h5py.h5d.create(beam.id, b"STOKES_%d" % number, h5py.h5t.IEEE_F32LE, space, plan))
    put(set, GROUPTYPE="bfData", DATATYPE="float", STOKES_COMPONENT=component, NOF_CHANNELS=np.array([2, 2, 2], "u4"),
        NOF_SUBBANDS=np.uint32(3), NOF_SAMPLES=np.uint32(declared or len(data)))
    file.close()
BAND = [119.7e6, 119.8e6, 120.1e6, 120.2e6, 121.1e6, 121.2e6]
stokes = noise.normal(0, 9, (4, 503, 6)).astype("f4")
np.save("stokes.ref", stokes), stokes.tofile("stokes.ref")
os.makedirs("lofar")
for k, name in enumerate("IQUV"):
    cobalt("lofar/L1_SAP001_B002_S%d_P000_bf.h5" % k, name, k, stokes[k])
for k, name in enumerate(["Xr", "Xi", "Yr", "Yi"]):
    cobalt("lofar/L2_SAP001_B002_S%d_P000_bf.h5" % k, name, k, stokes[k])
cobalt("lofar/short.h5", "I", 0, stokes[0], declared=600)
cobalt("lofar/other.h5", "V", 3, stokes[0], start="2013-02-16T16:18:01.000000000Z")
cobalt("lofar/strange.h5", "W", 0, stokes[0])
cobalt("lofar/lost.h5", "I", 0, stokes[0]), os.remove("lofar/lost.raw")
# All in one file: chunked and compressed, 16-bit integers, big-endian
with h5py.File("lofar/one.h5", "w") as file:
    file.attrs["FILETYPE"] = "bf"
    beam = file.create_group("SUB_ARRAY_POINTING_000/BEAM_000")
    beam.attrs["SAMPLING_RATE"], beam.attrs["SAMPLING_RATE_UNIT"] = 2.0, "kHz"
    beam.attrs["CHANNEL_WIDTH"], beam.attrs["CHANNEL_WIDTH_UNIT"] = 0.1, "MHz"
    beam.attrs["BEAM_FREQUENCY_CENTER"] = 120.0
    for k in range(4):
        beam.create_dataset("STOKES_%d" % k, data=np.rint(stokes[k]).astype(">i2"), chunks=(100, 4), compression="gzip")
with h5py.File("lofar/filtered.h5", "w") as file:
    file.attrs["FILETYPE"] = "bf"
    beam = file.create_group("SUB_ARRAY_POINTING_000/BEAM_000")
    plan = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plan.set_chunk((100, 6)), plan.set_filter(32008, h5py.h5z.FLAG_OPTIONAL, (0, 2))
    h5py.h5d.create(beam.id, b"STOKES_0", h5py.h5t.IEEE_F32LE, h5py.h5s.create_simple((503, 6)), plan)
with h5py.File("lofar/vis.uvh5", "w") as file:
    file.create_group("Header"), file.create_group("Data")
END
"$python" make.py || { echo "h5py could not write"; exit 1; }

# copy SOURCE SINK [BLOCK]
copy() { echo "{ \"cornerturn\": 1, \"nodes\": { \"a\": { $1 }, \"b\": { $2, \"input\": \"a\" } }${3:+, \"block\": { \"T\": $3 \}} }" >copy.json
         "$CORNERTURN" run copy.json >log 2>&1 || fail "$(cat log)"; }
from='"stage": "source.lofar_bf", "files":'
attributes='"attributes": { "PROJECT_ID": "LC1_001", "ANTENNA_SET": "HBA_DUAL" }'
mkdir in beside
for raw in in:false beside:true; do
    to="\"stage\": \"sink.lofar_bf\", \"raw\": ${raw#*:}, $attributes"
    copy '"stage": "source.npy", "file": "power.npy"' "$to, \"file\": \"${raw%:*}/p.h5\", \"radec\": [[1, 2], [3, -4]]" 101
    copy '"stage": "source.npy", "file": "volts.npy"' "$to, \"file\": \"${raw%:*}/v.h5\", \"signal_sum\": \"INCOHERENT\"" 997
done
list() { printf '['; printf '"%s", ' "${@:2}"; printf '"%s"]' "$1"; } # in another order
copy "$from $(list lofar/L1_*.h5)" '"stage": "sink.npy", "file": "L1.npy", "layout": "QTC"' 97
copy "$from $(list lofar/L2_*.h5)" '"stage": "sink.npy", "file": "L2.npy", "layout": "TCPS"' 97
copy "$from \"lofar/one.h5\"" '"stage": "sink.npy", "file": "one.npy", "layout": "QTC"'
copy "$from \"lofar/short.h5\"" '"stage": "sink.npy", "file": "short.npy"'
grep -q 'short.h5: has 503 of the 600 samples that it should have' log || fail "no warning of a short file: $(cat log)"
copy "$from $(list in/p_B001_S*.h5)" '"stage": "sink.npy", "file": "again.npy", "layout": "TQC"' 37
copy "$from $(list beside/v_S*.h5)" '"stage": "sink.npy", "file": "vagain.npy", "layout": "SPTC"'

cat >read.py <<'END'
import json, os
import h5py, numpy as np
power, volts = np.load("power.npy"), np.load("volts.npy")
wanted = """GROUPTYPE FILENAME FILEDATE FILETYPE TELESCOPE PROJECT_ID PROJECT_TITLE OBSERVATION_ID OBSERVATION_START_UTC
OBSERVATION_START_MJD OBSERVATION_END_UTC OBSERVATION_END_MJD OBSERVATION_FREQUENCY_MIN OBSERVATION_FREQUENCY_CENTER
OBSERVATION_FREQUENCY_MAX OBSERVATION_FREQUENCY_UNIT CLOCK_FREQUENCY CLOCK_FREQUENCY_UNIT ANTENNA_SET FILTER_SELECTION
TARGETS DOC_NAME DOC_VERSION BF_FORMAT TOTAL_INTEGRATION_TIME TOTAL_INTEGRATION_TIME_UNIT BANDWIDTH
OBSERVATION_NOF_SUB_ARRAY_POINTINGS NOF_SUB_ARRAY_POINTINGS""".split()
for place in "in", "beside":
    os.chdir(place) # h5py looks for raw files here
    for b in range(2):
        for k, name in enumerate("IQUV"):
            file = h5py.File("p_B%03d_S%d.h5" % (b, k))
            lacks = [key for key in wanted if key not in file.attrs]
            assert not lacks, lacks
            assert file.attrs["FILETYPE"] == "bf" and file.attrs["PROJECT_ID"] == "LC1_001"
            assert file.attrs["OBSERVATION_START_UTC"] == "2013-02-16T16:18:01.002880000Z", file.attrs["OBSERVATION_START_UTC"]
            assert file.attrs["OBSERVATION_END_UTC"] == "2013-02-16T16:18:11.092880000Z"
            assert abs(file.attrs["OBSERVATION_START_MJD"] - 56339.6791667 - 1 / 86400) < 1e-11
            assert file.attrs["CLOCK_FREQUENCY"] == 200 and file.attrs["TARGETS"][0] == "B0329+54"
            assert np.isclose([file.attrs["OBSERVATION_FREQUENCY_" + key] for key in ("MIN", "CENTER", "MAX")],
                              [149.12109375, 149.609375, 150.09765625], rtol=1e-12).all()
            beam = file["SUB_ARRAY_POINTING_000/BEAM_%03d" % b]
            said = beam.attrs
            assert (said["POINT_RA"], said["POINT_DEC"]) == ((1, 2), (3, -4))[b]
            assert said["SAMPLING_TIME"] == 0.01 and said["CHANNEL_WIDTH"] == 195312.5 and said["COMPLEX_VOLTAGE"] == 0
            assert said["NOF_SAMPLES"] == 1009 and said["OBSERVATION_NOF_STOKES"] == 4 and said["SIGNAL_SUM"] == "COHERENT"
            assert abs(said["BEAM_FREQUENCY_CENTER"] - 149.609375) < 1e-12
            assert beam["COORDINATES/COORDINATE_0"].attrs["INCREMENT"] == 0.01
            axis = beam["COORDINATES/COORDINATE_1"].attrs
            assert (axis["AXIS_VALUES_WORLD"] == 150e6 - 195312.5 * np.arange(5)[::-1]).all() and axis["AXIS_UNITS"][0] == "Hz"
            set = beam["STOKES_%d" % k]
            assert set.attrs["STOKES_COMPONENT"] == name and set.attrs["NOF_SAMPLES"] == 1009
            assert (set.attrs["NOF_CHANNELS"] == np.ones(5)).all()
            assert (set.external is not None) == (place == "beside") and set.dtype == "<f4"
            assert (set[()] == power[b, :, k, ::-1]).all(), (place, b, k)
            if place == "beside":
                assert (np.fromfile("p_B%03d_S%d.raw" % (b, k), "<f4").reshape(1009, 5) == set[()]).all()
    for k, part in enumerate((volts[0, 0].real, volts[0, 0].imag, volts[0, 1].real, volts[0, 1].imag)):
        beam = h5py.File("v_S%d.h5" % k)["SUB_ARRAY_POINTING_000/BEAM_000"]
        assert beam.attrs["COMPLEX_VOLTAGE"] == 1 and beam.attrs["SIGNAL_SUM"] == "INCOHERENT"
        assert beam["STOKES_%d" % k].attrs["STOKES_COMPONENT"] == ("Xr", "Xi", "Yr", "Yi")[k]
        assert (beam["STOKES_%d" % k][()] == part).all(), (place, k)
    os.chdir("..")
stokes = np.fromfile("stokes.ref", "f4").reshape(4, 503, 6)
assert (np.load("L1.npy") == stokes).all() and (np.load("short.npy") == stokes[0]).all()
assert (np.load("one.npy") == np.rint(stokes)).all()
voltages = np.stack([stokes[0] + 1j * stokes[1], stokes[2] + 1j * stokes[3]], axis=-1)
assert (np.load("L2.npy")[..., 0] == voltages).all()
about = json.load(open("L1.npy.json"))
assert abs(about["start_mjd"] - 56339 - (16 * 60 + 18) / 1440) < 1e-10 and about["start_s"] == 0.00131072 / 2
assert about["sample_time_s"] == 0.00131072 and about["channel_width_hz"] == 97656.25
assert about["frequency_hz"] == [119.7e6, 119.8e6, 120.1e6, 120.2e6, 121.1e6, 121.2e6]
assert about["products"] == ["I", "Q", "U", "V"] and json.load(open("short.npy.json"))["products"] == ["I"]
assert about["source_name"] == "PSR B0329+54" and about["telescope"] == "LOFAR"
assert abs(about["src_raj"] - 33312) < 1e-6 and abs(about["src_dej"] + 3000) < 1e-6
about = json.load(open("one.npy.json"))
assert about["sample_time_s"] == 0.0005 and np.allclose(about["frequency_hz"], 120e6 + 1e5 * (np.arange(6) - 2.5))
assert (np.load("again.npy") == power[1, :, :, ::-1]).all() and (np.load("vagain.npy") == volts).all()
about = json.load(open("again.npy.json"))
assert abs(about["start_mjd"] + (about["start_s"] - 0.005) / 86400 - 56339.6791667 - 1 / 86400) < 2e-11
assert np.allclose(json.load(open("vagain.npy.json"))["frequency_hz"], [1e8, 1.01e8, 1.04e8], rtol=1e-15)
END
"$python" read.py || fail "what h5py reads is not what was written"

# The same bytes for every block.
copy '"stage": "source.npy", "file": "power.npy"' '"stage": "sink.lofar_bf", "file": "q.h5", "radec": [[1, 2], [3, -4]]' 1009
mkdir first && mv q_B* first
copy '"stage": "source.npy", "file": "power.npy"' '"stage": "sink.lofar_bf", "file": "q.h5", "radec": [[1, 2], [3, -4]]' 13
for file in q_B*; do cmp "$file" "first/$file" || fail "$file depends on the block"; done

"$CORNERTURN" info lofar/L1_SAP001_B002_S2_P000_bf.h5 >log || fail "info fails"
for line in 'LOFAR beam-formed' 'PSR B0329+54' 'LOFAR, HBA_DUAL' '2 of pointing 1' 'T 503, C 6' '2013-02-16 16:18:00.000000'; do
    grep -q "$line" log || fail "info lacks \"$line\": $(cat log)"
done

# refuses TEXT FILES: the source must say so
refuses() { echo "{ \"cornerturn\": 1, \"nodes\": { \"a\": { $from $2${3:-} }, \"b\": { \"stage\": \"sink.npy\", \"input\": \"a\", \"file\": \"x.npy\" } } }" >copy.json
            check "$1" says 5 "$1" "$CORNERTURN" run copy.json; }
refuses 'expected power, or Xr and Xi, or Xr, Xi, Yr and Yi, found Xr: give the list of the files of this beam' '"lofar/L2_SAP001_B002_S0_P000_bf.h5"'
refuses 'found I, Xr: give the list' '["lofar/L1_SAP001_B002_S0_P000_bf.h5", "lofar/L2_SAP001_B002_S0_P000_bf.h5"]'
refuses 'expected Q once, found it in lofar' '["lofar/L1_SAP001_B002_S1_P000_bf.h5", "lofar/L1_SAP001_B002_S1_P000_bf.h5"]'
refuses 'OBSERVATION_START: expected 56339.6791666667 as in' '["lofar/L1_SAP001_B002_S0_P000_bf.h5", "lofar/other.h5"]'
refuses 'STOKES_COMPONENT: expected a name such as I, XX or Xr, found "W"' '"lofar/strange.h5"'
refuses 'lofar/lost.h5: its samples are in lofar/lost.raw, which cannot be opened: No such file' '"lofar/lost.h5"'
refuses 'is compressed by HDF5'\''s filter 32008' '"lofar/filtered.h5"'
refuses 'expected LOFAR'\''s beam-formed data (FILETYPE "bf"), found UVH5 visibilities' '"lofar/vis.uvh5"'
refuses 'expected a group SUB_ARRAY_POINTING_004, found none' '"lofar/one.h5"' ', "pointing": 4'
refuses 'expected a group BEAM_001, found none' '"lofar/one.h5"' ', "beam": 1'
head -c 3000 lofar/one.h5 >lofar/cut.h5
refuses 'expected an HDF5 file, found one that is damaged or cut short' '"lofar/cut.h5"'
echo "$failed failed"
[ "$failed" -eq 0 ]
