#!/usr/bin/env bash
# night_test.sh: examples/night.json, all of it, on packets of three stations that are made for it: the source is where
# the visibilities and beams look, the pulsar's pulses are found at their DM and times and nothing else is, lost packets are
# missing from the counts; and all of this is the same, byte for byte, whatever the block.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../shared/check.sh"
in_a_folder
cp "$here/../../examples/night.json" . && mkdir data
"$CORNERTURN" validate night.json 2>&1 | grep -q 'built without HDF5' && { echo "skipped: no HDF5"; exit 77; }

# The pulsar is a degree from the source, in the second beam. A carrier at the horizon is interference.
sky=(sb=100 start_mjd=60000.5 'sources=[{"ra_deg": 350.85, "dec_deg": 58.815, "amplitude": 0.3}]'
    'pulsar={"dm": 12, "period_s": 0.7, "time_s": 0.35, "width_s": 0.002, "amplitude": 0.25, "ra_deg": 352.4, "dec_deg": 58.2}'
    'tones=[{"frequency_hz": 250000, "amplitude": 0.5, "az": 200, "el": 2}]')
packets() # packets LOST
{
    "$CORNERTURN" simulate data/night.udp --observation night.json --subbands 8 --lanes 4 --seconds 3.1 --lost "$1" "${sky[@]}" >/dev/null
}
# numbers FILE TYPE: of a .npy file, one a line
numbers() { tail -c +$((11 + $(od -An -tu2 -j8 -N2 "$1"))) "$1" | od -An -v -w4 -t"$2"; }

packets 0 || fail "no packets"
"$CORNERTURN" run night.json --quiet --dump vis.COUNTS=whole.npy 2>log || fail "$(cat log)"
packets 0.001 || fail "no packets"
"$CORNERTURN" run night.json --quiet --stats stats.jsonl --metrics metrics.prom --dump vis=vis.npy --dump vis.COUNTS=counts.npy 2>log ||
    fail "$(cat log)"
grep -q '"blocks"' stats.jsonl && grep -q '^cornerturn_run_' metrics.prom || fail "statistics and metrics"

# Pulses: one each 0.7 s, of DM 12, in beam 1.
awk -F, 'NR > 1 { n++; late = ($3 - 0.35) / 0.7; late -= int(late + 0.5); late = late < 0 ? -late : late
                  if ($1 < 11.5 || $1 > 12.5 || $6 != 1 || late * 0.7 > 0.004) { print "a wrong pulse: " $0; bad = 1 } }
         END { if (n != 4) print n " pulses"; exit bad || n != 4 }' data/night_pulses.csv || fail "pulses"

# Visibilities T,C,L,Q of the pairs 0-0 0-1 1-1 0-2 1-2 2-2, 128 channels, XX XY YX YY: the source, at the phase centre, has
# phase 0 and 0.09 of the power in the pairs of two stations, as noise has 1 in those of one; the carrier is left out.
grep -q "TCLQ" vis.npy.json && grep -q "TLC" counts.npy.json || fail "other layouts than this test reads"
numbers vis.npy f4 | awk '
    { k = int((NR - 1) / 2); q = k % 4; l = int(k / 4) % 6; c = int(k / 24) % 128
      if (q == 0 || q == 3) { if (NR % 2) re[l] += $1; else im[l] += $1; power[l "," c] += NR % 2 ? $1 : 0 } }
    END { own = (re[0] + re[2] + re[5]) / 3
          for (l = 1; l < 5; l++) if (l != 2) {
              phase = atan2(im[l], re[l]) * 57.3; part = re[l] / own
              if (phase < -3 || phase > 3 || part < 0.077 || part > 0.089) { print "pair " l ": " phase " degrees, " part; bad = 1 } }
          for (c = 0; c < 128; c++) none += power["0," c] == 0
          if (none != 1) { print none " channels without any power"; bad = 1 }
          exit bad }' || fail "visibilities"

# Of each lost packet 16 spectra of 32 channels are missing: a filter of 16 taps saw it.
sum() { numbers "$1" u4 | awk '{ if (int((NR - 1) / 128) % 6 == 0) sum += $1 } END { print sum }'; }
lost=$(sed -nE 's/.*night_S000_L[0-3].udp: ([0-9]+) samples missing.*/\1/p' log | awk '{ sum += $1 } END { print sum / 16 }')
awk -v whole="$(sum whole.npy)" -v counted="$(sum counts.npy)" -v lost="$lost" 'BEGIN {
    is = (whole - counted) / (16 * 32 * lost); if (lost < 60 || is < 0.8 || is > 1.1) { print lost " packets, " is; exit 1 } }' ||
    fail "lost packets in the counts"

# The beam at the source has its power, 9 x 0.09 beside 3 of the noise; the sum of powers has not.
mean() { "$CORNERTURN" run /dev/stdin --quiet <<<"{ \"cornerturn\": 1, \"nodes\": {
  \"a\": { \"stage\": \"source.sigproc\", \"file\": \"$PWD/$1\" }, \"b\": { \"stage\": \"sink.npy\", \"input\": \"a\", \"file\": \"$PWD/mean.npy\" } } }" &&
    numbers mean.npy f4 | awk '{ sum += $1 } END { print sum / NR }'; }
awk -v on="$(mean data/night_B000.fil)" -v total="$(mean data/night_sum.fil)" 'BEGIN {
    is = on / total * 3 * 1.09; if (is < 3.6 || is > 4.0) { print "power of the beam " is ", expected 3.81"; exit 1 } }' || fail "beams"

# All files, whatever the block.
files() { (cd data && md5sum night.uvh5 night_B000.fil night_B001.fil night_sum.fil night_pulses.json night_pulses.csv); }
files >once
for block in 20000 ${EXHAUSTIVE:+8192 131072 262144}; do
    sed "s/\"block\": 65536 }/\"block\": $block }/" night.json >other.json
    grep -qF "$block" other.json && "$CORNERTURN" run other.json --quiet 2>log || fail "$(cat log)"
    files | diff once - || fail "blocks of $block"
done
[ "$failed" -eq 0 ]
