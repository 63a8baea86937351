#!/usr/bin/env bash
# one_row_test.sh BUILD: a pulse is one row of sink.candidates, with the marks that it deserves; the same
# bytes for every block, from a pipe, and on several ranks; a storm of pulses is listed up to so many a second.
# EXHAUSTIVE=1: more blocks and ranks.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
here=$(dirname "${BASH_SOURCE[0]}") build=${1:-build}
if command -v mpirun >/dev/null && [ -f "$build/libcornerturn_mpi.so" ]; then
    . "$here/../ranks/ranks.sh" "$build"
else
    . "$here/../shared/check.sh"
    ranks() { echo "no ranks: skipped"; shift; "$@"; }
    in_a_folder
fi

# Pulses of 4 and 16 ms, of S/N 20 to 100; a broad-band impulse; ten pulses in a row.
pulses='{"dm": 100, "time_s": 1.5, "width_s": 0.004, "amplitude": 3},
  {"dm": 220, "time_s": 3, "width_s": 0.016, "amplitude": 4},
  {"dm": 40, "time_s": 4.5, "width_s": 0.004, "amplitude": 1.5},
  {"dm": 0, "time_s": 6, "width_s": 0.008, "amplitude": 3}'
for i in 0 1 2 3 4 5 6 7 8 9; do
    pulses+=", {\"dm\": 160, \"time_s\": 7.$((5 + i / 3))$((i % 3 * 3)), \"width_s\": 0.016, \"amplitude\": 0.6}"
done
sky=(sky.fil duration_s=10 channels=64 sample_time_s=1e-3 frequency_hz=1400e6 bandwidth_hz=300e6)
"$CORNERTURN" simulate "${sky[@]}" "pulses=[$pulses]" >log 2>&1 || fail "$(cat log)"
cat >one.json <<'END'
{ "cornerturn": 1, "nodes": {
  "band": { "stage": "source.sigproc", "file": "sky.fil" },
  "dd": { "stage": "dedisp", "input": "band", "dm": { "start": 0, "step": 1, "count": 301 } },
  "pulses": { "stage": "pulses", "input": "dd", "threshold": 7 },
  "found": { "stage": "sink.candidates", "input": "pulses", "file": "found.json", "csv": "found.csv" } } }
END
# search WHAT ...: what it finds is what the whole file as one block gives
search()
{
    local what=$1
    shift
    rm -f found.json found.csv
    "$@" >log 2>&1 || { fail "$what: $(cat log)"; return; }
    cmp found.csv whole.csv && cmp found.json whole.json || fail "$what: other candidates"
}
"$CORNERTURN" run one.json >log 2>&1 || fail "$(cat log)"
mv found.csv whole.csv
mv found.json whole.json
rows=$(sed 1d whole.csv | sort -t, -k3n | awk -F, '{ printf "%.1f %s %s;", $3, $1 < 10 ? "low" : "high", $NF }')
[[ "$rows" == '1.5 high ;3.0 high ;4.5 high ;6.0 low zero-dm;7.'[67]' high drifting;' ]] ||
    fail "one row each was expected, found $rows: $(cat whole.csv)"
for block in 512 3333 ${EXHAUSTIVE:+1000 5120}; do
    sed "s/\"cornerturn\": 1,/& \"block\": { \"T\": $block },/" one.json >"blocks_$block.json"
    search "blocks of $block" "$CORNERTURN" run "blocks_$block.json"
done
sed 's/"sky.fil"/"-"/' one.json >pipe.json
search 'a pipe' bash -c '"$CORNERTURN" run pipe.json <sky.fil'
for n in 3 ${EXHAUSTIVE:+2 7}; do search "$n ranks" ranks "$n" "$CORNERTURN" run one.json --quiet; done

# A second has two candidates at most, the strongest; the others are counted.
"$CORNERTURN" run one.json --set pulses.threshold=3.5 --set found.most_per_s=2 >log 2>&1 || fail "$(cat log)"
grep -qE '"dropped": [1-9]' found.json || fail "nothing was dropped: $(tail -n 3 found.json)"
[ "$(sed 1d found.csv | wc -l)" -le 20 ] || fail "more than two a second: $(cat found.csv)"
[ "$(head -n 2 found.csv | cut -d, -f1-6)" = "$(head -n 2 whole.csv | cut -d, -f1-6)" ] ||
    fail "the strongest is another: $(head -n 2 found.csv whole.csv)"

echo "$failed failed"
[ "$failed" -eq 0 ]
