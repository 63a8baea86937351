#!/usr/bin/env bash
# ranks_test.sh BUILD: one pipeline over 2, 3 and 7 ranks gives byte for byte what one process gives,
# whichever splits are pinned; sums over a split dimension to 1e-6 of their rms. What is wrong is said
# once, with the exit code that it has without ranks, and leaves nothing behind. Skipped without mpirun.
# Without EXHAUSTIVE=1: on 3 ranks, and on 4 with pinned splits.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
build=$(cd "${1:-build}" && pwd)
. "$(dirname "${BASH_SOURCE[0]}")/ranks.sh" "$build"

# What messages cost, as the ranks of a job measure it.
probe=$build/tests/test.tuner.forecast.network_measure
if [ -x "$probe" ]; then # the module is looked for beside it
    cp "$probe" "$build/libcornerturn_mpi.so" .
    ranks 3 ./test.tuner.forecast.network_measure >err 2>&1 || { fail "the probe"; cat err; }
fi

# Five stations, so that no number of ranks divides them; three beams; samples are missing at the end.
cat >search.json <<'END'
{ "cornerturn": 1, "block": { "T": 2048 },
  "constants": { "stations": [[3, -31, 0], [41, 12, 0], [-22, 36, 0], [-47, -18, 0], [18, 55, 0]] },
  "nodes": {
    "sky":   { "stage": "source.npy", "file": "sky.npy" },
    "fir":   { "stage": "fir", "input": "sky", "channels": 16, "taps": 4 },
    "fft":   { "stage": "fft", "input": "fir" },
    "vis":   { "stage": "correlator", "input": "fft", "integrate": 32 },
    "beams": { "stage": "beamformer", "input": "fft", "positions": "$stations",
               "directions": [[40, 60], [43, 60], [40, 62]] },
    "power": { "stage": "detect", "input": "beams", "stokes": "I" },
    "a": { "stage": "sink.npy", "input": "vis", "file": "out/vis.npy" },
    "b": { "stage": "sink.npy", "input": "vis.COUNTS", "file": "out/counts.npy" },
    "c": { "stage": "sink.npy", "input": "beams", "file": "out/beams.npy", "layout": "TCPB" },
    "d": { "stage": "sink.npy", "input": "power", "file": "out/power.npy" } } }
END
cat >make.json <<'END'
{ "cornerturn": 1, "nodes": {
    "sky": { "stage": "source.simulate", "stations": [[3, -31, 0], [41, 12, 0], [-22, 36, 0], [-47, -18, 0],
             [18, 55, 0]], "samples": 7300, "seed": 3 },
    "out": { "stage": "sink.npy", "input": "sky", "file": "sky.npy" } } }
END
"$CORNERTURN" run make.json --quiet || exit 1
mkdir out one
"$CORNERTURN" run search.json --quiet || exit 1
mv out/* one/

same() { # NAME: what was just written is what one process wrote
    local file
    for file in one/*.npy; do cmp -s "$file" "out/${file#one/}" || fail "$1: ${file#one/} is another"; done
    rm -f out/*
}

for n in 3 ${EXHAUSTIVE:+7}; do
    ranks $n "$CORNERTURN" run search.json --quiet 2>err || { fail "$n ranks"; cat err; }
    same "$n ranks"
done

# Pinned: a grid of ranks, a split that no reader shares, and one of the source alone.
sed 's/"stage": "detect",/"stage": "detect", "layout": { "read": "BT|C|P", "write": "auto" },/
     s/"stage": "beamformer",/"stage": "beamformer", "layout": { "write": "B|TPC" },/
     s/"file": "sky.npy"/"file": "sky.npy", "layout": "SP|T"/' search.json >pinned.json
ranks 4 "$CORNERTURN" run pinned.json --quiet --ranks C=2,P=2 2>err || { fail "pinned splits"; cat err; }
same "pinned splits"
[ -n "${EXHAUSTIVE:-}" ] || exit "$failed"

# Beams as sums of what each rank's stations give.
sed 's/"stage": "beamformer",/"stage": "beamformer", "layout": { "read": "S|PTC" },/' search.json >sums.json
ranks 3 "$CORNERTURN" run sums.json --quiet 2>err || { fail "sums"; cat err; }
floats() { tail -c +193 "$1" | od -An -v -tf4 -w4; }
paste <(floats one/beams.npy) <(floats out/beams.npy) |
    awk '{ d = $1 - $2; off += d * d; all += $1 * $1 } END { exit !(NR > 1000 && all > 0 && off <= 1e-12 * all) }' ||
    fail "beams that are added differ by more than 1e-6 of their rms"
rm -f out/*

# Where a rank is late in a step, the others wait for it in the exchange behind that step, and the trace says so; where
# exchanges travel while other blocks are computed, at the block's end.
cat >late.json <<'END'
{ "cornerturn": 1, "block": { "T": 1024 }, "nodes": {
    "sky":  { "stage": "source.npy", "file": "sky.npy" },
    "late": { "stage": "test.late", "input": "sky", "layout": { "read": "S|PT", "write": "auto" } },
    "same": { "stage": "transpose", "input": "late", "layout": { "read": "P|TS", "write": "auto" } },
    "out":  { "stage": "sink.npy", "input": "same", "file": "out/late.npy" } } }
END
LATE=1 ranks 3 "$CORNERTURN" run late.json --library "$build/tests/ranks_stages.so" --plan default --quiet \
    --in-step --trace --json >trace.json 2>err || { fail "a late rank"; cat err; }
# of TEXT WHO KEY: a number of the ranks that stand behind this text, which is the last such: a step, or build_s
of() { tr -d '\n' <trace.json | sed "s/.*\"$1\"//; s/\"name\".*//" | grep -oE "\"$2\": [{][^}]*|\"waiting\": [0-9.e-]+" | grep "$2" | grep -oE "\"$3\": [0-9.e-]+" | grep -oE '[0-9.e-]+$'; }
expect() { awk "BEGIN { exit !($1) }" || { fail "of a late rank's trace: $1"; cat trace.json; }; }
expect "$(of late slowest rank) == 1 && $(of late slowest seconds) > 0.2 && $(of late fastest seconds) < 0.1"
expect "$(of 'late>PTS P|' fastest rank) == 1 && $(of 'late>PTS P|' median waiting_s) > 0.15"
expect "$(of 'late>PTS P|' fastest waiting_s) < 0.1 && $(of 'late>PTS P|' waiting waiting) > 0.5"
cp out/late.npy in_step.npy
LATE=1 ranks 3 "$CORNERTURN" run late.json --library "$build/tests/ranks_stages.so" --plan default --quiet \
    --trace --json >trace.json 2>err || { fail "a late rank behind whose back others travel"; cat err; }
expect "$(of late slowest rank) == 1 && $(of late slowest seconds) > 0.2 && $(of 'late>PTS P|' median seconds) < 0.12"
expect "$(of build_s fastest waiting_s) > 0.15 || $(of build_s slowest waiting_s) > 0.15"
cmp -s out/late.npy in_step.npy || fail "a late rank: exchanges that travel bring something else"
expect "$(of build_s waiting waiting) > 0.2 && $(of build_s waiting waiting) < 1"
rm -f out/*

# What is wrong: N CODE SENTENCE ARGUMENTS..
wrong() {
    local n=$1 code=$2 sentence=$3 found
    shift 3
    ranks "$n" "$@" >/dev/null 2>err
    found=$?
    [ $found = "$code" ] || { fail "'$sentence': expected exit code $code, found $found"; cat err; }
    [ "$(grep -c -- "$sentence" err)" = 1 ] || { fail "'$sentence' is not said once"; cat err; }
    ! grep 'did not say why' err || fail "'$sentence': others speak, too"
    [ -z "$(ls -A out)" ] || fail "'$sentence': $(ls -A out) is left"
}
other() { echo "[ \$OMPI_COMM_WORLD_RANK = 1 ] && { $1; }; exec \"$CORNERTURN\" run search.json --quiet \$more"; }

wrong 2 2 "is for 8 ranks, and this job has 2" "$CORNERTURN" run search.json --ranks S=4,C=2
wrong 2 2 "expected dimensions and into how many parts" "$CORNERTURN" run search.json --ranks S4
wrong 2 5 "some.json" "$CORNERTURN" run search.json --plan some.json
wrong 2 5 "cannot be read: No such file" "$CORNERTURN" run nowhere.json
wrong 3 3 "do not have the same pipeline" bash -c "$(other 'more="--set fir.taps=8"')"
wrong 3 5 "nowhere.npy" bash -c "$(other 'more="--set sky.file=nowhere.npy"')"
# Another build of the library, of the module that reaches the others, or of stages that are used.
for another in libcornerturn.so.0 libcornerturn_mpi.so; do
    rm -rf build && mkdir build
    cp "$build"/libcornerturn.so.0 "$build"/libcornerturn_mpi.so build/ # what the names lead to
    echo >>"build/$another"
    wrong 3 3 "do not have the same build of cornerturn" bash -c "$(other 'export LD_LIBRARY_PATH=$PWD/build')"
done
cp "$build/tests/ranks_stages.so" .
echo >>ranks_stages.so
wrong 3 3 "do not have the same build of the pipeline's stages" bash -c "stages=\"$build/tests/ranks_stages.so\"
    [ \$OMPI_COMM_WORLD_RANK = 2 ] && stages=ranks_stages.so; exec \"$CORNERTURN\" run late.json --quiet --library \"\$stages\""

sed 's/"stage": "correlator",/"stage": "correlator", "layout": { "read": "S|TPC" },/' search.json >split.json
wrong 2 3 "correlator cannot be: it can be split along C" "$CORNERTURN" run split.json
sed 's/"file": "sky.npy"/"file": "sky.npy", "layout": "B|PT"/' search.json >letter.json
wrong 2 3 'found layout "B|PT"' "$CORNERTURN" run letter.json

# An output that cannot be written is rank 0's alone, and its end is that of all.
sed 's|"sink.npy", "input": "vis", "file": "out/vis.npy"|"sink.raw", "input": "vis", "file": "/dev/full"|' search.json >full.json
wrong 3 5 "/dev/full" "$CORNERTURN" run full.json --whole

# One that fails in a block goes through that block's exchanges: all end with it.
FAILS=2 wrong 3 5 "made to fail" "$CORNERTURN" run late.json --library "$build/tests/ranks_stages.so" --plan default --quiet --whole

# The same pipeline, of which a file is missing where one rank runs.
mkdir -p elsewhere/out
cp search.json elsewhere/
wrong 3 5 "sky.npy: cannot be opened: No such file" bash -c "[ \$OMPI_COMM_WORLD_RANK = 1 ] && cd elsewhere; exec \"$CORNERTURN\" run search.json --quiet"
[ -z "$(ls -A elsewhere/out)" ] || fail "a rank without its source left $(ls -A elsewhere/out)"

# A rank that is killed ends the others.
# Its source is a file with a hole of 20 GB.
sed 's/"stage": "source.npy", "file": "sky.npy"/"stage": "source.raw", "file": "long.raw", "dims": "TSP", "type": "ci8", "sizes": {"S": 5, "P": 2}, "sample_time_s": 5.12e-6, "frequency_hz": 150e6, "channel_width_hz": 195312.5/' search.json >endless.json
truncate -s 20G long.raw
ranks 3 bash -c "echo \$\$ >pid\$OMPI_COMM_WORLD_RANK; exec \"$CORNERTURN\" run endless.json --quiet" >/dev/null 2>err &
for _ in $(seq 300); do [ -n "$(ls -A out)" ] && break; sleep 0.1; done
sleep 0.5
kill -KILL "$(cat pid1)" || { fail "the rank to be killed had ended"; cat err; }
started=$SECONDS
wait $! && fail "a job with a killed rank ended well"
[ $((SECONDS - started)) -le 10 ] || fail "the others ended $((SECONDS - started)) s after a rank was killed"
for file in out/*.npy; do [ ! -e "$file" ] || fail "a killed job left $file"; done
while kill -0 "$(cat pid0)" 2>/dev/null && [ $((SECONDS - started)) -le 10 ]; do sleep 0.1; done
kill -0 "$(cat pid0)" 2>/dev/null && fail "a rank lives on"

[ $failed -eq 0 ] && echo "ranks: all as one"
exit $((failed > 0))
