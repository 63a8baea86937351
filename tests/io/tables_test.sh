#!/usr/bin/env bash
# tables_test.sh: what sink.candidates writes for other programs is read as these do: .singlepulse as PRESTO's
# single_pulse_search.py (numpy.loadtxt, five columns; its candidate.__str__ gives the same bytes), .cand as heimdall's
# coincidencer (nine numbers with white space between them), T2's columns by name (dsa110-T2, cluster_heimdall.py).
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "${BASH_SOURCE[0]}")/../shared/check.sh"
command -v python3 >/dev/null || { echo "skipped: there is no python3"; exit 77; }
in_a_folder

"$CORNERTURN" simulate sky.fil duration_s=6 channels=64 sample_time_s=1e-3 frequency_hz=1400e6 bandwidth_hz=300e6 \
    'pulses=[{"dm": 100, "time_s": 1.5, "width_s": 0.004, "amplitude": 3}, {"dm": 300.5, "time_s": 4, "width_s": 0.016, "amplitude": 1}]' \
    >log 2>&1 || fail "$(cat log)"
cat >all.json <<'END'
{ "cornerturn": 1, "nodes": {
  "band": { "stage": "source.sigproc", "file": "sky.fil" },
  "dd": { "stage": "dedisp", "input": "band", "dm": [ { "start": 0, "step": 1.5, "count": 120 },
                                                      { "start": 200, "step": 3, "count": 61, "downsample": 4 } ] },
  "pulses": { "stage": "pulses", "input": "dd", "threshold": 7 },
  "found": { "stage": "sink.candidates", "input": "pulses", "file": "found.json", "csv": "found.csv",
             "singlepulse": "found.singlepulse", "heimdall": "found.cand", "t2": "found_t2.csv" } } }
END
check 'all tables are written' "$CORNERTURN" run all.json
cat >read.py <<'END'
import csv, json
try:
    from numpy import loadtxt
except ImportError: # what it does with such a file
    def loadtxt(name, ndmin):
        return [[float(x) for x in line.split()] for line in open(name) if not line.startswith("#")]
found = json.load(open("found.json"))["pulses"]
rows = list(csv.DictReader(open("found.csv")))
assert len(found) == len(rows) >= 2, len(found)
# PRESTO: read_singlepulse_files, candidate
lines = open("found.singlepulse").read().splitlines(True)
assert lines[0] == "# DM      Sigma      Time (s)     Sample    Downfact\n"
cands = loadtxt("found.singlepulse", ndmin=2)
for line, cand in zip(lines[1:], cands):
    assert line == "%7.2f %7.2f %13.6f %10d     %3d\n" % tuple(cand), line
# heimdall: SNR, samp_idx, time, filter, dm_trial, DM, members, begin, end
heim = [[float(x) for x in line.split()] for line in open("found.cand")]
t2 = list(csv.DictReader(open("found_t2.csv")))
assert len(cands) == len(heim) == len(t2) == len(rows)
trials = [1.5 * i for i in range(120)] + [200 + 3 * i for i in range(61)]
spread = [1] * 120 + [4] * 61
for i, (one, row, presto, h, t) in enumerate(zip(found, rows, cands, heim, t2)):
    assert abs(presto[0] - one["dm"]) < 0.006 and abs(presto[1] - one["snr"]) < 0.006
    assert abs(presto[2] - one["time_s"]) < 2e-6 and presto[3] == int(row["Sample"]) and presto[4] == int(row["Downfact"])
    assert len(h) == 9 and abs(h[0] - one["snr"]) < 0.006 and abs(h[2] - one["time_s"]) < 2e-6
    trial = int(h[4])
    assert trials[trial] == h[5] == one["dm"] and h[6] == one["members"]
    assert abs(2 ** h[3] * 1e-3 - one["width_s"]) < 1e-9, (h[3], one["width_s"])
    assert h[1] == int(row["Sample"]) * spread[trial] and h[7] <= h[1] <= h[8]
    assert abs(h[8] - h[7] - (one["end_s"] - one["begin_s"]) / 1e-3) < 0.01
    assert [float(t["snr"]), int(t["itime"]), int(t["ibox"]), int(t["idm"]), float(t["dm"])] == [h[0], h[1], h[3], h[4], h[5]]
    assert int(t["if"]) == 0 and int(t["ibeam"]) == one["beam"] and int(t["cl"]) == i and int(t["cntc"]) == one["members"] and int(t["cntb"]) == one["in_beams"]

for a, b in zip(t2, found):
    for c, d in zip(t2, found):
        assert abs((float(a["mjds"]) - float(c["mjds"])) * 86400 - (b["time_s"] - d["time_s"])) < 1e-5
print(len(found), "candidates")
END
check 'all readers read the same' python3 read.py

# A sink that searches itself has no list, and says so of every table.
for table in csv singlepulse heimdall t2; do
    sed '/"pulses":/d; s/"input": "pulses"/"input": "dd"/; s/"csv".*$/"'$table'": "x.'$table'" } } }/; /"found.singlepulse"/d' all.json >none.json
    check "no $table without pulses" says 3 "/$table: a list of pulses needs stage pulses" "$CORNERTURN" validate none.json
done
echo "$failed failed"
[ "$failed" -eq 0 ]
