#!/usr/bin/env bash
# half_hour_test.sh BUILD: a new user's first half hour, from a clone to a result on data of one's own, as README and docs say:
# the demo, a pipeline with a mistake, explain, run, tune, a picture. The clone takes this build as its own, so that nothing is
# compiled again. Every step's output is checked; the result against what was put into the data.
set -uo pipefail
command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || { echo 'the set-up needs apt'; exit 77; }
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_DATA_HOME=$work/data LC_ALL=C
failed=0
fail()
{
    failed=$((failed + 1))
    echo "failed: $*"
    tail -n 12 "$work/log"
}
# step COMMAND...: prints it as a user types it; its output is in log
step()
{
    echo "$ $*"
    "$@" >"$work/log" 2>&1
}
# has PATTERN..: the last step has printed lines like these
has()
{
    local pattern
    for pattern; do
        grep -qE -- "$pattern" "$work/log" || fail "expected $pattern"
    done
}

# ---- a clone, and the README's first command
mkdir "$work/clone"
git ls-files -z | tar -c --null -T - | tar -x -C "$work/clone" || exit 1
cd "$work/clone" && ln -s "$build" build || exit 1
step scripts/demo.sh || fail 'the demonstration'
grep -q '^== installing' "$work/log" && fail 'all was installed already'
has '^ +injected +found +at most off' '^DM .* 80 +(79|8[0-2]) +2$' '^arrival time .* 0\.42 +0\.4(19|2)[0-9]* +0\.001$' '^beam +12 +12 +0$' \
    '^picture: build/demo/data/found.svg$'
[ -s build/demo/data/found.svg ] || fail 'a picture'
demo() { grep -E '^(DM|arrival|beam |  +injected)' "$1" | tail -n 4; }
diff <(demo README.md) <(demo "$work/log") >&2 || fail 'README says what the demo prints'

# ---- data of one's own: 5 antennas with two polarizations, a tone in channel 20 of 32 and noise; no number is 0, for awk
mkdir own
tone()
{
    printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '|i1', 'fortran_order': False, 'shape': (5, 2, 16384, 2), }"
    awk 'BEGIN { turn = 8 * atan2(1, 1); x = 7
        for (s = 0; s < 5; s++) for (p = 0; p < 2; p++) for (t = 0; t < 16384; t++) for (k = 0; k < 2; k++) {
            x = (x * 16807) % 2147483647
            v = 12 * cos(turn * (4 / 32 * t + s / 5) - k * turn / 4) + 20 * (x / 2147483647 - 0.5)
            printf "%c", (2 * int(v / 2 + 64) - 128 + 1 + 256) % 256 } }'
}
tone >own/antennas.npy
[ "$(stat -c %s own/antennas.npy)" -eq $((128 + 5 * 2 * 16384 * 2)) ] || fail 'this awk writes bytes'
echo '{ "dims": "SPT", "type": "ci8", "sample_time_s": 5.12e-6, "frequency_hz": 150e6 }' >own/antennas.npy.json
step build/cornerturn info own/antennas.npy || fail 'info of the data'
has '^dims +SPT' '^sizes +5 2 16384|^shape +5 x 2 x 16384'

# ---- a pipeline, with a mistake at first
cat >own/spectrum.json <<'END'
{ "cornerturn": 1,
  "nodes": {
    "antennas": { "stage": "source.npy", "file": "antennas.npy" },
    "fir":   { "stage": "fir", "input": "antennas", "chanels": 32, "taps": 4 },
    "fft":   { "stage": "fft", "input": "fir" },
    "power": { "stage": "detect", "input": "fft", "stokes": "I", "integrate": 64 },
    "out":   { "stage": "sink.npy", "input": "power", "file": "spectrum.npy", "layout": "STC" } } }
END
step build/cornerturn validate own/spectrum.json && fail 'a mistake is found'
has '^own/spectrum.json:4:[0-9]+: /nodes/fir/chanels: .*did you mean "channels"'
sed -i 's/chanels/channels/' own/spectrum.json
step build/cornerturn validate own/spectrum.json || fail 'the pipeline'
has 'valid$'
step build/cornerturn explain own/spectrum.json || fail 'explain'
has '^own/spectrum.json: [0-9]+ nodes, [0-9]+ steps' '^power +detect ' '^memory: ' '^tunables$'
step build/cornerturn run own/spectrum.json --trace || fail 'run'
has 'x real time' '^power +detect '

# channels FILE: the mean over antennas and times of each of 32 channels. The header of a .npy has its length in bytes 8 and 9.
channels()
{
    local head
    head=$(od -A n -t u2 -j 8 -N 2 "$1")
    od -A n -v -t f4 -w128 -j $((10 + head)) "$1" |
        awk '{ for (c = 1; c <= 32; c++) sum[c] += $c } END { for (c = 1; c <= 32; c++) print sum[c] / NR }'
}
channels own/spectrum.npy >own/first
brightest=$(awk '$1 > most { most = $1; at = NR - 1 } END { print at }' own/first)
[ "$brightest" = 20 ] || fail "the tone is in channel 20, found $brightest"
awk '{ x[NR - 1] = $1 } END { for (c = 0; c < 32; c++) if (c < 18 || c > 22) rest = x[c] > rest ? x[c] : rest; exit !(x[20] > 20 * rest) }' own/first ||
    fail 'and nowhere else'

# ---- faster, with the same result
step build/cornerturn tune own/spectrum.json -o own/plan.json --budget 6 || fail 'tune'
has 'of the default'
step build/cornerturn run own/spectrum.json || fail 'run with the tuned plan'
channels own/spectrum.npy >own/tuned
paste own/first own/tuned | awk '{ d = $1 - $2; if (d < 0) d = -d; if (d > 1e-4 * $1) bad = 1 } END { exit bad || NR != 32 }' ||
    fail 'the tuned plan gives the same'

# ---- a look at it
step build/cornerturn info own/spectrum.npy || fail 'info of the result'
has '^dims +STC' '^channel_width_hz +6103\.5'
step build/cornerturn plot own/spectrum.npy -o own/spectrum.svg || fail 'plot'
has '^wrote own/spectrum.svg$'
grep -q '^</svg>' own/spectrum.svg || fail 'a picture of the result'

[ "$failed" -eq 0 ] && echo 'all as expected'
[ "$failed" -eq 0 ]
