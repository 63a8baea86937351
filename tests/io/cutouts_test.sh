#!/usr/bin/env bash
# cutouts_test.sh BUILD: what sink.cutouts cuts out is the pulse, at its time, its DM and in all channels; it is what plain loops
# over the file's bytes give, whatever the blocks are; files are as `your` and FETCH read them. Needs python3 with h5py.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
. "$(dirname "${BASH_SOURCE[0]}")/../shared/check.sh"
in_a_folder

"$CORNERTURN" simulate sky.fil duration_s=4 channels=96 sample_time_s=1e-3 frequency_hz=1400e6 bandwidth_hz=300e6 \
    'pulses=[{"dm": 100, "time_s": 1.5, "width_s": 0.004, "amplitude": 4}, {"dm": 40, "time_s": 0.05, "width_s": 0.008, "amplitude": 4}]' \
    >log 2>&1 || fail "$(cat log)"
cat >found.json <<'END'
{ "pulses": [ { "beam": 0, "dm": 100, "time_s": 1.5, "width_s": 0.004, "snr": 60 }, { "beam": 0, "dm": 40, "time_s": 0.05, "width_s": 0.008, "snr": 50 },
              { "beam": 0, "dm": 41, "time_s": 0.05, "width_s": 0.008, "snr": 9 } ], "beams": [], "best": {} }
END
cat >cut.json <<'END'
{ "cornerturn": 1, "nodes": {
  "band": { "stage": "source.sigproc", "file": "sky.fil" },
  "cuts": { "stage": "sink.cutouts", "input": "band", "candidates": "found.json", "file": "cut.h5" } } }
END
if grep 'built without HDF5' <("$CORNERTURN" validate cut.json 2>&1); then exit 77; fi
check 'cut-outs are written' "$CORNERTURN" run cut.json
check 'of all above the threshold' test "$(echo cut_*)" = 'cut_000.h5 cut_001.h5'
mkdir whole && mv cut_* whole
for block in 100 999; do
    sed "s/\"cornerturn\": 1,/& \"block\": { \"T\": $block },/" cut.json >blocks.json
    check "blocks of $block" "$CORNERTURN" run blocks.json
    for n in 0 1; do check "the same in blocks of $block" cmp "whole/cut_00$n.h5" "cut_00$n.h5"; done
done
sed 's/"found.json"/"none.json"/' cut.json >no.json
echo '{ "beams": [] }' >none.json
check 'a list without pulses' says 3 'expected a JSON file of sink.candidates with "pulses"' "$CORNERTURN" validate no.json
echo '{ "pulses": [ { "dm": 3, "snr": 20 } ] }' >none.json
check 'a pulse without a time' says 3 'expected "dm", "time_s", "width_s"' "$CORNERTURN" validate no.json

if ! python3 -c 'import h5py, numpy' 2>/dev/null; then
    echo "what is in them: skipped, no h5py; $failed failed"
    [ "$failed" -eq 0 ] && exit 77
    exit 1
fi
cat >read.py <<'END'
import h5py, numpy as np
data = np.fromfile("sky.fil", np.uint8)[-4000 * 96:].reshape(4000, 96).astype(np.float64)
mhz = 1550 - 300 / 96 * (np.arange(96) + 0.5)
delay = 4.148808e3 * (mhz ** -2 - mhz[0] ** -2) / 1e-3
for n, dm, time, width in ((0, 100, 1.5, 4), (1, 40, 0.05, 8)):
    f = h5py.File("whole/cut_%03d.h5" % n)
    ft, dt, each = f["data_freq_time"][:], f["data_dm_time"][:], width // 2
    assert ft.shape == dt.shape == (256, 256) and ft.dtype == dt.dtype == np.float32
    assert f.attrs["dm"] == dm and f.attrs["width"] == width and f.attrs["nchans"] == 256 and f.attrs["tsamp"] == 1e-3
    assert abs(f.attrs["foff"] + 300 / 256) < 1e-9 and abs(f.attrs["fch1"] - 1550 + 150 / 256) < 1e-6
    first = int(np.floor(time / 1e-3 - 0.5 + 0.5)) - 128 * each
    for start in (first - 1, first, first + 1): # times of samples' middles are rounded
        power = np.zeros((256, 96)); count = np.zeros((256, 96))
        for c in range(96):
            for b in range(256):
                t = start + int(np.floor(dm * delay[c] + 0.5)) + b * each + np.arange(each)
                t = t[(t >= 0) & (t < 4000)]
                power[b, c], count[b, c] = data[t, c].sum(), len(t)
        wanted = np.where(count > 0, power / np.maximum(count, 1), np.nan)
        wide = np.repeat(np.arange(96), [((c + 1) * 256 // 96) - (c * 256 // 96) for c in range(96)])
        good = ~np.isnan(wanted[:, wide])
        if np.allclose(ft[good], wanted[:, wide][good], rtol=1e-6): break
    else: raise SystemExit("another waterfall")
    assert np.ptp(ft[~good]) == 0 if (~good).any() else True
    series = ft.mean(1); peak = int(np.argmax(series))
    assert abs(peak - 128) <= 1, peak
    row, column = np.unravel_index(np.argmax(dt), dt.shape)
    assert abs(row - 127.5) < 40 and abs(column - 128) <= 2, (row, column)
    # FETCH: data_sequence.py; your: plotter.py
    assert np.reshape(np.array(f["data_freq_time"], dtype=np.float32).T, (256, 256, 1)).std() > 0
    for key in ("fch1", "foff", "nchans", "dm", "cand_id", "tsamp", "dm_opt", "snr", "snr_opt", "width"): f.attrs[key]
END
check 'what is in them' python3 read.py
echo "$failed failed"
[ "$failed" -eq 0 ]
