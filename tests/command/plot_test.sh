#!/usr/bin/env bash
# plot_test.sh: what `plot` writes: well-formed SVG, PNG files that Python's zlib unpacks, and cells that
# have the colours of the array's values; files that are damaged, empty of numbers, or one sample long.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
root=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

. "$root/tests/shared/check.sh"

has() { "$CORNERTURN" "${@:2}" 2>&1 | grep -F -- "$1" >/dev/null; }
ends() { "$CORNERTURN" "${@:2}" >log 2>&1; local code=$?; [ "$code" = "$1" ] || { echo "exit code $code"; cat log; return 1; }; }

# npy FILE SHAPE TYPE <numbers: the header, and what comes in.
npy()
{
    local head="{'descr': '$3', 'fortran_order': False, 'shape': ($2), }"
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$head" >"$1"
    cat >>"$1"
}

"$CORNERTURN" simulate pulse.fil duration_s=3 channels=61 'pulses=[{"dm": 42, "time_s": 1.2, "width_s": 0.002, "amplitude": 1}]' >log ||
    { cat log; exit 1; }
head -c 3003 /dev/urandom | npy noise.npy '1001, 3, ' '|u1'
printf '\0\0\xc0\x7f\0\0\xc0\x7f\0\0\xc0\x7f\0\0\xc0\x7f\0\0\xc0\x7f\0\0\xc0\x7f' | npy nan.npy '2, 3, ' '<f4'
printf '\0\0\x80\x3f' | npy one.npy '1, 1, ' '<f4'
for kind in svg png; do
    check "a filterbank as $kind" "$CORNERTURN" plot pulse.fil -o "pulse.$kind"
    for file in noise nan one; do
        check "$file as $kind" "$CORNERTURN" plot "$file.npy" --dims TC -o "$file.$kind"
    done
done
check 'it says what a cell is' has 'a cell is the mean of' plot pulse.fil -o pulse.svg
check 'it says what was chosen' has 'wrote pulse.svg' plot pulse.fil -o pulse.svg

check 'another ending' ends 2 plot pulse.fil -o pulse.jpg
check 'no picture' ends 2 plot pulse.fil
check 'an index that there is not' ends 2 plot noise.npy --dims TC --dim C=3 -o no.svg
check 'a dimension that there is not' ends 2 plot noise.npy --dims TC --dim B=0 -o no.svg
check 'no description' says 5 'or --dims with them' "$CORNERTURN" plot noise.npy -o no.svg
check 'a folder that is not there' ends 5 plot pulse.fil -o there/is/none.svg
head -c 100 pulse.fil >cut.fil
check 'a header that ends early' ends 5 plot cut.fil -o no.svg
head -c 1000 noise.npy >cut.npy
check 'an array that ends early' ends 5 plot cut.npy --dims TC -o no.svg
: >empty.fil
check 'an empty file' ends 5 plot empty.fil -o no.svg
check 'no such file' ends 5 plot none.fil -o no.svg
check 'nothing is left of what failed' test ! -e no.svg

# Candidates, in both forms; a pipeline, with the times of a run.
cat >found.json <<'J'
{"best": {"beam": 1, "dm": 81.5, "time_s": 0.42, "width_s": 0.002, "snr": 129.05},
 "beams": [{"beam": 0, "dm": null, "time_s": null, "width_s": null, "snr": null},
           {"beam": 1, "dm": 81.5, "time_s": 0.42, "width_s": 0.002, "snr": 129.05}],
 "pulses": [{"beam": 1, "dm": 81.5, "time_s": 0.42, "width_s": 0.002, "snr": 129.05},
            {"beam": 0, "dm": 20, "time_s": 0.12, "width_s": 0.002, "snr": 6.5}]}
J
printf 'DM,Sigma,Time,Sample,Downfact,Beam\n81.5,129.05,0.42,1265,4,1\n20,6.5,0.12,361,4,0\n' >found.csv
printf 'DM,Sigma,Time,Sample,Downfact,Beam\n81.5,129.05\n' >cut.csv
cp "$root/tests/command/pipeline.json" .
echo '{"a": 1}' >other.json
for kind in svg png; do
    check "candidates as $kind" "$CORNERTURN" plot found.json -o "found.$kind"
    check "a pipeline as $kind" "$CORNERTURN" plot pipeline.json -o "pipeline.$kind"
done
check 'a table of candidates' "$CORNERTURN" plot found.csv -o table.svg
check 'both forms of candidates are drawn alike' cmp <(grep '<circle' found.svg) <(grep '<circle' table.svg)
check 'a title on each candidate' grep -q 'S/N 129.05, DM 81.5, 0.420000 s, beam 1' found.svg
check 'a table that ends early' says 5 'cut.csv:2: expected six numbers' "$CORNERTURN" plot cut.csv -o no.svg
check 'JSON of another kind' says 5 'found other JSON' "$CORNERTURN" plot other.json -o no.svg
"$CORNERTURN" run pipeline.json --trace --json --quiet --stats stats.json >trace.json 2>log || fail 'a run'
check 'times of a trace' "$CORNERTURN" plot pipeline.json --trace trace.json -o times.svg
check 'times of stats' "$CORNERTURN" plot pipeline.json --trace stats.json -o stats.svg
check 'no times' says 5 'it has no "steps"' "$CORNERTURN" plot pipeline.json --trace found.json -o no.svg
check 'nothing is left of these' test ! -e no.svg

# Visibilities: the same of UVH5 as of the correlator's array, where HDF5 is there.
sed 's/"samples": 65536/"samples": 32768/; s|data/vis.uvh5" } }|vis.uvh5" },\n "array": { "stage": "sink.npy", "input": "vis", "file": "uv.npy" } }|' \
    "$root/examples/visibilities.json" >visibilities.json
hdf5=
if ! grep -q 'built without HDF5' <("$CORNERTURN" validate visibilities.json 2>&1); then
    hdf5=yes
    check 'visibilities' "$CORNERTURN" run visibilities.json
    check 'UVH5 as SVG' "$CORNERTURN" plot vis.uvh5 -o uvh5.svg
    check 'UVH5 as PNG' "$CORNERTURN" plot vis.uvh5 --dim L=3 --dim Q=1 -o uvh5.png
    check 'the same from .npy' "$CORNERTURN" plot uv.npy -o uv.svg
    check 'a point for amplitude and phase of each baseline' test "$(grep -c '<title>stations' uvh5.svg)" = 30
    check 'info of UVH5' has '15 baselines of 5 stations' info vis.uvh5
    check 'a baseline that there is not' says 2 'expected an index from 0 to 14' \
        "$CORNERTURN" plot vis.uvh5 --dim L=15 -o no.svg
    head -c 20000 vis.uvh5 >cut.uvh5
    check 'UVH5 that ends early' ends 5 plot cut.uvh5 -o no.svg
    check 'nothing is left of it' test ! -e no.svg
fi

# Beams at their directions: of 3 beams x 2 samples x 2 channels with means 10, 20 and 30.
printf '\11\13\12\12\24\24\23\25\36\36\36\36' | npy beams.npy '3, 2, 2, ' '|u1'
echo '{"nodes": {"b": {"stage": "beamformer", "directions": "$d"}}, "constants": {"d": [[0, 60], [90, 60], [0, 1, 0]]}}' >where.json
check 'a map of beams' "$CORNERTURN" plot beams.npy --dims BTC --directions where.json -o map.svg
for beam in '0: value 10' '1: value 20' '2: value 30'; do
    check "beam $beam" grep -q "<title>beam $beam</title>" map.svg
done
echo '[[0, 60], {"az": 10, "el": 50}]' >two.json
check 'a map of candidates' "$CORNERTURN" plot found.json --directions two.json -o map.png
check 'too few directions' says 5 'for each of 3 beams, found 2' \
    "$CORNERTURN" plot beams.npy --dims BTC --directions two.json -o no.svg

# What the product writes, `info` knows.
"$CORNERTURN" explain pipeline.json --save plan.json >log
"$CORNERTURN" explain pipeline.json --json >explain.json
while IFS=: read -r file word; do
    check "info $file" has "$word" info "$file"
done <<'L'
pipeline.json:a pipeline
plan.json:a plan
trace.json:times of a run
stats.json:a run's progress
explain.json:explain --json
found.json:129.05
found.csv:candidates, a table
pulse.svg:a picture (SVG)
pulse.png:a picture (PNG)
vis.npy.json:the description of the array beside it
L
mkdir -p set.ms/ANTENNA
table='\xbe\xbe\xbe\xbe\x00\x00\x01\x00\x00\x00\x00\x05Table\x00\x00\x00\x02\x00\x00'
printf "$table\x01\x02" >set.ms/table.dat
printf "$table\x00\x07" >set.ms/ANTENNA/table.dat
check 'info of a Measurement Set' grep -q '^stations  *7$' <("$CORNERTURN" info set.ms)
check 'its rows' grep -q '^rows  *258$' <("$CORNERTURN" info set.ms)

if command -v xmllint >/dev/null; then
    check 'XML' xmllint --noout ./*.svg
fi
if ! python3 -c 'import zlib, xml.dom.minidom' 2>/dev/null; then
    echo 'no python3: PNG files are not unpacked here'
    exit $((failed > 0))
fi

cat >look.py <<'P'
"""Unpacks pictures: every chunk's checksum, every row, and the image inside an SVG."""
import base64, re, struct, sys, xml.dom.minidom, zlib

def unpack(png):
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    at, data, size, palette = 8, b"", None, None
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at:at + 8])
        body = png[at + 8:at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length:at + 12 + length])[0] == zlib.crc32(name + body)
        if name == b"IHDR": size = struct.unpack(">IIBBBBB", body)
        if name == b"PLTE": palette = [tuple(body[i:i + 3]) for i in range(0, length, 3)]
        if name == b"IDAT": data += body
        at += 12 + length
    wide, high, bits, kind = size[:4]
    assert (bits, kind) == (8, 3)
    raw = zlib.decompress(data)
    assert len(raw) == (wide + 1) * high and not any(raw[i] for i in range(0, len(raw), wide + 1))
    rows = [raw[y * (wide + 1) + 1:(y + 1) * (wide + 1)] for y in range(high)]
    assert max(max(row) for row in rows) < len(palette)
    return rows

def images(svg):
    xml.dom.minidom.parse(svg)
    return [unpack(base64.b64decode(text)) for text in re.findall(r"base64,([^\"]*)", open(svg).read())]
P
cat >all.py <<'P'
import glob, look
for png in glob.glob("*.png"): look.unpack(open(png, "rb").read())
for svg in glob.glob("*.svg"): look.images(svg)
P
check 'PNG and XML, by Python' python3 all.py
cat >cells.py <<'P'
# 3 channels x 1001 samples: cells of one channel and 1 or 2 samples. Their colours are the means, in
# order: 128 of them from the 2nd to the 98th percentile.
import look
data = open("noise.npy", "rb").read()[128:]
cells, at = [[], [], []], 0
for x in range(600):
    count = 1001 // 600 + (x < 1001 % 600)
    for c in range(3): cells[c].append(sum(data[3 * (at + i) + c] for i in range(count)) / count)
    at += count
order = sorted(cells[0] + cells[1] + cells[2])
cut = len(order) // 50
low, high = order[cut], order[-1 - cut]
found = next(rows for rows in look.images("noise.svg") if len(rows[0]) > 1)
assert len(found) == 3 and len(found[0]) == 600
for c in range(3):
    for x in range(600):
        part = min(max((cells[c][x] - low) / (high - low), 0), 1)
        assert abs(found[2 - c][x] - 127 * part) <= 0.51, (c, x)
P
if [ -n "$hdf5" ]; then
    check 'UVH5 shows what the array does' python3 -c "
import look
cells = [[rows for rows in look.images(name) if len(rows[0]) > 1][0] for name in ('uvh5.svg', 'uv.svg')]
# The file has means, the array has sums, of which the first one's has fewer samples.
assert len(cells[0]) == len(cells[1]) == 16 and len(set(cells[0])) > 8
assert all(abs(a - b) <= 2 for one, two in zip(*cells) for a, b in zip(one, two))"
fi
cat >graph.py <<'P'
# Every step, array and time of explain and trace is in the picture.
import json
text = open("times.svg").read()
steps = json.load(open("trace.json"))["steps"]
plan = json.load(open("explain.json"))
whole = sum(step["seconds"] for step in steps)
for step in steps:
    assert ">%s</text>" % step["name"].replace(">", "&#62;") in text, step["name"]
    assert ">%.1f %%, " % (100 * step["seconds"] / whole) in text, step["name"]
read = {port["array"] for step in plan["steps"] for port in step["ports"]
        if port["direction"] == "in" and "array" in port}
assert len(read) > 3
for array in plan["arrays"]:
    if array["name"] not in read: continue
    assert ">%s %s</text>" % (array["layout"], array["type"]) in text, array["name"]
    size = array["bytes"]
    kilo = ["%.4g B" % size, "%.4g kB" % (size / 1e3), "%.4g MB" % (size / 1e6)]
    assert any(">%s</text>" % one in text for one in kilo), (array["name"], kilo)
P
check 'steps, arrays and times are on the graph' python3 graph.py
check "each cell's colour is its mean" python3 cells.py
[ "$failed" = 0 ]
