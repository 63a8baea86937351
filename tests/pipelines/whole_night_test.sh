#!/usr/bin/env bash
# whole_night_test.sh: what a night asks for at once does not multiply. All 488 subbands of three stations,
# integrations of 1 s (12,207 spectra), two beams that follow the sky, an incoherent sum, filterbanks, 16
# trials and a search for pulses take less than 2 GiB on the device; and any block gives the same bytes.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C POCL_AFFINITY=1
failed=0
fail() { echo "failed: $*"; failed=$((failed + 1)); }

# night SUBBANDS SAMPLES BLOCK: the pipeline; block 0: left open
night()
{
    local block=
    [ "$3" -eq 0 ] || block=", \"block\": { \"T\": $3 }"
    cat <<END
{ "cornerturn": 1, "nodes": {
  "sky": { "stage": "source.simulate", "stations": 3, "subbands": $1, "sb": 12, "samples": $2, "start_mjd": 60000.5 },
  "fir": { "stage": "fir", "input": "sky", "channels": 16, "taps": 16 },
  "fft": { "stage": "fft", "input": "fir" },
  "vis": { "stage": "correlator", "input": "fft", "integrate": 12207 },
  "uv": { "stage": "sink.npy", "input": "vis", "file": "out/vis.npy" },
  "n": { "stage": "sink.npy", "input": "vis.COUNTS", "file": "out/counts.npy" },
  "beams": { "stage": "beamformer", "input": "fft", "radec": [[350.85, 58.815], [352.4, 58.2]] },
  "power": { "stage": "detect", "input": "beams", "integrate": 12 },
  "fil": { "stage": "sink.sigproc", "input": "power", "file": "out/beam.fil" },
  "sum": { "stage": "beamformer", "input": "fft", "mode": "incoherent" },
  "total": { "stage": "detect", "input": "sum", "integrate": 12 },
  "all": { "stage": "sink.sigproc", "input": "total", "file": "out/sum.fil" },
  "trials": { "stage": "dedisp", "input": "power", "dm": [{ "start": 0, "step": 0.5, "count": 16 }] },
  "pulses": { "stage": "pulses", "input": "trials", "threshold": 7 },
  "found": { "stage": "sink.npy", "input": "pulses", "file": "out/pulses.npy" } },
  "observation": { "stations": [[3826577.5, 461022.6, 5064892.5], [3826703.895, 461350.271, 5064769.901],
                                [3826315.386, 460585.409, 5065125.974]], "ra_deg": 350.85, "dec_deg": 58.815, "dut1_s": 0 }$block }
END
}

night 488 11718720 0 >night.json
"$CORNERTURN" explain night.json >explained 2>err || fail "explain: $(cat err)"
memory=$(sed -n 's/^memory: \([0-9.]* [KMG]iB\) on the device.*/\1/p' explained)
gib=${memory% GiB}
[ "$gib" != "$memory" ] && awk "BEGIN { exit !($gib < 2) }" || [ "${memory#* }" = MiB ] ||
    fail "all subbands take \"$memory\", expected less than 2 GiB"

blocks="20000"
[ "${EXHAUSTIVE:-0}" = 0 ] || blocks="8192 20000 65536 100016 262144"
mkdir out
night 3 450000 32768 >night.json
"$CORNERTURN" explain night.json --save plan.json >/dev/null # the same layouts for all: then bytes are the same
"$CORNERTURN" run night.json --plan plan.json --quiet >log 2>err || fail "$(cat err)"
mv out whole
for block in $blocks; do
    mkdir out
    night 3 450000 "$block" >night.json
    sed "s/\"block\": { \"T\": [0-9]* }/\"block\": { \"T\": $block }/" plan.json | sed -z 's/,\n *"tunables": {[^}]*}//g' >other.json
    "$CORNERTURN" run night.json --plan other.json --quiet >log 2>err || fail "$(cat err)"
    diff -r whole out >differs || fail "blocks of $block give other bytes: $(cat differs)"
    rm -rf out
done
echo "all subbands take $memory; blocks $blocks: $failed failed"
[ "$failed" -eq 0 ]
