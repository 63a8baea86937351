#!/usr/bin/env bash
# live_test.sh SENDER: what a station sends is not lost in silence: kernels are built before ports are opened, and the
# stream begins after that; what is lost all the same is counted, with its cause.
set -uo pipefail
: "${CORNERTURN:?the command to test}"
sender=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../shared/check.sh"
in_a_folder
port=$((20000 + $$ % 20000))

# pipeline SOURCE NAME: many kernels, and one that clears what is flagged
pipeline()
{
    cat <<END
{ "cornerturn": 1, "block": { "T": 4096 }, "nodes": {
  "v": { "stage": "source.lofar", $1, "subbands": 12 },
  "fir": { "stage": "fir", "input": "v", "channels": 16, "taps": 8 },
  "fft": { "stage": "fft", "input": "fir" },
  "vis": { "stage": "correlator", "input": "fft", "integrate": 128 },
  "power": { "stage": "detect", "input": "fft", "stokes": "IQUV", "integrate": 16 },
  "a": { "stage": "sink.raw", "input": "v", "file": "$2_v.raw", "layout": "TSP" },
  "b": { "stage": "sink.raw", "input": "vis", "file": "$2_vis.raw" },
  "c": { "stage": "sink.raw", "input": "power", "file": "$2_power.raw" } } }
END
}
listen() { pipeline "\"listen\": \"127.0.0.1:$port\", \"duration_s\": ${2:-0.5}${3:-}" "$1" >"$1.run"; }
run() # run CACHE NAME [ARGUMENT...]
{
    mkdir -p "$1"
    POCL_CACHE_DIR=$PWD/$1 "$CORNERTURN" run "$2.run" --stats "$2.jsonl" "${@:3}" 2>"$2.log"
}
counted() { tail -n 1 "$1.jsonl" | sed -nE "s/.*\"nodes\": \{ \"v\": \{[^[]*\"$2\": ([0-9.e+-]+),.*/\1/p"; }
kernels() { (cd "$1" && find . -name '*.so' -o -name '*.spv' -o -name 'program*' | sort); }
value() { sed -nE "s/.*\"$2\": ([0-9.]+).*/\1/p" "$1"; }

"$sender" --beamlets 1 --rate 12207 --packets 9000000 --lost 97 "127.0.0.1:$port" & station=$! begun=$SECONDS
trap '[ -z "$station" ] || kill $station; rm -rf "$work"' EXIT

# A cold cache: all that comes after the start is there.
listen cold
run cold.cache cold || fail "a cold cache: $(cat cold.log)"
expected=$(((97656 + 96 * 16) / (97 * 16)))
[ "$(counted cold samples)" = 97656 ] && [ "$(counted cold packets_dropped)" = 0 ] || fail "a cold cache: $(cat cold.log)"
lost=$(counted cold packets_lost)
[ "$lost" -ge $((expected - 1)) ] && [ "$lost" -le $((expected + 1)) ] ||
    fail "a cold cache: $lost packets lost, the station left out about $expected: $(cat cold.log)"
grep -q 'dropped\|came before' cold.log && fail "a cold cache: $(cat cold.log)"
# and it is what the station sent: the same packets from a file.
first=$(echo "$(value cold_v.raw.json start_mjd) $(value cold_v.raw.json start_s)" | awk '{ printf "%.0f", (($1 - 59759.0625) * 86400 + $2) / 5.12e-6 - 0.5 }')
"$sender" --beamlets 1 --packets $((first / 16 + 6200)) --lost 97 all
pipeline '"files": "all"' all >all.run
run cold.cache all || fail "the same from a file: $(cat all.log)"
cmp -s <(tail -c +$((1 + 4 * first)) all_v.raw | head -c $((4 * 97656))) cold_v.raw || fail "what was heard is not what was sent, from $first on"

# Built the day before: the next run builds nothing, and nothing was written.
listen built
run built.cache built --build-only || fail "--build-only: $(cat built.log)"
grep -qx 'built in [0-9.e-]* s; nothing was run' built.log || fail "--build-only says: $(cat built.log)"
[ -z "$(ls | grep '^built\(_.*\|.jsonl\)$')" ] || fail "--build-only has written: $(ls)"
kernels built.cache >before
[ "$(wc -l <before)" -ge 8 ] || fail "--build-only: few kernels: $(cat before)"
run built.cache built || fail "after --build-only: $(cat built.log)"
kernels built.cache | cmp -s - before || fail "built after --build-only: $(kernels built.cache | diff - before)"
[ "$(counted built samples)" = 97656 ] && [ "$(counted built packets_dropped)" = 0 ] || fail "after --build-only: $(cat built.log)"
grep -q 'begin later' built.log && fail "after --build-only the stream was put off: $(cat built.log)"
pipeline '"files": "all"' files >files.run
run files.cache files --build-only || fail "--build-only of files: $(cat files.log)"
kernels files.cache >before
run files.cache files || fail "files after --build-only: $(cat files.log)"
kernels files.cache | cmp -s - before || fail "built after --build-only of files: $(kernels files.cache | diff - before)"
cmp -s files_v.raw all_v.raw && cmp -s files_vis.raw all_vis.raw && cmp -s files_power.raw all_power.raw ||
    fail "what is built at once gives something else"
sed 's/"all"/"none"/' files.run >none.run
run files.cache none --build-only
[ $? = 5 ] || fail "--build-only of a file that is not there"

# A stream whose start is fixed, and past: what came before is counted, and why.
now=$(date -u -d "@$((1656466200 + SECONDS - begun + 1))" +%Y-%m-%dT%H:%M:%S)
listen past 12 ", \"start_utc\": \"$now\""
run past.cache past || fail "a start that is past: $(cat past.log)"
unready=$(sed -nE "s/^v: 127.0.0.1:$port: ([0-9]+) packets came before the run listened: it was not ready.*/\1/p" past.log)
[ "${unready:-0}" -gt 0 ] && [ "$(counted past packets_dropped)" = "$unready" ] ||
    fail "a start that is past: $(cat past.log)"
missing=$(counted past samples_missing)
lost=$((unready + (12 * 12207 - unready) / 97))
[ $((missing / 16)) -ge $((lost - 3)) ] && [ $((missing / 16)) -le $((lost + 3)) ] ||
    fail "a start that is past: $missing samples missing, $unready packets unready"
kill $station

# A run that stands still for a while: what the system then drops is counted, with when, and how far it was behind.
"$sender" --beamlets 61 --rate 12207 --packets 9000000 "127.0.0.1:$port" & station=$!
cat >slow.run <<END
{ "cornerturn": 1, "block": { "T": 16384 }, "nodes": {
  "v": { "stage": "source.lofar", "listen": "127.0.0.1:$port", "duration_s": 9 },
  "power": { "stage": "detect", "input": "v", "stokes": "I", "integrate": 16 },
  "out": { "stage": "sink.npy", "input": "power", "file": "slow.npy" } } }
END
"$CORNERTURN" run slow.run --stats slow.jsonl --metrics slow.prom 2>slow.log & run=$!
until [ -e slow.prom ] || ! kill -0 $run 2>/dev/null; do sleep 0.2; done
sleep 2.5
kill -STOP $run; began=$(date -u +%s); sleep 3; kill -CONT $run
wait $run || fail "a run that stands still: $(cat slow.log)"
said='^v: 127.0.0.1:[0-9]*: ([0-9]+) packets dropped by the system: its buffer was full, first at ([0-9TZ:-]+); the run was up to ([0-9.]+) s behind$'
read -r dropped first behind <<<"$(sed -nE "s/$said/\1 \2 \3/p" slow.log)"
[ "${dropped:-0}" -gt 0 ] && [ "$(counted slow packets_dropped)" = "$dropped" ] &&
    [ "$(counted slow samples_missing)" -le $((16 * dropped)) ] &&
    [ "$(counted slow samples_missing)" -ge $((15 * dropped)) ] || fail "a run that stands still: $(cat slow.log)"
late=$(($(date -u -d "$first" +%s) - began))
[ "$late" -ge 0 ] && [ "$late" -le 8 ] || fail "when it fell behind: $first, it stood still from $(date -u -d "@$began")"
awk -v b="$behind" 'BEGIN { exit !(b > 0.5 && b < 20) }' || fail "how far it fell behind: $behind s"
kill $station
station=

[ "$failed" = 0 ] && echo "live: all as expected"
exit "$failed"
