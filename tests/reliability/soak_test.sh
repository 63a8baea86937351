#!/usr/bin/env bash
# soak_test.sh [SECONDS]: a run of blocks for so long (1800) needs the memory and the descriptors that it
# has after its first minute (or a tenth of the time): RSS within 1 %, and a journal takes less than
# 1 % of its time. In the tests 12 seconds.
# The stream comes from a sparse file that no disk holds, and what is written is little.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
seconds=${1:-1800}
# A disk that others use takes tenths of a second for its first lines.
[ "$seconds" -lt 60 ] && [ -w /dev/shm ] && export TMPDIR=/dev/shm
work=$(mktemp -d)
trap 'kill -KILL $run 2>/dev/null; rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C POCL_AFFINITY=1
# A sanitizer keeps what was freed, up to so much.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=1:thread_local_quarantine_size_kb=16"
run=
failed=0
fail() { echo "failed: $*"; failed=$((failed + 1)); }

truncate -s 8T v.raw 2>/dev/null || truncate -s 1T v.raw || exit 1
# History, sums over blocks, a search that remembers, files that grow.
cat >p.json <<'END'
{ "cornerturn": 1, "block": { "T": 16384 }, "nodes": {
  "v": { "stage": "source.raw", "file": "v.raw", "dims": "TSP", "type": "ci8", "sizes": { "S": 4, "P": 2 },
         "sample_time_s": 5.12e-6, "frequency_hz": 150e6, "channel_width_hz": 195312.5 },
  "fir": { "stage": "fir", "input": "v", "channels": 16, "taps": 8 },
  "power": { "stage": "detect", "input": "fir", "integrate": 64 },
  "dd": { "stage": "dedisp", "input": "power", "dm": [ { "start": 0, "step": 1, "count": 8 } ] },
  "vis": { "stage": "correlator", "input": "fir", "integrate": 16384 },
  "found": { "stage": "sink.candidates", "input": "dd", "file": "f.json" },
  "series": { "stage": "sink.sigproc", "input": "dd", "file": "s.tim" },
  "out": { "stage": "sink.npy", "input": "vis", "file": "x.npy" } } }
END
"$CORNERTURN" run p.json --blocks 2 2>log || fail "$(cat log)" # compiles

# measure: resident KiB and open descriptors; a line of the journal takes one more for a moment
measure()
{
    awk '/^VmRSS/ { printf "%s ", $2 }' "/proc/$run/status"
    for _ in 1 2 3 4 5; do find "/proc/$run/fd" -mindepth 1 | wc -l; sleep 0.02; done | sort -n | head -n 1
}

"$CORNERTURN" run p.json --resume 2>log & run=$!
# Until the first line of its journal it builds kernels and opens devices.
for _ in $(seq 600); do [ -s "$(find . -name '.cornerturn-*.journal')" ] && break; sleep 0.1; done
begin=$((seconds < 600 ? (seconds + 9) / 10 : 60))
sleep "$begin"
read -r rss files < <(measure)
most=$rss least=$rss
for _ in $(seq 20); do
    sleep "$(awk "BEGIN { print ($seconds - $begin) / 20 }")"
    read -r now open < <(measure 2>/dev/null)
    kill -0 "$run" 2>/dev/null || { fail "it ended: $(cat log)"; break; }
    [ "$open" = "$files" ] || fail "$open descriptors, at first $files"
    most=$((now > most ? now : most)) least=$((now < least ? now : least))
done
[ $(((most - rss) * 100)) -le "$rss" ] || fail "$most KiB, at first $rss"
kill -INT "$run"
wait "$run"
[ $? = 130 ] || fail "$(cat log)"
share=$(sed -n 's/.* \([0-9.e-]*\) % of it for the journal.*/\1/p' log)
awk "BEGIN { exit !(\"$share\" != \"\" && ${share:-100} < 1) }" || fail "${share:-no} % for the journal"
echo "$seconds s, $(sed -n 's/^\([0-9]* blocks\) .*/\1/p' log): $least to $most KiB, at first $rss; $files descriptors; $share % for the journal; $failed failed"
[ "$failed" -eq 0 ]
